/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an image lies in a guest that this file plays: its memory holds copies
 * of this very program, moved as a case says.
 */
#include <string.h>

#include "check.h"
#include "outside/place.h"
#include "util/cpu/cpu.h"

#define COPIES 2u
#define CORES  2u
#define AWAY   0x100000000ull /* from one copy to the next */
#define IN_APP 0x7000000000ull

static struct image *img;
static struct err e;
static struct outside_near near;
static uint64_t copy_at[COPIES]; /* slides; 0: no copy */
static struct cpu_registers registers_of[CORES];

static int registers(struct outside_guest *g, uint32_t core,
                     struct cpu_registers *r, struct err *error)
{
    (void)g;
    (void)error;
    *r = registers_of[core];
    return 0;
}

/* The bytes of the copy that is (slide) further. */
static long read_copy(uint64_t slide, uint64_t address, void *to, size_t size)
{
    const struct image_text *t;

    for (size_t i = 0; (t = image_segment(img, i)) != NULL; i++) {
        uint64_t offset = address - slide - t->address;

        if (offset >= t->bytes_len)
            continue;
        if (size > t->bytes_len - offset)
            size = (size_t)(t->bytes_len - offset);
        memcpy(to, t->bytes + offset, size);
        return (long)size;
    }
    return 0;
}

static long memory(struct outside_guest *g, uint32_t core,
                   const struct cpu_registers *r, uint64_t address, void *to,
                   size_t size, struct err *error)
{
    long n = 0;

    (void)g;
    (void)core;
    (void)r;
    (void)error;
    for (unsigned i = 0; i < COPIES && n == 0; i++)
        if (copy_at[i] != 0)
            n = read_copy(copy_at[i], address, to, size);
    return n;
}

static const struct outside_ops ops = {.registers = registers,
                                       .memory = memory};
static struct outside_guest guest = {.ops = &ops, .core_count = CORES};

/* Core (core) is in this program's code, (slide) further. */
static void run_copy(uint32_t core, uint64_t slide)
{
    uint64_t address;

    CHECK(image_find_symbol(img, "check_failed", &address));
    registers_of[core] = (struct cpu_registers){
        .cpu = &cpu_x86_64, .is_wide = true, .pc = address + slide};
}

static void run_app(uint32_t core)
{
    registers_of[core] = (struct cpu_registers){
        .cpu = &cpu_x86_64, .is_wide = true, .pc = IN_APP};
}

/* A guest whose kernel was found at AWAY. */
static struct outside_place begin(void)
{
    struct outside_place p;

    CHECK(image_open(&img, "/proc/self/exe", &e) == 0);
    copy_at[0] = AWAY;
    run_copy(0, AWAY);
    CHECK_EQ(outside_place_find(&guest, img, &p, &near, &e), OUTSIDE_FOUND);
    CHECK_EQ(p.slide, AWAY);
    CHECK_EQ(outside_place_stays(&guest, img, &p, &e), 1);
    return p;
}

TEST(kernel_stays_while_applications_run)
{
    struct outside_place p = begin();

    run_app(0);
    run_app(1);
    CHECK_EQ(outside_place_stays(&guest, img, &p, &e), 1);
}

TEST(kernel_that_runs_elsewhere_has_rebooted) /* its old copy is still there */
{
    struct outside_place p = begin();

    copy_at[1] = 2 * AWAY;
    run_app(0);
    run_copy(1, 2 * AWAY);
    CHECK_EQ(outside_place_stays(&guest, img, &p, &e), 0);
    CHECK_EQ(outside_place_find(&guest, img, &p, &near, &e), OUTSIDE_FOUND);
    CHECK_EQ(p.slide, 2 * AWAY);
}

TEST(guest_without_64_bit_code_has_rebooted)
{
    struct outside_place p = begin();

    registers_of[0].is_wide = false;
    CHECK_EQ(outside_place_stays(&guest, img, &p, &e), 0);
    CHECK_EQ(outside_place_find(&guest, img, &p, &near, &e), OUTSIDE_NOT_YET);
}

TEST(another_kernel_has_come)
{
    struct outside_place p = begin();

    copy_at[0] = 0;
    run_app(0);
    CHECK_EQ(outside_place_stays(&guest, img, &p, &e), 0);
    CHECK_EQ(outside_place_find(&guest, img, &p, &near, &e), OUTSIDE_OTHER);
}
