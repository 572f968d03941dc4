/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's clocks. Leaf. */
#ifndef TPROF_UTIL_HOST_CLOCK_H
#define TPROF_UTIL_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds, for all arrival times. */
uint64_t clock_ns(void);

/* CLOCK_REALTIME in nanoseconds since 1970. */
static inline uint64_t clock_wall_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_BOOTTIME in nanoseconds: the time since the machine started, sleep
 * included. No user can set this clock. */
static inline uint64_t clock_up_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
