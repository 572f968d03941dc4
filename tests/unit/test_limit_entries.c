/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile with fewer entries: what stays, and that nothing is lost. */
#include "top/top_window.h"

#include "alloc.h"
#include "check.h"
#include "model/stack.h"

/* 1,000 entries on each of 2 cores: entry (i) is at leaf i % 10, and took (i +
 * 1) ticks. */
static struct profile_entry entries[2][1000];
static struct profile_core cores[2];
static struct profile profile = {.cores = cores, .core_count = 2};

static void fill(void)
{
    for (uint32_t core = 0; core < 2; core++) {
        for (uint32_t i = 0; i < 1000; i++)
            entries[core][i] = (struct profile_entry){
                .leaf = 0x1000 + i % 10,
                .stack = i,
                .tally = {.samples = 1, .weight = 1, .time = i + 1}};
        cores[core] = (struct profile_core){
            .core = core, .entries = entries[core], .entry_count = 1000};
    }
}

/* The time at (leaf) on core 1 of (p), with its stack or whatever stack. */
static double time_at(const struct profile *p, uint64_t leaf, bool known)
{
    double time = 0;

    for (size_t i = 0; i < p->cores[1].entry_count; i++) {
        const struct profile_entry *e = &p->cores[1].entries[i];

        if (e->leaf == leaf && (!known || e->stack != STACK_OTHERS))
            time += e->tally.time;
    }
    return time;
}

TEST(longest_entries_keep_their_stacks)
{
    struct entry_limit t = {0};

    fill();
    const struct profile *p = limit_entries(&t, &profile, 200);

    CHECK(p != NULL && p != &profile);
    /* of each core the last 100, and an entry for each leaf */
    CHECK_EQ(p->cores[0].entry_count, 110);
    CHECK_EQ(p->cores[1].entry_count, 110);
    for (uint64_t leaf = 0x1000; leaf < 0x100a; leaf++) {
        double k = (double)(leaf - 0x1000);

        /* 901 + k, 911 + k, ..., 991 + k; and all from 1 + k on */
        CHECK(time_at(p, leaf, true) == 9460 + 10 * k);
        CHECK(time_at(p, leaf, false) == 49600 + 100 * k);
    }
    limit_entries_fini(&t);
}

TEST(small_profile_stays_as_it_is)
{
    struct entry_limit t = {0};

    fill();
    CHECK(limit_entries(&t, &profile, 2000) == &profile);
    limit_entries_fini(&t);
}

TEST(of_equal_entries_as_many_are_kept) /* catches: all merged, or none */
{
    struct entry_limit t = {0};

    fill();
    for (uint32_t i = 0; i < 1000; i++)
        entries[0][i].tally.time = entries[1][i].tally.time = 7;
    const struct profile *p = limit_entries(&t, &profile, 200);

    CHECK_EQ(p->cores[0].entry_count + p->cores[1].entry_count, 220);
    CHECK(time_at(p, 0x1000, false) == 700);
    limit_entries_fini(&t);
}

TEST(failing_allocations_are_told)
{
    struct entry_limit t = {0};
    const struct profile *p;
    unsigned n = 0;

    fill();
    do {
        alloc_fail_at(++n);
        p = limit_entries(&t, &profile, 200);
    } while (alloc_failed() && p == NULL);
    CHECK(p != NULL && n > 3);
    CHECK_EQ(p->cores[0].entry_count, 110);
    limit_entries_fini(&t);
}
