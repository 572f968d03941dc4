/* SPDX-License-Identifier: BSD-2-Clause */
/* The work of which the profile is known: an application for any kernel. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdint.h>

#define WORKLOAD_ROUNDS 1000 /* 200 million instructions */

/* Works for so many rounds. Returns how many ticks of the TSC that took. The
 * application calls it again and again, and prints "work " and the number as a
 * line of its own. */
uint64_t cpu_loop(uint64_t rounds);

#endif
