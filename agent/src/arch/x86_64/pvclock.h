/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate of the TSC, as told by the page in which a hypervisor describes its
 * clock to one core. Pure; runs on the host in tests. */
#ifndef TPROF_PVCLOCK_H
#define TPROF_PVCLOCK_H

#include <stdint.h>

#define TPROF_PVCLOCK_WORDS 8u

/* TSC ticks a second, by the page at (words), which the hypervisor may write at
 * the same time; 0: the page does not tell. */
uint64_t tprof_pvclock_hz(const volatile uint32_t *words);

#endif
