/* SPDX-License-Identifier: BSD-2-Clause */
/* What a core's deadlines must have been, by the schedule's own numbers. */
#include "sim.h"

uint64_t deadlines_between(const struct tprof_schedule *from,
                           const struct tprof_schedule *to)
{
    struct tprof_schedule s = *from;
    uint64_t count = 0;

    while (s.random != to->random) {
        if (++count > 2 * 16 + 1) /* once more for those that came inside */
            fail("core %u: its random numbers jumped", tprof_machine.core);
        s.random = s.random * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        s.deadline +=
            s.half + (uint64_t)((tprof_u128)s.period * s.random >> 64);
    }
    if ((to->deadline - s.deadline) % s.period != 0)
        fail("core %u: a deadline that was not drawn", tprof_machine.core);
    return count + (to->deadline - s.deadline) / s.period;
}
