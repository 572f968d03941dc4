/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a virtual address lies in a guest's physical memory: the walk through
 * the page tables of an x86 core, which the guest has written and which may be
 * anything. A walk reads at most five entries, whatever they say.
 */
#ifndef TPROF_OUTSIDE_PAGING_H
#define TPROF_OUTSIDE_PAGING_H

#include <stddef.h>
#include <stdint.h>

#define PAGING_CR0_PG   (UINT64_C(1) << 31)
#define PAGING_CR4_PSE  (UINT64_C(1) << 4)
#define PAGING_CR4_PAE  (UINT64_C(1) << 5)
#define PAGING_CR4_LA57 (UINT64_C(1) << 12)
#define PAGING_EFER_LMA (UINT64_C(1) << 10)

enum paging_mode {
    PAGING_OFF,    /* addresses are physical; real mode, too */
    PAGING_32BIT,  /* two levels, pages of 4 KiB and 4 MiB */
    PAGING_PAE,    /* 32-bit code, three levels */
    PAGING_LEVEL4, /* 64-bit code */
    PAGING_LEVEL5,
};

/* What a core has in its control registers, and where its memory is read. */
struct paging {
    uint64_t cr0, cr3, cr4, efer;
    /* Read up to (size) bytes at physical (address). Returns how many could be
     * read from the start on, 0: none; -1: it failed, and (context) knows why.
     */
    long (*read_physical)(void *context, uint64_t address, void *to,
                          size_t size);
    void *context;
};

/* Bytes that lie behind each other in physical memory. */
struct paging_place {
    uint64_t physical;
    uint64_t left; /* to the end of the page, at least 1 */
};

/* What (p) says of its core. */
enum paging_mode paging_mode(const struct paging *p);

/* Find (address). Returns 1; 0: it is mapped nowhere, or its tables lie where
 * no memory is; -1: read_physical() failed. */
int paging_find(const struct paging *p, uint64_t address,
                struct paging_place *place);

/* Read up to (size) bytes at (address), across pages. Returns how many could be
 * read from the start on; 0: none; -1: read_physical() failed. */
long paging_read(const struct paging *p, uint64_t address, void *to,
                 size_t size);

#endif
