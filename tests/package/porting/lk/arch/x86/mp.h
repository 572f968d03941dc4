/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, arch/x86/include/arch/x86/mp.h: what agent/porting/lk.md uses of it. */
#ifndef LK_ARCH_X86_MP_H
#define LK_ARCH_X86_MP_H

#include <stddef.h>

typedef struct {
    void *self;
    unsigned cpu_num;
} x86_percpu_t;

#define X86_PERCPU_FIELD_OFFSET(field) offsetof(x86_percpu_t, field)

#endif
