/* SPDX-License-Identifier: BSD-2-Clause */
/* A function with a line of another file, as generated code has them. */
void _start(void);

void _start(void)
{
    __asm__ volatile("spot_own: nop");
#line 7 "other.h"
    __asm__ volatile("spot_other: nop");
}
