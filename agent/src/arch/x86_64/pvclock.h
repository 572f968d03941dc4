/* SPDX-License-Identifier: BSD-2-Clause */
/* The page in which a hypervisor describes its clock to one core: of that, how
 * fast the TSC counts. Pure; runs on the host in tests. */
#ifndef TPROF_PVCLOCK_H
#define TPROF_PVCLOCK_H

#include <stdint.h>

#define TPROF_PVCLOCK_WORDS 8u

/* TSC ticks a second by the page at (words), which the hypervisor may be
 * writing meanwhile; 0: nothing there that makes sense. */
uint64_t tprof_pvclock_hz(const volatile uint32_t *words);

#endif
