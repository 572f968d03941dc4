/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, include/uk/plat/memory.h: what agent/porting/unikraft.md uses of
 * it. */
#ifndef UK_PLAT_MEMORY_H
#define UK_PLAT_MEMORY_H

#define UKPLAT_MEMRT_FREE   0x0001
#define UKPLAT_MEMRT_KERNEL 0x0004
#define UKPLAT_MEMRT_STACK  0x0020

struct ukplat_memregion_desc {
    unsigned long pbase;
    unsigned long vbase;
    long pg_off;
    unsigned long len;
    unsigned long pg_count;
    unsigned short type;
    unsigned short flags;
} __attribute__((packed, aligned(8)));

int ukplat_memregion_find_next(int i, unsigned type, unsigned flags,
                               unsigned fmask,
                               struct ukplat_memregion_desc **mrd);

#define ukplat_memregion_foreach(mrd, type, flags, fmask)                      \
    for (int next = ukplat_memregion_find_next(-1, type, flags, fmask, mrd);   \
         next >= 0;                                                            \
         next = ukplat_memregion_find_next(next, type, flags, fmask, mrd))

#endif
