/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates virtual to physical addresses (Intel SDM 3A, chapter 4). */
#include "util/cpu/x86_64/x86_paging.h"

#include <stdbool.h>

#include "util/bytes.h"

#define ENTRY_PRESENT UINT64_C(1)
#define ENTRY_LARGE   (UINT64_C(1) << 7)
#define FRAME_MASK    UINT64_C(0x000ffffffffff000) /* bits 12 to 51 */
#define PAGE_SHIFT    12u

/* The tables of one mode. */
struct table_shape {
    unsigned shift; /* size of what a top table's entry maps */
    unsigned bits;  /* of an index into a table */
    size_t entry_size;
    uint64_t top_mask; /* of CR3 */
    /* bits of an address; the bits above repeat the last of them */
    unsigned addresses;
};

static const struct table_shape shapes[] = {
    [PAGING_32BIT] = {22, 10, 4, UINT64_C(0xfffff000), 32},
    [PAGING_PAE] = {30, 9, 8, UINT64_C(0xffffffe0), 32},
    [PAGING_LEVEL4] = {39, 9, 8, FRAME_MASK, 48},
    [PAGING_LEVEL5] = {48, 9, 8, FRAME_MASK, 57},
};

enum paging_mode paging_mode(const struct paging *p)
{
    if ((p->cr0 & PAGING_CR0_PG) == 0)
        return PAGING_OFF;
    if ((p->efer & PAGING_EFER_LMA) != 0)
        return (p->cr4 & PAGING_CR4_LA57) != 0 ? PAGING_LEVEL5 : PAGING_LEVEL4;
    return (p->cr4 & PAGING_CR4_PAE) != 0 ? PAGING_PAE : PAGING_32BIT;
}

/* Is (address) valid in (mode)? */
static bool is_address(enum paging_mode mode, uint64_t address)
{
    if (mode < PAGING_LEVEL4)
        return address <= UINT32_MAX;

    uint64_t upper = address >> (shapes[mode].addresses - 1);

    return upper == 0 || upper == UINT64_MAX >> (shapes[mode].addresses - 1);
}

/* Is (entry), which maps 1 << (shift) bytes, a page? Returns 1; 0 if (entry)
 * points to a table; -1 if the bit for a large page is set at a level that has
 * no large pages. Other reserved bits are not checked. */
static int is_page(const struct paging *p, enum paging_mode mode,
                   unsigned shift, uint64_t entry)
{
    if (shift == PAGE_SHIFT)
        return 1;
    if ((entry & ENTRY_LARGE) == 0)
        return 0;
    if (mode == PAGING_32BIT)
        return (p->cr4 & PAGING_CR4_PSE) != 0;
    return shift == 21 || (shift == 30 && mode >= PAGING_LEVEL4) ? 1 : -1;
}

/* Physical address of the page of 1 << (shift) bytes that (entry) maps. */
static uint64_t page_start(enum paging_mode mode, uint64_t entry,
                           unsigned shift)
{
    uint64_t frame = entry & FRAME_MASK & ~((UINT64_C(1) << shift) - 1);

    /* PSE-36: bits 13 to 20 put a large page of 32-bit code above 4 GiB */
    if (mode == PAGING_32BIT && shift == 22)
        frame |= (entry >> 13 & 0xff) << 32;
    return frame;
}

/* Read entry (index) of (table). Returns as paging_find(). */
static int read_entry(const struct paging *p, const struct table_shape *s,
                      uint64_t table, uint64_t index, uint64_t *entry)
{
    uint8_t bytes[8] = {0};
    long got = p->read_physical(p->context, table + index * s->entry_size,
                                bytes, s->entry_size);

    if (got < 0)
        return -1;
    *entry = load_u64(bytes);
    return (size_t)got == s->entry_size && (*entry & ENTRY_PRESENT) != 0;
}

/* Find the entry of the page that contains (address). The page has 1 <<
 * (*shift) bytes. Returns as paging_find(). */
static int walk_tables(const struct paging *p, enum paging_mode mode,
                       uint64_t address, uint64_t *entry, unsigned *shift)
{
    const struct table_shape *s = &shapes[mode];

    *entry = p->cr3 & s->top_mask;
    *shift = s->shift;
    for (;;) {
        uint64_t index = address >> *shift & ((UINT64_C(1) << s->bits) - 1);
        int found = read_entry(p, s, *entry, index, entry);

        if (found <= 0)
            return found;

        int page = is_page(p, mode, *shift, *entry);

        if (page != 0)
            return page > 0;
        *entry &= FRAME_MASK;
        *shift -= s->bits;
    }
}

int paging_find(const struct paging *p, uint64_t address,
                struct paging_place *place)
{
    enum paging_mode mode = paging_mode(p);
    uint64_t entry;
    unsigned shift;

    if (!is_address(mode, address))
        return 0;
    if (mode == PAGING_OFF) {
        *place =
            (struct paging_place){address, UINT64_C(0x100000000) - address};
        return 1;
    }

    int found = walk_tables(p, mode, address, &entry, &shift);

    if (found <= 0)
        return found;

    uint64_t offset = address & ((UINT64_C(1) << shift) - 1);

    place->physical = page_start(mode, entry, shift) + offset;
    place->left = (UINT64_C(1) << shift) - offset;
    return 1;
}

long paging_read(const struct paging *p, uint64_t address, void *to,
                 size_t size)
{
    size_t done = 0;

    while (done < size && address + done >= address) {
        struct paging_place place = {0, 0};
        int found = paging_find(p, address + done, &place);

        if (found < 0)
            return -1;
        if (found == 0)
            break;

        size_t part = size - done < place.left ? size - done : place.left;
        long got = p->read_physical(p->context, place.physical,
                                    (uint8_t *)to + done, part);

        if (got < 0)
            return -1;
        done += (size_t)got;
        if ((size_t)got < part)
            break;
    }
    return (long)done;
}
