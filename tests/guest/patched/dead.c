/* SPDX-License-Identifier: BSD-2-Clause */
/* 8 MiB of code that is needed until here, in a segment of its own, which is
 * larger than the other ones: they become data. */
#include "mem.h"
#include "patched.h"

#define DEAD (8u << 20)

__asm__(".pushsection .dead, \"ax\", @progbits\n"
        ".globl dead_code\n"
        "dead_code: .skip 8 << 20, 0x90\n"
        ".popsection");
extern char dead_code[];

void patched_change(void)
{
    memset(dead_code, 0x5a, DEAD);
}
