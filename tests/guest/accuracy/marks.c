/* SPDX-License-Identifier: BSD-2-Clause */
/* The marks; see marks.h. */
#include "marks.h"

__attribute__((noinline)) void truth_begin(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void truth_end(void)
{
    __asm__ volatile("");
}
