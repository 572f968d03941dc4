/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limit of a guest's samples in its windows: many times the rate that it was
 * asked for. A guest that sends far more is broken, or wants to fill the disk.
 *
 * A core may have ALLOWED_TIMES the requested rate, and at least ALLOWED_HZ: a
 * guest obeys the host that asked last, and `collector record` and `collector
 * top` ask for 997 a second, beside a serve that asks for 97. An unused
 * allowance of ALLOWED_S may be used later at once: for the ring of a guest
 * whose host was away, or for bytes of a channel that was blocked.
 */
#ifndef TPROF_FLEET_WINDOWS_ALLOWANCE_H
#define TPROF_FLEET_WINDOWS_ALLOWANCE_H

#include <stdint.h>

#include "util/host_clock.h"

#define ALLOWED_TIMES 16u
#define ALLOWED_HZ    2000u
#define ALLOWED_S     60u

/* Zeroed: no samples so far. */
struct allowance {
    uint64_t left;  /* samples still allowed */
    uint64_t at_ns; /* when (left) was computed */
};

/* Allowed samples a second. */
static inline uint64_t allowance_hz(uint32_t rate_hz, uint32_t cores)
{
    uint64_t hz = (uint64_t)rate_hz * ALLOWED_TIMES;

    return (hz > ALLOWED_HZ ? hz : ALLOWED_HZ) * cores;
}

/* The number of (count) samples, which came now, that an allowance of (hz)
 * admits. The clock is read only if needed. */
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
