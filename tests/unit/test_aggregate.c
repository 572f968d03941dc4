/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums, selection and time line, on samples made by hand. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "profile/aggregate/aggregate.h"
#include "profile/aggregate/stack_pool.h"

#define HZ 1000000u /* of the guest's clock in these tests */

static struct aggregate *start(const struct aggregate_config *config)
{
    struct aggregate *a = aggregate_new(config);
    struct guest g = {.cores = 4, .tsc_hz = HZ, .boot_id = {1}};

    CHECK(a != NULL);
    CHECK_EQ(aggregate_hello(a, HELLO_FIRST, &g), 0);
    return a;
}

static uint32_t stack(struct aggregate *a, const uint64_t *frames,
                      uint32_t depth)
{
    struct stack s = {.frames = frames, .depth = depth};

    return aggregate_stack(a, 0, &s);
}

/* Samples of period 100 << 1 = 200 ticks. */
static void add(struct aggregate *a, uint32_t core, const struct sample *s,
                size_t count)
{
    struct sample_batch batch = {
        .core = core, .shift = 1, .period = 100, .samples = s, .count = count};

    aggregate_samples(a, &batch);
}

static void add_one(struct aggregate *a, uint32_t core, double seconds,
                    uint64_t leaf)
{
    struct sample s = {.tsc = 5000 + (uint64_t)(seconds * HZ + 0.5),
                       .leaf = leaf,
                       .weight = 1};

    add(a, core, &s, 1);
}

TEST(sums_are_kept_by_core_leaf_and_stack) /* catches: entries mixed up */
{
    static const uint64_t frames[] = {1, 2, 3};
    struct aggregate *a = start(&(struct aggregate_config){0});
    uint32_t one = stack(a, frames, 3), two = stack(a, frames, 2);
    const struct sample s[] = {
        {.tsc = 10, .leaf = 7, .stack = one, .weight = 1},
        {.tsc = 20, .leaf = 7, .stack = two, .weight = 2, .late = 600},
        {.tsc = 30, .leaf = 8, .stack = one, .weight = 1},
        {.tsc = 40, .leaf = 7, .stack = one, .weight = 3, .late = 2048},
    };

    CHECK_EQ(one, 1);
    CHECK_EQ(two, 2);
    CHECK_EQ(stack(a, frames, 3), one);
    add(a, 0, s, 4);
    add(a, 2, s, 1);

    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->core_count, 4);
    CHECK_EQ(p->stack_count, 3);
    CHECK_EQ(p->period_tsc, 200);
    CHECK_EQ(p->cores[0].entry_count, 3);
    const struct profile_entry *e = p->cores[0].entries;

    CHECK_EQ(e[0].leaf, 7);
    CHECK_EQ(e[0].stack, one);
    CHECK_EQ(e[0].tally.samples, 2);
    CHECK_EQ(e[0].tally.weight, 4);
    CHECK(e[0].tally.time == 800);
    CHECK(e[0].tally.time_sq == 200. * 200 + 600. * 600);
    CHECK(e[0].tally.late == 4096);
    CHECK_EQ(e[0].tally.late_class[0], 1);
    CHECK_EQ(e[0].tally.late_class[2], 1); /* 4096 is where class 2 begins */
    CHECK_EQ(e[1].stack, two);
    CHECK_EQ(e[1].tally.late_class[1], 1); /* 1200 */
    CHECK_EQ(e[2].leaf, 8);
    CHECK_EQ(p->cores[0].total.samples, 4);
    CHECK_EQ(p->cores[0].total.weight, 7);
    CHECK_EQ(p->cores[1].total.samples, 0);
    CHECK_EQ(p->cores[2].entry_count, 1);
    CHECK_EQ(p->cores[2].total.samples, 1);
    aggregate_free(a);
}

/* Catches: a neighbour in the table */
TEST(many_entries_of_one_leaf_stay_apart)
{
    struct aggregate *a = start(&(struct aggregate_config){0});

    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 1; i <= 20000; i++) {
            struct sample s = {
                .tsc = i, .leaf = i % 2, .stack = i, .weight = 1};

            add(a, 0, &s, 1);
        }
    }
    const struct profile_core *c = &aggregate_profile(a)->cores[0];

    CHECK_EQ(c->entry_count, 20000);
    for (size_t i = 0; i < c->entry_count; i++) {
        CHECK_EQ(c->entries[i].stack, i + 1);
        CHECK_EQ(c->entries[i].leaf, (i + 1) % 2);
        CHECK_EQ(c->entries[i].tally.samples, 2);
    }
    aggregate_free(a);
}

/* Catches: new leaves of one batch that are folded while there is memory */
TEST(a_batch_of_new_leaves_has_room)
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    struct sample s[1000];

    for (uint32_t i = 0; i < 1000; i++)
        s[i] = (struct sample){.tsc = i, .leaf = i, .weight = 1};
    for (uint32_t from = 0, count = 1; from < 1000; from += count, count++) {
        if (count > 1000 - from)
            count = 1000 - from;
        add(a, 0, s + from, count);
    }
    add(a, 1, s, 1000);

    const struct profile *p = aggregate_profile(a);

    for (size_t core = 0; core < 2; core++) {
        CHECK_EQ(p->cores[core].folded, 0);
        CHECK_EQ(p->cores[core].entry_count, 1000);
        CHECK_EQ(p->cores[core].total.samples, 1000);
    }
    aggregate_free(a);
}

TEST(lateness_classes_meet_their_limits) /* catches: an off-by-one at a limit */
{
    struct aggregate *a = start(&(struct aggregate_config){0});

    for (unsigned i = 0; i < LATE_CLASSES; i++) {
        uint32_t limit = (uint32_t)(LATE_CLASS_LIMIT(i) / 2); /* in units */
        const struct sample s[] = {
            {.leaf = i, .weight = 1, .late = limit - 1},
            {.leaf = i, .weight = 1, .late = limit},
        };

        add(a, 0, s, 2);
    }
    const struct profile_entry *e = aggregate_profile(a)->cores[0].entries;

    for (unsigned i = 0; i < LATE_CLASSES; i++) {
        unsigned next = i + 1 < LATE_CLASSES ? i + 1 : i;

        CHECK_EQ(e[i].tally.late_class[i], next == i ? 2 : 1);
        CHECK_EQ(e[i].tally.late_class[next], next == i ? 2 : 1);
    }
    aggregate_free(a);
}

/* Add (count) short samples of leaf 7 and this period, each 6 units late. */
static void add_short(struct aggregate *a, uint16_t period, size_t count)
{
    struct sample s[100] = {{0}};

    for (size_t i = 0; i < count; i++)
        s[i] = (struct sample){.tsc = i, .leaf = 7, .weight = 1, .late = 6};
    aggregate_samples(a, &(struct sample_batch){.shift = 10,
                                                .period = period,
                                                .samples = s,
                                                .count = count,
                                                .is_short = true});
}

/* Catches: short samples that get the period of later ones, that are lost when
 * a long one follows, or that a second profile adds again */
TEST(short_samples_keep_the_period_that_they_had)
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    const struct tally *t;

    add_short(a, 100, 70);
    add_short(a, 300, 5);
    t = &aggregate_profile(a)->cores[0].entries[0].tally;
    CHECK_EQ(t->samples, 75);
    CHECK_EQ(t->weight, 75);
    CHECK(t->time == 1024. * (70 * 100 + 5 * 300));
    CHECK(t->time_sq == 1048576. * (70 * 10000 + 5 * 90000));
    CHECK(t->late == 75 * 6 * 1024);
    CHECK(t->late_time == 0);
    CHECK_EQ(t->late_class[2], 75); /* 6144 ticks: from 4096 to 16383 */

    add_short(a, 300, 2);
    add(a, 0, &(struct sample){.leaf = 7, .weight = 3, .late = 40000}, 1);
    add_short(a, 300, 1);
    t = &aggregate_profile(a)->cores[0].entries[0].tally;
    CHECK_EQ(t->samples, 79);
    CHECK_EQ(t->weight, 81);
    CHECK(t->time == 1024. * (70 * 100 + 8 * 300) + 3 * 200);
    CHECK(t->late_time == 3 * 200);
    CHECK_EQ(t->late_class[2], 78);
    CHECK_EQ(t->late_class[4], 1); /* 80000 ticks */
    aggregate_free(a);
}

TEST(jump_weighs_one_and_is_counted_apart) /* catches: a pause taken for work */
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    struct sample s = {.tsc = 1,
                       .leaf = 7,
                       .weight = 500000,
                       .late = 1u << 30,
                       .flags = WIRE_SAMPLE_JUMP};

    add(a, 0, &s, 1);
    const struct profile_core *c = &aggregate_profile(a)->cores[0];

    CHECK_EQ(c->total.weight, 1);
    CHECK(c->total.time == 200);
    CHECK(c->total.late == 0);
    CHECK_EQ(c->jumps, 1);
    CHECK_EQ(c->jump_weight, 500000);
    aggregate_free(a);
}

TEST(core_filter_keeps_the_accounts_of_all) /* catches: loss hidden by --core */
{
    struct aggregate *a =
        start(&(struct aggregate_config){.cores = {1, {{1, 1}}}});
    struct account account = {.samples = 5, .lost = 2};

    add_one(a, 0, 0, 7);
    add_one(a, 1, 0, 7);
    aggregate_account(a, 0, &account);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->cores[0].entry_count, 0);
    CHECK(!p->cores[0].selected);
    CHECK_EQ(p->cores[0].account.samples, 5);
    CHECK_EQ(p->cores[0].seconds[0].samples, 1);
    CHECK_EQ(p->cores[1].entry_count, 1);
    CHECK(p->cores[1].selected);
    CHECK_EQ(aggregate_sums(a).samples, 5);
    CHECK_EQ(aggregate_sums(a).lost, 2);
    aggregate_free(a);
}

/* Catches: an end that is included */
/* Catches: cores that a guest does not have; and losses of a core that joined
 * hidden with these */
TEST(core_that_never_joined_is_absent_and_no_other_one)
{
    static const struct core_stats joined = {.core = 1,
                                             .flags = WIRE_STATS_STARTED},
                                   left = {.core = 2, .ticks = 1},
                                   never = {.core = 3}, lost = {.core = 4};
    struct aggregate *a = start(&(struct aggregate_config){0});

    CHECK_EQ(aggregate_hello(a, HELLO_FIRST, &(struct guest){.cores = 6}), 0);
    aggregate_stats(a, &joined);
    aggregate_stats(a, &(struct core_stats){.core = 1});
    aggregate_stats(a, &left);
    aggregate_stats(a, &never);
    aggregate_stats(a, &lost);
    aggregate_account(a, 4, &(struct account){.ring_full = 1});
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->core_count, 6);
    for (size_t i = 0; i < 6; i++)
        CHECK_EQ(p->cores[i].absent, i == 3);
    CHECK_EQ(aggregate_hello(
                 a, HELLO_FIRST,
                 &(struct guest){.cores = 6, .features = WIRE_FEATURE_OUTSIDE}),
             0);
    CHECK(!aggregate_profile(a)->cores[3].absent);
    aggregate_free(a);
}

TEST(time_filter_counts_from_the_first_sample)
{
    struct aggregate *a =
        start(&(struct aggregate_config){.from_s = 1, .to_s = 2.5});

    for (uint64_t i = 0; i <= 30; i++) /* at 0.0, 0.1 ... 3.0 s */
        add_one(a, 0, (double)i / 10, i);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->cores[0].total.samples, 15);
    CHECK_EQ(p->cores[0].entries[0].leaf, 10);
    CHECK_EQ(p->cores[0].entries[14].leaf, 24);
    CHECK(fabs(p->duration_s - 3) < 1e-6);
    aggregate_free(a);
}

/* Catches: lost firsts */
TEST(time_filter_from_zero_takes_a_core_that_is_ahead)
{
    struct aggregate *a = start(&(struct aggregate_config){.to_s = 1});
    struct sample s = {.tsc = 10, .leaf = 1, .weight = 1};

    add_one(a, 0, 0, 7);
    add(a, 1, &s, 1); /* before core 0's first */
    CHECK_EQ(aggregate_profile(a)->cores[1].total.samples, 1);
    aggregate_free(a);
}

TEST(time_filter_without_a_clock_selects_nothing) /* catches: all or nonsense */
{
    struct aggregate *a =
        aggregate_new(&(struct aggregate_config){.from_s = 1, .to_s = 2});

    aggregate_hello(a, HELLO_FIRST, &(struct guest){.cores = 1});
    add_one(a, 0, 1.5, 7);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->tsc_hz, 0);
    CHECK_EQ(p->cores[0].total.samples, 0);
    CHECK_EQ(p->cores[0].second_count, 0);
    aggregate_free(a);
}

/* Catches: a told one replaced */
TEST(measured_clock_serves_where_none_was_told)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct guest g = {.cores = 1};

    aggregate_hello(a, HELLO_FIRST, &g);
    aggregate_clock(a, HZ);
    CHECK_EQ(aggregate_profile(a)->tsc_hz, HZ);
    CHECK(aggregate_profile(a)->tsc_measured);
    g.tsc_hz = 77;
    aggregate_hello(a, HELLO_SESSION, &g);
    aggregate_clock(a, HZ);
    CHECK_EQ(aggregate_profile(a)->tsc_hz, 77);
    CHECK(!aggregate_profile(a)->tsc_measured);
    aggregate_free(a);
}

TEST(seconds_show_where_loss_was) /* catches: bursts smeared or misplaced */
{
    struct aggregate *a = start(&(struct aggregate_config){0});

    for (uint64_t i = 0; i < 50; i++) /* 5 s */
        add_one(a, 0, (double)i / 10, 7);
    aggregate_loss(a, &(struct loss){.reason = LOSS_RING_FULL,
                                     .from_tsc = 5000 + 2 * HZ + 10,
                                     .to_tsc = 5000 + 2 * HZ + 20,
                                     .ticks = 9});
    aggregate_loss(a, &(struct loss){.reason = LOSS_TRANSPORT,
                                     .from_tsc = 5000 + 3 * HZ,
                                     .to_tsc = 5000 + 4 * HZ + 5,
                                     .ticks = 21});
    const struct profile_core *c = &aggregate_profile(a)->cores[0];
    static const uint32_t lost[] = {0, 0, 9, 10, 11};

    CHECK_EQ(c->second_count, 5);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(c->seconds[i].samples, 10);
        CHECK_EQ(c->seconds[i].lost, lost[i]);
    }
    aggregate_free(a);
}

TEST(long_loss_is_spread_over_all_of_it) /* catches: a loop as long as a lie */
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    uint64_t lost[2] = {0, 0};

    add_one(a, 0, 0, 7);
    aggregate_loss(a, &(struct loss){.from_tsc = 5000,
                                     .to_tsc = 5000 + 1200ull * HZ,
                                     .ticks = 1200});
    const struct profile_core *c = &aggregate_profile(a)->cores[0];

    for (size_t i = 0; i < c->second_count; i++)
        lost[i >= 600] += c->seconds[i].lost;
    CHECK_EQ(lost[0], 600);
    CHECK_EQ(lost[1], 600);
    aggregate_free(a);
}

TEST(lying_clock_costs_no_memory) /* catches: a time line of years */
{
    struct aggregate *a = start(&(struct aggregate_config){0});

    aggregate_loss(a, &(struct loss){.to_tsc = 5000, .ticks = 1});
    CHECK_EQ(aggregate_profile(a)->cores[0].second_count, 0); /* no start yet */
    add_one(a, 0, 0, 7);
    add_one(a, 0, 70000, 7);
    struct sample s = {.tsc = UINT64_MAX / 2, .leaf = 1, .weight = 1};

    add(a, 0, &s, 1);
    aggregate_loss(a, &(struct loss){.from_tsc = 5000,
                                     .to_tsc = UINT64_MAX / 2,
                                     .ticks = UINT64_MAX});
    aggregate_loss(a, &(struct loss){.from_tsc = UINT64_MAX / 2 - 1,
                                     .to_tsc = UINT64_MAX / 2,
                                     .ticks = 1});
    aggregate_loss(a, &(struct loss){.from_tsc = 9, .to_tsc = 8, .ticks = 1});
    const struct profile *p = aggregate_profile(a);

    CHECK(p->cores[0].second_count <= 65536);
    CHECK_EQ(p->cores[0].total.samples, 3);
    aggregate_free(a);
}

TEST(reboot_goes_on_where_the_clock_ended) /* catches: negative time */
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    struct guest g = {.cores = 4, .tsc_hz = HZ, .boot_id = {2}};

    add_one(a, 0, 10, 7);
    add_one(a, 0, 12, 7);
    aggregate_hello(a, HELLO_REBOOT, &g);
    add_one(a, 0, 0, 7);
    add_one(a, 0, 3, 7);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->boots, 2);
    CHECK_EQ(p->sessions, 2);
    CHECK(fabs(p->duration_s - 5) < 1e-6);
    CHECK_EQ(p->cores[0].total.samples, 4);
    aggregate_free(a);
}

TEST(what_memory_has_no_room_for_is_folded) /* catches: samples left out */
{
    struct aggregate *a =
        start(&(struct aggregate_config){.memory_max = 200u << 10});
    uint64_t frames[127];

    for (uint64_t i = 0; i < 100000; i++) {
        add_one(a, 0, 0, i);
        frames[i % 127] = i;
        if (i < 1000)
            (void)stack(a, frames, 127);
    }
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->cores[0].total.samples, 100000);
    CHECK(p->cores[0].folded > 0);
    CHECK(p->cores[0].others.samples > 0);
    CHECK(p->cores[0].entry_count < 2000); /* of 112 bytes at least */
    CHECK(p->refused_stacks > 0);
    CHECK_EQ(p->refused_stacks + p->stack_count - 1, 1000);
    aggregate_free(a);
}

TEST(a_leaf_outlives_its_stack) /* catches: idle time that counts as busy */
{
    struct aggregate *a =
        start(&(struct aggregate_config){.memory_max = 300u << 10});
    struct sample s = {.tsc = 5000, .weight = 1};
    uint64_t samples[3] = {0};

    for (uint64_t i = 0; i < 3000; i++) {
        s.leaf = i % 3;
        s.stack = stack(a, &i, 1);
        add(a, 0, &s, 1);
    }
    const struct profile *p = aggregate_profile(a);
    const struct profile_core *c = &p->cores[0];

    CHECK_EQ(c->others.samples, 0);
    CHECK(c->folded > 1000 && c->folded < 3000);
    for (size_t i = 0; i < c->entry_count; i++)
        samples[c->entries[i].leaf] += c->entries[i].tally.samples;
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(samples[i], 1000);
    aggregate_free(a);
}

TEST(a_stack_that_is_kept_is_found_when_memory_is_up) /* catches: it is lost */
{
    struct aggregate *a =
        start(&(struct aggregate_config){.memory_max = 200u << 10});
    uint64_t frames[] = {1, 2, 3};
    uint32_t number = stack(a, frames, 3);

    for (uint64_t i = 0; i < 10000; i++)
        (void)stack(a, (uint64_t[]){i, i}, 2);
    CHECK_EQ(stack(a, frames, 3), number);
    CHECK_EQ(stack(a, (uint64_t[]){9999, 9999}, 2), STACK_OTHERS);
    aggregate_free(a);
}

TEST(cost_is_scaled_to_this_stream) /* catches: an agent's whole life charged */
{
    struct aggregate *a = start(&(struct aggregate_config){0});

    aggregate_account(a, 0, &(struct account){.samples = 100, .ring_full = 20});
    aggregate_stats(a, &(struct core_stats){.ticks = 1000, .cost_tsc = 5000});
    CHECK(aggregate_profile(a)->cores[0].cost_tsc == 600);
    aggregate_free(a);
}

static void steal(struct aggregate *a, uint64_t tsc, uint64_t ns)
{
    aggregate_stats(
        a, &(struct core_stats){.tsc = tsc, .has_steal = true, .steal_ns = ns});
}

/* catches: what the hypervisor counted before us, or across a reboot */
TEST(steal_time_adds_up_from_stats_to_stats_of_one_boot)
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    struct guest g = {.cores = 2, .tsc_hz = 1000000000};
    const struct profile *p;

    steal(a, 1000, 777000);
    p = aggregate_profile(a);
    CHECK(p->cores[0].steal_ns == 0 && p->cores[0].steal_tsc == 0);
    steal(a, 2000, 777050);
    steal(a, 4000, 777080);
    aggregate_hello(a, HELLO_REBOOT, &g);
    steal(a, 9000, 888000); /* more, and later: but of another life */
    steal(a, 9500, 888020);
    aggregate_hello(a, HELLO_SESSION, &g); /* a new session of the same one */
    steal(a, 9600, 888025);
    p = aggregate_profile(a);
    CHECK(p->cores[0].steal_ns == 80 + 25);
    CHECK(p->cores[0].steal_tsc == 3000 + 600);
    aggregate_free(a);
}

TEST(steal_time_that_is_not_told_or_goes_back_is_left_out)
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    const struct profile *p;

    steal(a, 1000, 100);
    aggregate_stats(a, &(struct core_stats){.tsc = 2000});
    steal(a, 3000, 500);
    steal(a, 4000, 400); /* less */
    steal(a, 4000, 500); /* no time between */
    steal(a, 3500, 600); /* the clock went back */
    p = aggregate_profile(a);
    CHECK(p->cores[0].steal_ns == 0 && p->cores[0].steal_tsc == 0);
    aggregate_free(a);
}

TEST(unknown_stack_has_no_frames) /* catches: a pointer to nowhere */
{
    struct aggregate *a = start(&(struct aggregate_config){0});
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(profile_stack(p, STACK_UNKNOWN).depth, 0);
    CHECK_EQ(profile_stack(p, STACK_UNKNOWN).end, WIRE_END_REASONS);
    CHECK_EQ(profile_stack(p, 999).depth, 0);
    aggregate_free(a);
}

TEST(stack_pool_tells_stacks_apart) /* catches: end, slots or words left out */
{
    static const uint64_t frames[] = {10, 20, 30};
    struct stack_pool p = {0};
    struct budget b = {.left = 1 << 20};
    const struct stack s[] = {
        {.frames = frames, .depth = 3},
        {.frames = frames, .depth = 2},
        {.frames = frames, .depth = 3, .end = WIRE_END_TEXT},
        {.frames = frames, .depth = 3, .slot_mask = 1, .words = {5}},
        {.frames = frames, .depth = 3, .slot_mask = 2, .words = {0, 5}},
        {.frames = frames, .depth = 3, .slot_mask = 1, .words = {6}},
        {.depth = 0},
    };
    size_t n = sizeof s / sizeof *s;

    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < n; i++)
            CHECK_EQ(stack_pool_add(&p, &s[i], &b), i + 1);
    for (size_t i = 0; i < n; i++) {
        struct stack got = stack_pool_get(&p, (uint32_t)i + 1);

        CHECK_EQ(got.depth, s[i].depth);
        CHECK_EQ(got.end, s[i].end);
        CHECK_EQ(got.slot_mask, s[i].slot_mask);
        CHECK_MEM(got.words, s[i].words, sizeof got.words);
        CHECK_MEM(got.frames, frames, got.depth * sizeof *frames);
    }
    stack_pool_fini(&p);
}

TEST(stack_pool_keeps_many) /* catches: a table that loses some as it grows */
{
    struct stack_pool p = {0};
    struct budget b = {.left = 1 << 30};

    for (int again = 0; again < 2; again++) {
        for (uint64_t i = 0; i < 50000; i++) {
            uint64_t frames[] = {i, i / 10, i / 100};
            struct stack s = {.frames = frames, .depth = 3};

            CHECK_EQ(stack_pool_add(&p, &s, &b), i + 1);
        }
    }
    CHECK_EQ(stack_pool_get(&p, 777).frames[0], 776);
    stack_pool_fini(&p);
}

/* Catches: a guest that was moved, counted apart */
TEST(merged_profiles_add_up_where_they_were_linked)
{
    static const uint64_t here[] = {0x500}, there[] = {0x10500};
    struct aggregate *one = start(&(struct aggregate_config){0});
    struct aggregate *two = start(&(struct aggregate_config){0});
    struct aggregate *sum = aggregate_new(&(struct aggregate_config){0});
    struct sample s = {.tsc = 10, .leaf = 0x400, .weight = 1};

    s.stack = stack(one, here, 1);
    add(one, 0, &s, 1);
    add(one, 3, &s, 1);
    s.stack = stack(two, there, 1);
    s.leaf = 0x10400;
    s.weight = 3;
    add(two, 1, &s, 1);
    s.stack = STACK_UNKNOWN;
    add(two, 1, &s, 1);
    /* its clock runs at half the speed, so its ticks are twice as long */
    struct guest slow = {.cores = 4, .tsc_hz = HZ / 2, .boot_id = {1}};
    aggregate_hello(two, HELLO_SESSION, &slow);

    aggregate_merge(sum, aggregate_profile(one), (uint64_t[]){0});
    aggregate_merge(sum, aggregate_profile(two), (uint64_t[]){0x10000});
    const struct profile *p = aggregate_profile(sum);

    CHECK(p->has_guest);
    CHECK_EQ(p->core_count, 1);
    CHECK_EQ(p->cores[0].entry_count, 2);
    const struct profile_entry *e = p->cores[0].entries;

    CHECK_EQ(e[0].leaf, 0x400);
    CHECK_EQ(profile_stack(p, e[0].stack).frames[0], 0x500);
    CHECK_EQ(e[0].tally.samples, 3);
    CHECK_EQ(e[0].tally.weight, 5);
    CHECK(e[0].tally.time == 200 + 200 + 2 * 600);
    CHECK(e[0].tally.time_sq == 2 * 200. * 200 + 1200. * 1200);
    CHECK_EQ(e[1].stack, STACK_UNKNOWN);
    CHECK_EQ(e[1].tally.samples, 1);
    aggregate_free(one);
    aggregate_free(two);
    aggregate_free(sum);
}

static const struct guest with_text = {
    .cores = 4, .tsc_hz = HZ, .text_start = 0x1000, .text_size = 0x1000};

static void map_at(struct aggregate *a, uint64_t start)
{
    struct guest_map map = {.start = start, .size = 0x1000, .name = "app"};

    CHECK_EQ(aggregate_map(a, &map), MAPS_TAKEN);
}

/* Catches: an application that lies elsewhere, counted apart */
TEST(merged_profiles_add_up_in_each_image)
{
    static const uint64_t here[] = {0x6000, 0x1500}, /* its last call */
        there[] = {0xa000, 0x11500};
    struct aggregate *one = aggregate_new(&(struct aggregate_config){0});
    struct aggregate *two = aggregate_new(&(struct aggregate_config){0});
    struct aggregate *sum = aggregate_new(&(struct aggregate_config){0});
    struct sample s = {.tsc = 10, .leaf = 0x5400, .weight = 1};
    struct guest moved = with_text;

    moved.text_start += 0x10000;
    aggregate_hello(one, HELLO_FIRST, &with_text);
    aggregate_hello(two, HELLO_FIRST, &moved);
    map_at(one, 0x5000);
    map_at(two, 0x9000);
    s.stack = aggregate_stack(
        one, 0,
        &(struct stack){
            .frames = here, .depth = 2, .slot_mask = 1, .words = {here[0]}});
    add(one, 0, &s, 1);
    s.leaf = 0x9400;
    s.stack = aggregate_stack(
        two, 0,
        &(struct stack){
            .frames = there, .depth = 2, .slot_mask = 1, .words = {there[0]}});
    add(two, 0, &s, 1);
    s.leaf = LEAF_UNKNOWN; /* it stays so */
    s.stack = STACK_UNKNOWN;
    add(two, 0, &s, 1);
    aggregate_merge(sum, aggregate_profile(one), (uint64_t[]){0, 0});
    aggregate_merge(sum, aggregate_profile(two), (uint64_t[]){0x4000, 0x10000});
    const struct profile *p = aggregate_profile(sum);

    CHECK_EQ(p->cores[0].entry_count, 2);
    CHECK_EQ(p->cores[0].entries[1].leaf, LEAF_UNKNOWN);
    CHECK_EQ(p->cores[0].entries[0].leaf, 0x5400);
    CHECK_EQ(p->cores[0].entries[0].tally.samples, 2);
    aggregate_free(one);
    aggregate_free(two);
    aggregate_free(sum);
}
