/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, arch/x86/: what agent/porting/lk.md uses of it. */
#ifndef LK_ARCH_X86_H
#define LK_ARCH_X86_H

#include <stdint.h>

/* as LK compiles its own code */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wpedantic"

typedef struct {
    uint64_t bp, ip, user_sp;
} x86_iframe_t;

#endif
