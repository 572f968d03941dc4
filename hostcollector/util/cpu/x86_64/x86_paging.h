/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates virtual to physical addresses by the page tables of an x86 core.
 * The guest has written the tables, which may hold anything. A walk reads at
 * most five entries, whatever their contents.
 */
#ifndef TPROF_UTIL_CPU_X86_64_X86_PAGING_H
#define TPROF_UTIL_CPU_X86_64_X86_PAGING_H

#include <stddef.h>
#include <stdint.h>

#define PAGING_CR0_PG   (UINT64_C(1) << 31)
#define PAGING_CR4_PSE  (UINT64_C(1) << 4)
#define PAGING_CR4_PAE  (UINT64_C(1) << 5)
#define PAGING_CR4_LA57 (UINT64_C(1) << 12)
#define PAGING_EFER_LMA (UINT64_C(1) << 10)

enum paging_mode {
    PAGING_OFF,    /* addresses are physical; includes real mode */
    PAGING_32BIT,  /* two levels, pages of 4 KiB and 4 MiB */
    PAGING_PAE,    /* 32-bit code, three levels */
    PAGING_LEVEL4, /* 64-bit code */
    PAGING_LEVEL5,
};

/* The control registers of a core, and a way to read its memory. */
struct paging {
    uint64_t cr0, cr3, cr4, efer;
    /* Read up to (size) bytes at physical (address). Returns the number of
     * bytes before the first unreadable byte; 0: the first byte is unreadable;
     * -1: the read failed, and (context) has the reason. */
    long (*read_physical)(void *context, uint64_t address, void *to,
                          size_t size);
    void *context;
};

/* A run of bytes in physical memory. */
struct paging_place {
    uint64_t physical;
    uint64_t left; /* to the end of the page, at least 1 */
};

/* The paging mode of (p)'s core. */
enum paging_mode paging_mode(const struct paging *p);

/* Translate (address). Returns 1; 0: it is not mapped, or its tables are not in
 * memory; -1: read_physical() failed. */
int paging_find(const struct paging *p, uint64_t address,
                struct paging_place *place);

/* Read up to (size) bytes at (address), across pages. Returns the number of
 * bytes before the first unreadable byte; 0: the first byte is unreadable; -1:
 * read_physical() failed. */
long paging_read(const struct paging *p, uint64_t address, void *to,
                 size_t size);

#endif
