/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate of the TSC, from the page in which a hypervisor describes its clock
 * to one core. Pure; runs on the host in tests. */
#ifndef TPROF_PVCLOCK_H
#define TPROF_PVCLOCK_H

#include <stdint.h>

#define TPROF_PVCLOCK_WORDS 8u

/* Returns TSC ticks a second, from the page at (words); 0 if the page does not
 * contain them. The hypervisor may write the page at the same time. */
uint64_t tprof_pvclock_hz(const volatile uint32_t *words);

#endif
