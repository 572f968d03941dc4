/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, kernel/mp.h: what agent/porting/lk.md uses of it. */
#ifndef LK_KERNEL_MP_H
#define LK_KERNEL_MP_H

#include <stdbool.h>

#define SMP_MAX_CPUS 16

bool mp_is_cpu_active(unsigned cpu);

#endif
