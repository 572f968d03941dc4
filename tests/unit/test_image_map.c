/* SPDX-License-Identifier: BSD-2-Clause */
/* Which image an address is in: at borders, at the end of memory, in any order
 * of adding, and against a search through all of them. */
#include "image/names/image_map.h"

#include "alloc.h"
#include "check.h"

static const struct mapped_image kernel = {0};

static void check_spot(const struct image_map *a, uint64_t pc, uint32_t image,
                       uint64_t address)
{
    struct image_address where = image_map_find(a, pc);

    CHECK_EQ(where.number, image);
    CHECK_EQ(where.address, address);
    CHECK(where.image == image_map_image(a, image));
}

TEST(the_kernel_has_what_no_other_image_has)
{
    struct image_map *a = image_map_new(&kernel, 0x1000);
    char name[] = "app";

    CHECK_EQ(image_map_add(a, &(struct mapped_image){.name = name}), 1);
    name[0] = 'x'; /* it was copied */
    CHECK_STR(image_map_image(a, 1)->name, "app");
    CHECK(image_map_image(a, IMAGE_MAP_KERNEL)->name == NULL);
    CHECK_EQ(image_map_count(a), 2);
    CHECK_EQ(image_map_place(a, 1, 0x5000, 0x100, 0x4000), 0);
    check_spot(a, 0, IMAGE_MAP_KERNEL, (uint64_t)0 - 0x1000);
    check_spot(a, 0x4fff, IMAGE_MAP_KERNEL, 0x3fff);
    check_spot(a, 0x5000, 1, 0x1000);
    check_spot(a, 0x50ff, 1, 0x10ff);
    check_spot(a, 0x5100, IMAGE_MAP_KERNEL, 0x4100);
    check_spot(a, UINT64_MAX, IMAGE_MAP_KERNEL, UINT64_MAX - 0x1000);
    image_map_free(a);
}

TEST(an_image_may_end_with_memory) /* catches: start + size, which is 0 there */
{
    struct image_map *a = image_map_new(&kernel, 0);

    CHECK_EQ(image_map_add(a, &(struct mapped_image){.name = "high"}), 1);
    CHECK_EQ(image_map_place(a, 1, UINT64_MAX - 0xff, 0x100, 0), 0);
    check_spot(a, UINT64_MAX, 1, UINT64_MAX);
    check_spot(a, UINT64_MAX - 0xff, 1, UINT64_MAX - 0xff);
    check_spot(a, UINT64_MAX - 0x100, IMAGE_MAP_KERNEL, UINT64_MAX - 0x100);
    image_map_free(a);
}

#define PLACES 64u
#define STEP   0x100u

TEST(any_order_gives_the_same) /* against each place being looked at */
{
    struct image_map *a = image_map_new(&kernel, 7);
    uint32_t order[PLACES];

    for (uint32_t i = 0; i < PLACES; i++)
        order[i] = i * 37 % PLACES;
    /* place i is at (i + 1) * STEP, i + 1 bytes long, every third of image 2 */
    CHECK_EQ(image_map_add(a, &(struct mapped_image){.name = "one"}), 1);
    CHECK_EQ(image_map_add(a, &(struct mapped_image){.name = "two"}), 2);
    for (uint32_t i = 0; i < PLACES; i++)
        CHECK_EQ(image_map_place(a, order[i] % 3 == 0 ? 2 : 1,
                                 (order[i] + 1) * STEP, order[i] + 1, order[i]),
                 0);
    for (uint64_t pc = 0; pc < (PLACES + 2) * STEP; pc++) {
        uint64_t i = pc / STEP - 1, offset = pc % STEP;

        if (pc < STEP || i >= PLACES || offset > i)
            check_spot(a, pc, IMAGE_MAP_KERNEL, pc - 7);
        else
            check_spot(a, pc, i % 3 == 0 ? 2 : 1, pc - i);
    }
    image_map_free(a);
}

TEST(memory_may_run_out_anywhere)
{
    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        struct image_map *a = image_map_new(&kernel, 0);
        bool whole = a != NULL;

        for (uint32_t i = 1; whole && i <= 20; i++)
            whole =
                image_map_add(a, &(struct mapped_image){.name = "x"}) == i &&
                image_map_place(a, i, i * STEP, 1, 0) == 0;
        bool failed = alloc_failed();

        CHECK(whole != failed);
        image_map_free(a);
        if (!failed)
            break;
        CHECK(n < 100);
    }
}
