/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of known stacks. */
#include "check.h"
#include "sample/stacks.h"

#define SLOTS 64u

static uint64_t slots[SLOTS];

static uint64_t name_of(uint64_t n)
{
    return (n + 1) * 0x9e3779b97f4a7c15u;
}

static struct tprof_stacks fresh(void)
{
    struct tprof_stacks s = {0};

    for (uint32_t i = 0; i < SLOTS; i++)
        slots[i] = 0;
    tprof_stacks_init(&s, slots, SLOTS);
    return s;
}

static uint32_t define(struct tprof_stacks *s, uint64_t name)
{
    bool is_new;
    uint32_t id = tprof_stacks_define(s, name, &is_new);

    CHECK(is_new);
    return id;
}

TEST(stacks_finds_what_was_defined_and_nothing_else)
{
    struct tprof_stacks s = fresh();

    CHECK_EQ(tprof_stacks_search(&s, name_of(1)), -1);
    uint32_t id = define(&s, name_of(1));

    CHECK(id < SLOTS);
    CHECK_EQ(tprof_stacks_search(&s, name_of(1)), id);
    CHECK_EQ(tprof_stacks_search(&s, name_of(2)), -1);
    tprof_stacks_undefine(&s, id);
    CHECK_EQ(tprof_stacks_search(&s, name_of(1)), -1);
}

/* catches: a stack with two ids after the slot before it became free */
TEST(stacks_defines_no_name_twice)
{
    struct tprof_stacks s = fresh();
    uint32_t first = define(&s, name_of(1));
    bool is_new;

    for (uint64_t n = 2; n < 6; n++)
        define(&s, name_of(n));
    uint32_t id = tprof_stacks_define(&s, name_of(5), &is_new);

    CHECK(!is_new);
    CHECK_EQ(tprof_stacks_search(&s, name_of(5)), id);
    /* the names have the same home */
    uint32_t second = define(&s, name_of(1) + 1);

    CHECK(second != first);
    tprof_stacks_undefine(&s, first);
    CHECK_EQ(tprof_stacks_define(&s, name_of(1) + 1, &is_new), second);
    CHECK(!is_new);
}

TEST(stacks_forgets_everything_at_once)
{
    struct tprof_stacks s = fresh();

    for (uint64_t n = 0; n < 20; n++)
        define(&s, name_of(n));
    tprof_stacks_forget(&s);
    for (uint64_t n = 0; n < 20; n++)
        CHECK_EQ(tprof_stacks_search(&s, name_of(n)), -1);
}

TEST(stacks_forgetting_is_a_new_epoch)
{
    struct tprof_stacks s = fresh();
    uint32_t epoch = s.epoch;

    tprof_stacks_forget(&s);
    CHECK_EQ(s.epoch, epoch + 1);
}

TEST(stacks_keeps_ids_apart_when_it_overflows) /* as it must: ids name slots */
{
    struct tprof_stacks s = fresh();
    uint64_t owner[SLOTS] = {0};

    for (uint64_t n = 0; n < 1000; n++) {
        uint32_t id = define(&s, name_of(n));

        CHECK(id < SLOTS);
        owner[id] = name_of(n);
        CHECK_EQ(tprof_stacks_search(&s, name_of(n)), id);
        for (uint32_t i = 0; i < SLOTS; i++) {
            if (owner[i])
                CHECK_EQ(tprof_stacks_search(&s, owner[i]), i);
        }
    }
}
