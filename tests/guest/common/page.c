/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of the one-to-one mapping of boot.S, for guests that need a fault. */
#include "cpu.h"
#include "guest.h"
#include "kit.h"

#define PAGE_PRESENT 0x001u
#define PAGE_RW      0x002u
#define PAGE_LARGE   0x080u
#define TABLES       16

static _Alignas(4096) uint64_t tables[TABLES][512];
static unsigned tables_used;

/* The entry of (addr)'s page, its block of 2 MiB cut into pages if need be. */
static uint64_t *page_entry(uintptr_t addr)
{
    uint64_t *block = &boot_pd[addr >> 21];

    if (*block & PAGE_LARGE) {
        if (tables_used == TABLES)
            guest_fail("page: too many blocks with holes");
        uint64_t *table = tables[tables_used++];

        for (uint64_t i = 0; i < 512; i++)
            table[i] = (addr & ~0x1fffffu) | i << 12 | PAGE_RW | PAGE_PRESENT;
        *block = (uintptr_t)table | PAGE_RW | PAGE_PRESENT;
    }
    uint64_t *table = (uint64_t *)(uintptr_t)(*block & ~0xfffull);

    return &table[addr >> 12 & 0x1ff];
}

void page_unmap(uintptr_t addr)
{
    *page_entry(addr) &= ~(uint64_t)PAGE_PRESENT;
    cpu_invlpg(addr);
}

void page_protect(uintptr_t addr)
{
    *page_entry(addr) &= ~(uint64_t)PAGE_RW;
    cpu_invlpg(addr);
}

void page_map(uintptr_t addr)
{
    *page_entry(addr) |= PAGE_RW | PAGE_PRESENT;
    cpu_invlpg(addr);
}
