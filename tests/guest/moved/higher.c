/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things are in a kernel of the highest 2 GiB; higher.S maps them. */
#include "kit.h"
#include "moved.h"

#define IMAGE  0xffffffff80000000u
#define MAPPED ((uint64_t)4 << 30) /* of the physical addresses */

uint64_t moved_physical(void *context, const void *address)
{
    uint64_t at = (uintptr_t)address;

    (void)context;
    return at - (at >= IMAGE ? IMAGE : GUEST_DIRECT_MAP);
}

static void *map(void *context, uint64_t physical, size_t size)
{
    (void)context;
    return physical + size <= MAPPED
               ? (void *)(uintptr_t)(GUEST_DIRECT_MAP + physical)
               : NULL;
}

void *(*moved_map(void))(void *, uint64_t, size_t)
{
    return map;
}
