/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/windows/allowance.h"

#include "util/host_clock.h"

/*
 * A core may have ALLOWED_TIMES the requested rate, and at least ALLOWED_HZ. A
 * guest obeys the host that asked last: `collector record` and `collector top`
 * ask for 997 a second, even if a serve asks for 97.
 *
 * An unused allowance of ALLOWED_S may be used later at once: for the ring of a
 * guest whose host was away, or for bytes of a channel that was blocked.
 */
#define ALLOWED_TIMES 16u
#define ALLOWED_HZ    2000u
#define ALLOWED_S     60u

uint64_t allowance_hz(uint32_t rate_hz, uint32_t cores)
{
    uint64_t hz = (uint64_t)rate_hz * ALLOWED_TIMES;

    return (hz > ALLOWED_HZ ? hz : ALLOWED_HZ) * cores;
}

uint64_t allowance_take(struct allowance *a, uint64_t hz, uint64_t count)
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
