/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounts and costs of a part of a profile. */
#include "check.h"
#include "diagnose/cost.h"
#include "diagnose/selected.h"

static const struct profile_second seconds[] = {{10, 1}, {10, 2}, {10, 4}};
static struct profile_core cores[2];
static struct profile profile;

/* Two cores of 3 seconds, with 37 ticks each; core 1 is not selected. */
static void begin(double from_s, double to_s)
{
    for (uint32_t i = 0; i < 2; i++)
        cores[i] = (struct profile_core){
            .core = i,
            .selected = i == 0,
            .total = {.samples = 15, .weight = 20},
            .account = {.samples = 30, .ring_full = 7, .missed = 9},
            .cost_tsc = 37,
            .seconds = seconds,
            .second_count = 3};
    profile = (struct profile){.cores = cores,
                               .core_count = 2,
                               .tsc_hz = 10,
                               .duration_s = 3,
                               .from_s = from_s,
                               .to_s = to_s};
}

TEST(whole_time_has_the_account_of_the_stream)
{
    begin(0, 0);
    struct account a = selected_account(&profile, &cores[0]);

    CHECK_EQ(a.samples, 30);
    CHECK_EQ(a.ring_full, 7);
    CHECK(!selected_span(&profile).part);
    begin(0, 8);
    CHECK(!selected_span(&profile).part);
    CHECK(selected_span(&profile).to_s == 3);
}

TEST(other_cores_have_no_account) /* catches: losses of core 1 in core 0's */
{
    begin(0, 0);
    CHECK_EQ(account_deadlines(&(struct account){0}), 0);
    struct account a = selected_account(&profile, &cores[1]);

    CHECK_EQ(account_deadlines(&a), 0);
    CHECK_EQ(cost_of(&profile).cores, 1);
}

TEST(part_of_the_time_has_its_own_losses) /* catches: those of the whole run */
{
    begin(1.5, 2.5);
    struct account a = selected_account(&profile, &cores[0]);

    CHECK_EQ(a.samples, 15);
    CHECK_EQ(a.missed, 5);
    CHECK_EQ(account_ticks(&a) - a.samples, 6);
    begin(0, 1);
    a = selected_account(&profile, &cores[0]);
    CHECK_EQ(account_ticks(&a) - a.samples, 1);
    begin(7, 0);
    CHECK(selected_span(&profile).from_s == 3);
}

/* Catches: all ticks' cost in a part of the time. A tick costs 1. */
TEST(cost_is_of_the_selected_time)
{
    begin(1.5, 2.5);
    struct cost cost = cost_of(&profile);

    CHECK(cost.tick > .999 && cost.tick < 1.001);
    CHECK(cost.share > 2.0999 && cost.share < 2.1001); /* 21 ticks of 10 */
}

/* Catches: the whole stream's in the account of what is left. */
TEST(what_is_left_has_its_own_samples)
{
    const struct profile_entry entries[] = {
        {.stack = STACK_UNKNOWN, .tally = {.samples = 2}},
        {.stack = 1, .tally = {.samples = 13}}};

    begin(0, 0);
    cores[0].entries = entries;
    cores[0].entry_count = 2;
    cores[0].account.unknown_stack = 9;
    cores[0].left_out = (struct tally){.samples = 15, .weight = 18};
    struct account a = selected_rest(&profile, &cores[0]);

    CHECK_EQ(a.samples, 15);
    CHECK_EQ(a.missed, 6);
    CHECK_EQ(a.ring_full, 7);
    CHECK_EQ(a.unknown_stack, 2);
    a = selected_rest_of_all(&profile); /* core 1 is not selected */
    CHECK_EQ(account_ticks(&a) - a.samples, 7);
    CHECK_EQ(a.samples, 15);
}
