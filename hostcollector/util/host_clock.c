/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's clocks. Tests replace this function. */
#include "util/host_clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
