/* SPDX-License-Identifier: BSD-2-Clause */
/* Work of known proportions, for a guest's one file that does it. */
#ifndef GUEST_WORK_H
#define GUEST_WORK_H

#include <stdint.h>

__attribute__((noinline)) static uint64_t mix(uint64_t x, uint32_t loops)
{
    for (uint32_t i = 0; i < loops; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

/* Three times what work_one() does. */
__attribute__((noinline)) static uint64_t work_three(uint64_t x)
{
    return mix(x, 1500) + 1;
}

__attribute__((noinline)) static uint64_t work_one(uint64_t x)
{
    return mix(x, 500) + 1;
}

#endif
