/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables that are laid by hand into a small memory, by the pictures of the
 * Intel manual (volume 3, chapter 4), in every mode. That a real guest's tables
 * give what QEMU finds is tests/system/outside.
 */
#include "util/cpu/x86_64/x86_paging.h"

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "util/bytes.h"

#define PRESENT 3u /* and writable */
#define LARGE   0x80u
#define NX      (UINT64_C(1) << 63)
#define GIB     (UINT64_C(1) << 30)

/* Physical memory: 64 KiB from 0 on, and what lies elsewhere reads as its own
 * address, 8 bytes by 8. */
static uint8_t ram[0x10000];
static unsigned reads;
static bool fails;
static size_t most = SIZE_MAX;

static long read_physical(void *context, uint64_t address, void *to,
                          size_t size)
{
    CHECK(context == ram);
    reads++;
    if (size > most)
        size = most;
    if (fails)
        return -1;
    if (address >= UINT64_C(1) << 51)
        return 0;
    if (address >= sizeof ram) {
        for (size_t i = 0; i < size; i++)
            ((uint8_t *)to)[i] = (uint8_t)((address + i) >> 12);
        return (long)size;
    }
    if (size > sizeof ram - address)
        size = sizeof ram - address;
    memcpy(to, ram + address, size);
    return (long)size;
}

static struct paging long_mode(uint64_t cr3)
{
    return (struct paging){.cr0 = PAGING_CR0_PG | 1,
                           .cr3 = cr3,
                           .cr4 = PAGING_CR4_PAE,
                           .efer = PAGING_EFER_LMA,
                           .read_physical = read_physical,
                           .context = ram};
}

static void expect(const struct paging *p, uint64_t address, uint64_t physical,
                   uint64_t left)
{
    struct paging_place place = {0, 0};

    CHECK_EQ(paging_find(p, address, &place), 1);
    CHECK_EQ(place.physical, physical);
    CHECK_EQ(place.left, left);
}

static void expect_nothing(const struct paging *p, uint64_t address)
{
    struct paging_place place;

    CHECK_EQ(paging_find(p, address, &place), 0);
}

/* Four levels: tables at 0x1000, 0x2000, 0x3000 and 0x4000. */
static struct paging four_levels(void)
{
    store_u64(ram + 0x1000, 0x2000 | PRESENT);
    store_u64(ram + 0x1000 + 511 * 8, 0x2000 | PRESENT | NX);
    store_u64(ram + 0x2000, 0x3000 | PRESENT);
    store_u64(ram + 0x2000 + 3 * 8, 5 * GIB | PRESENT | LARGE | 1u << 12);
    store_u64(ram + 0x3000, 0x4000 | PRESENT);
    store_u64(ram + 0x3000 + 8, 0x12a00000 | PRESENT | LARGE | NX);
    store_u64(ram + 0x4000 + 7 * 8, UINT64_C(0x7edcba9876000) | PRESENT | NX);
    store_u64(ram + 0x4000 + 8 * 8, 0x5000 | LARGE | PRESENT); /* PAT there */
    return long_mode(0x1000 | 0x18);
}

TEST(four_levels_have_pages_of_three_sizes)
{
    struct paging p = four_levels();

    CHECK_EQ(paging_mode(&p), PAGING_LEVEL4);
    expect(&p, 0x7123, UINT64_C(0x7edcba9876123), 0x1000 - 0x123);
    expect(&p, 0x8000, 0x5000, 0x1000);
    expect(&p, 0x234567, 0x12a34567, 0x200000 - 0x34567);
    expect(&p, 3 * GIB + 0x1234567, 5 * GIB + 0x1234567, GIB - 0x1234567);
    expect(&p, UINT64_C(0xffffff80c1234567), 5 * GIB + 0x1234567,
           GIB - 0x1234567);
}

TEST(what_is_not_mapped_is_nowhere)
{
    struct paging p = four_levels();

    expect_nothing(&p, 0x9000);
    expect_nothing(&p, 0x400000);
    expect_nothing(&p, GIB);
    expect_nothing(&p, UINT64_C(1) << 39);
    expect_nothing(&p, UINT64_C(1) << 48); /* not canonical: would be 0 */
    expect_nothing(&p, UINT64_C(0xff80c1234567)); /* the upper half, cut */
    expect_nothing(&p, UINT64_C(0x7fffff80c1234567));
}

TEST(five_levels_are_four_and_one)
{
    struct paging p = four_levels();

    store_u64(ram + 8, 0x1000 | PRESENT);
    store_u64(ram + 511 * 8, 0x1000 | PRESENT);
    p.cr3 = 0;
    p.cr4 |= PAGING_CR4_LA57;
    CHECK_EQ(paging_mode(&p), PAGING_LEVEL5);
    expect(&p, (UINT64_C(1) << 48) + 0x7123, UINT64_C(0x7edcba9876123),
           0x1000 - 0x123);
    expect(&p, UINT64_C(0xffffff80c1234567), 5 * GIB + 0x1234567,
           GIB - 0x1234567);
    expect_nothing(&p, 0x7123);
    expect_nothing(&p, UINT64_C(1) << 57);
}

TEST(pae_has_its_top_table_anywhere)
{
    struct paging p = four_levels();

    p.efer = 0;
    p.cr3 = 0x1fe0;
    store_u64(ram + 0x1fe0 + 3 * 8, 0x3000 | 1);
    CHECK_EQ(paging_mode(&p), PAGING_PAE);
    expect(&p, 3 * GIB + 0x7123, UINT64_C(0x7edcba9876123), 0x1000 - 0x123);
    expect(&p, 3 * GIB + 0x234567, 0x12a34567, 0x200000 - 0x34567);
    expect_nothing(&p, 0x7123);
    expect_nothing(&p, 7 * GIB + 0x7123); /* no core has this address */
}

TEST(two_levels_have_large_pages_if_the_core_wants_them)
{
    struct paging p = four_levels();

    p.efer = p.cr4 = 0;
    memset(ram, 0, sizeof ram);
    store_u32(ram + 0x1000 + 4, 0x2000 | PRESENT);
    store_u32(ram + 0x1000 + 8, 0x2000 | PRESENT | LARGE);
    store_u32(ram + 0x2000 + 4, 0xabcde000 | PRESENT);
    CHECK_EQ(paging_mode(&p), PAGING_32BIT);
    expect(&p, 0x401234, 0xabcde234, 0x1000 - 0x234);
    expect(&p, 0x801234, 0xabcde234, 0x1000 - 0x234); /* so it is a table */
    expect_nothing(&p, 0x400000);

    p.cr4 = PAGING_CR4_PSE;
    /* bits 13 to 20 are those above 4 GiB: bits 15 and 20 */
    store_u32(ram + 0x1000 + 8, 0x00d08000 | PRESENT | LARGE);
    expect(&p, 0x801234, UINT64_C(0x8400c01234), 0x400000 - 0x1234);
}

TEST(without_paging_addresses_are_physical)
{
    struct paging p = four_levels();

    p.cr0 = 1;
    CHECK_EQ(paging_mode(&p), PAGING_OFF);
    expect(&p, 0x1234, 0x1234, 4 * GIB - 0x1234);
    expect_nothing(&p, 4 * GIB);
    CHECK_EQ(reads, 0);
}

TEST(a_table_that_is_its_own_is_walked_once) /* catches: walks without end */
{
    struct paging p = long_mode(0x1000);

    for (unsigned i = 0; i < 512; i++)
        store_u64(ram + 0x1000 + i * 8, 0x1000 | PRESENT);
    expect(&p, 0x7fff12345678, 0x1678, 0x1000 - 0x678);
    CHECK_EQ(reads, 4);
}

TEST(a_large_page_where_there_is_none_is_nothing)
{
    struct paging p = four_levels();

    store_u64(ram + 0x1000, 0x2000 | PRESENT | LARGE);
    expect_nothing(&p, 0x7123);
}

TEST(tables_outside_of_memory_are_nothing)
{
    struct paging p = four_levels();

    store_u64(ram + 0x2000, UINT64_C(0xffffffffff000) | PRESENT);
    expect_nothing(&p, 0x7123);
    p.cr3 = 0x1000;
    most = 4;
    expect_nothing(&p, 0x8000);
    p.cr3 = UINT64_MAX;
    expect_nothing(&p, 0x7123);
}

TEST(what_cannot_be_read_is_told)
{
    struct paging p = four_levels();
    struct paging_place place;
    char to[8];

    fails = true;
    CHECK_EQ(paging_find(&p, 0x7123, &place), -1);
    CHECK_EQ(paging_read(&p, 0x7123, to, sizeof to), -1);
}

TEST(reading_crosses_pages_and_ends_where_nothing_is)
{
    struct paging p = four_levels();
    uint8_t to[0x2000];

    memset(ram + 0x5000, 0x55, 0x1000);
    CHECK_EQ(paging_read(&p, 0x7ff0, to, 0x20), 0x20);
    CHECK_EQ(to[0], 0x76); /* the page's own number */
    CHECK_EQ(to[15], 0x76);
    CHECK_EQ(to[16], 0x55);
    CHECK_EQ(paging_read(&p, 0x7ff0, to, sizeof to), 0x1010);
    CHECK_EQ(paging_read(&p, 0x9000, to, sizeof to), 0);
}

TEST(reading_ends_where_memory_and_addresses_do)
{
    struct paging p = four_levels();
    uint8_t to[0x20];

    p.cr0 = 1;
    CHECK_EQ(paging_read(&p, 4 * GIB - 8, to, sizeof to), 8);
    CHECK_EQ(paging_read(&p, UINT64_MAX - 3, to, sizeof to), 0);
    p.cr0 |= PAGING_CR0_PG;
    store_u64(ram + 0x4000, 0xf000 | PRESENT);
    store_u64(ram + 0x4000 + 8, (UINT64_C(1) << 51) | PRESENT);
    CHECK_EQ(paging_read(&p, 0xff0, to, sizeof to), 0x10);
}
