/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits the samples of a guest in its windows: to many times the rate that the
 * collector requested. A guest that sends far more is broken, or wants to fill
 * the disk. Leaf. */
#ifndef TPROF_FLEET_WINDOWS_ALLOWANCE_H
#define TPROF_FLEET_WINDOWS_ALLOWANCE_H

#include <stdint.h>

/* Zeroed: full. */
struct allowance {
    uint64_t left;  /* samples still allowed */
    uint64_t at_ns; /* when (left) was computed; 0: not yet */
};

/* The allowed samples a second of a guest with (cores), asked for (rate_hz). */
uint64_t allowance_hz(uint32_t rate_hz, uint32_t cores);

/* The number of (count) samples, which came now, that an allowance of (hz)
 * admits. The clock is read only if needed. */
uint64_t allowance_take(struct allowance *a, uint64_t hz, uint64_t count);

#endif
