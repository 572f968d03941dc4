/* SPDX-License-Identifier: BSD-2-Clause */
/* The last seconds of a profile: no sample twice, none left out. */
#include "top/top_window.h"

#include "alloc.h"
#include "check.h"
#include "profile/aggregate/aggregate.h"

#define HZ     1000000u
#define PERIOD 1000u /* a thousand samples a second */

static struct aggregate *aggregate;
static struct top_window *window;
static uint64_t tsc;

static const struct guest guest = {
    .wire_version = TPROF_WIRE_VERSION,
    .arch = WIRE_ARCH_X86_64,
    .cores = 2,
    .tsc_hz = HZ,
    .text_start = 0x1000,
    .text_size = 0x1000,
};

static void begin(double seconds, uint64_t memory)
{
    const struct aggregate_config config = {0};

    aggregate = aggregate_new(&config);
    window = top_window_new(seconds, memory);
    CHECK(aggregate != NULL && window != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
}

static void end(void)
{
    top_window_free(window);
    aggregate_free(aggregate);
}

/* (n) samples of (leaf), one a millisecond. */
static void samples(uint32_t core, uint64_t leaf, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        tsc += PERIOD;
        struct sample s = {.tsc = tsc,
                           .leaf = leaf,
                           .stack = STACK_UNKNOWN,
                           .late = LATE_TICKS,
                           .weight = 1};
        struct sample_batch batch = {
            .core = core, .period = PERIOD, .samples = &s, .count = 1};

        aggregate_samples(aggregate, &batch);
    }
}

static void look(void)
{
    CHECK_EQ(top_window_look(window, aggregate_profile(aggregate)), 0);
}

static const struct profile *last(double seconds)
{
    const struct profile *p =
        top_window_profile(window, aggregate_profile(aggregate), seconds);

    CHECK(p != NULL);
    return p;
}

/* Samples of (leaf) on (core) in (p). */
static uint64_t count(const struct profile *p, uint32_t core, uint64_t leaf)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->cores[core].entry_count; i++)
        if (p->cores[core].entries[i].leaf == leaf)
            n += p->cores[core].entries[i].tally.samples;
    return n;
}

TEST(window_has_the_last_seconds_alone)
{
    begin(60, 1 << 20);
    for (unsigned i = 0; i < 10; i++) {
        samples(0, 0x1100, 500);
        samples(1, 0x1200 + i, 500); /* in this second alone */
        look();
    }
    const struct profile *p = last(3);

    CHECK_EQ(count(p, 0, 0x1100), 1500);
    CHECK_EQ(count(p, 1, 0x1209), 500);
    CHECK_EQ(count(p, 1, 0x1207), 500);
    CHECK_EQ(count(p, 1, 0x1206), 0);
    CHECK_EQ(p->cores[1].entry_count, 3);
    CHECK(p->duration_s > 2.99 && p->duration_s < 3.01);
    CHECK_EQ(p->cores[0].total.samples, 1500);
    CHECK(p->cores[0].total.time == 1500.0 * PERIOD);
    CHECK(p->cores[0].entries[0].tally.late == 1500.0 * LATE_TICKS);
    CHECK(p->cores[0].entries[0].tally.late_time == 1500.0 * PERIOD);

    p = last(0);
    CHECK_EQ(count(p, 0, 0x1100), 500);
    CHECK_EQ(count(p, 1, 0x1209), 500);
    p = last(1000);
    CHECK_EQ(p->cores[0].total.samples, 5000);
    CHECK_EQ(p->cores[1].entry_count, 10);
    end();
}

TEST(looks_that_come_a_little_late_change_no_length)
{
    begin(60, 1 << 20);
    for (unsigned i = 0; i < 10; i++) {
        samples(0, 0x1100, 1030);
        look();
    }
    CHECK_EQ(count(last(5), 0, 0x1100), 5150);
    end();
}

TEST(window_forgets_what_is_older) /* catches: memory that grows for ever */
{
    begin(5, 1 << 20);
    for (unsigned i = 0; i < 100; i++) {
        samples(0, 0x1100, 1000);
        look();
    }
    uint64_t n = count(last(1000), 0, 0x1100);

    CHECK(n >= 5000 && n <= 6000);
    end();
}

TEST(full_memory_makes_the_window_shorter)
{
    begin(1000, 4096);
    for (unsigned i = 0; i < 100; i++) {
        for (unsigned j = 0; j < 100; j++)
            samples(0, 0x1100 + j, 10);
        look();
    }
    const struct profile *p = last(1000);

    /* the last look stays whatever it takes */
    CHECK_EQ(p->cores[0].total.samples, 1000);
    CHECK(p->duration_s < 1.01);
    end();
}

TEST(losses_are_those_of_the_window)
{
    begin(60, 1 << 20);
    samples(0, 0x1100, 1000);
    aggregate_account(aggregate, 0,
                      &(struct account){.samples = 1000, .lost = 70});
    look();
    samples(0, 0x1100, 1000);
    aggregate_account(aggregate, 0,
                      &(struct account){.samples = 2000, .lost = 75});
    look();
    CHECK_EQ(last(1)->cores[0].account.samples, 1000);
    CHECK_EQ(last(1)->cores[0].account.lost, 5);
    CHECK_EQ(last(9)->cores[0].account.lost, 75);
    end();
}

TEST(what_had_no_room_is_in_the_window_too)
{
    begin(60, 1 << 20);
    aggregate_reserve(aggregate, UINT64_MAX); /* no entry has room */
    samples(0, 0x1100, 1000);
    look();
    samples(0, 0x1100, 1000);
    look();
    CHECK_EQ(last(1)->cores[0].others.samples, 1000);
    CHECK_EQ(last(1)->cores[0].total.samples, 1000);
    end();
}

TEST(window_without_looks_is_empty)
{
    begin(60, 1 << 20);
    CHECK_EQ(last(5)->cores[0].entry_count, 0);
    end();
}

/* Each allocation that a look and a sum make, in turn. */
TEST(failing_allocations_lose_nothing)
{
    begin(60, 1 << 20);
    samples(0, 0x1100, 1000);
    const struct profile *p = aggregate_profile(aggregate);
    unsigned n = 0;
    int result;

    do {
        alloc_fail_at(++n);
        result = top_window_look(window, p);
    } while (alloc_failed() && result == -1);
    CHECK_EQ(result, 0);
    CHECK(n > 3);
    const struct profile *sum;

    n = 0;
    do {
        alloc_fail_at(++n);
        sum = top_window_profile(window, p, 5);
    } while (alloc_failed() && sum == NULL);
    CHECK(sum != NULL && n > 3);
    CHECK_EQ(count(sum, 0, 0x1100), 1000);
    end();
}
