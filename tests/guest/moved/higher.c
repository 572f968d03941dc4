/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things are in a kernel of the highest 2 GiB; higher.S maps them. */
#include "kit.h"
#include "moved.h"

#define IMAGE 0xffffffff80000000u
#define LAPIC 0xfee00000u

uint64_t moved_physical(void *context, const void *address)
{
    uint64_t at = (uintptr_t)address;

    (void)context;
    return at - (at >= IMAGE ? IMAGE : GUEST_DIRECT_MAP);
}

uint64_t moved_lapic(void)
{
    return GUEST_DIRECT_MAP + LAPIC;
}
