/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many samples a guest may have in its windows: many times those that it
 * was asked for. One that sends far more is broken, or wants to fill the disk.
 *
 * A core may have ALLOWED_TIMES what was asked for, and ALLOWED_HZ at least: a
 * guest goes by what the last of its hosts asked for, and `collector record`
 * and `collector top` ask for 997 a second, beside a serve that asks for 97.
 * What was not used in ALLOWED_S may come later, at once: the ring of a guest
 * whose host was away, or the bytes of a channel that was held up.
 */
#ifndef TPROF_FLEET_WINDOWS_ALLOWANCE_H
#define TPROF_FLEET_WINDOWS_ALLOWANCE_H

#include <stdint.h>

#include "util/clock.h"

#define ALLOWED_TIMES 16u
#define ALLOWED_HZ    2000u
#define ALLOWED_S     60u

/* Zeroed: nothing came so far. */
struct allowance {
    uint64_t left;  /* samples */
    uint64_t at_ns; /* when they were counted */
};

/* How many samples a second. */
static inline uint64_t allowance_hz(uint32_t rate_hz, uint32_t cores)
{
    uint64_t hz = (uint64_t)rate_hz * ALLOWED_TIMES;

    return (hz > ALLOWED_HZ ? hz : ALLOWED_HZ) * cores;
}

/* (hz) is what it may have. How many of (count) samples that came now are
 * within that? The clock is only looked at where it is not clear. */
static inline uint64_t allowance_take(struct allowance *a, uint64_t hz,
                                      uint64_t count)
{
    if (count > a->left) {
        uint64_t now = clock_ns(), most = ALLOWED_S * hz;
        double more = (double)(now - a->at_ns) / 1e9 * (double)hz;

        if (a->at_ns == 0 || more > (double)(most - a->left))
            a->left = most;
        else
            a->left += (uint64_t)more;
        a->at_ns = now;
    }
    if (count > a->left)
        count = a->left;
    a->left -= count;
    return count;
}

#endif
