/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports on guests whose figures cannot be: none is shown, all are told. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "diagnose/diagnose.h"
#include "export/formats.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "report/render.h"
#include "view/view_build.h"

#define HZ 1000u /* of the guest's clock, if it does not lie */

static struct aggregate *a;
static char *text;
static struct stack chain;
static bool stack_lost; /* of further samples */

/* A guest of one core whose clock runs at (hz). */
static void begin(uint64_t hz)
{
    const struct guest g = {.cores = 1, .tsc_hz = hz};

    a = aggregate_new(&(struct aggregate_config){0});
    CHECK(a != NULL);
    aggregate_hello(a, HELLO_FIRST, &g);
    chain.end = WIRE_END_ZERO;
}

static void sample(struct sample s, uint8_t shift, uint16_t period)
{
    s.leaf = 1;
    s.weight += s.weight == 0;
    s.stack = stack_lost ? STACK_UNKNOWN : aggregate_stack(a, 0, &chain);
    aggregate_samples(
        a, &(struct sample_batch){
               .shift = shift, .period = period, .samples = &s, .count = 1});
}

/* The report of it all, in (text). */
static void report(const char *format)
{
    static struct remarks remarks;
    struct image_map *map = image_map_new(&(struct mapped_image){0}, 0);
    size_t size;

    free(text);
    FILE *out = open_memstream(&text, &size);

    aggregate_account(a, 0, &(struct account){.samples = 20});
    const struct profile *p = aggregate_profile(a);
    struct view *v = view_new(p, map, 0);

    CHECK(p != NULL && v != NULL && out != NULL);
    remarks = (struct remarks){0};
    diagnose_profile(&remarks, p, v);
    format_by_name(format)->write(
        &(struct render){.out = out},
        &(struct report){
            .profile = p, .view = v, .remarks = &remarks, .details = true});
    CHECK_EQ(fclose(out), 0);
    view_free(v);
    image_map_free(map);
    aggregate_free(a);
}

/* Does the report say (words), however its lines are broken? */
static bool says(const char *words)
{
    for (const char *from = text; *from != '\0'; from++) {
        const char *at = from;

        for (const char *w = words; *w != '\0'; w++) {
            if (*w == ' ' && (*at == ' ' || *at == '\n'))
                at += strspn(at, " \n");
            else if (*at == *w)
                at++;
            else
                break;
            if (w[1] == '\0')
                return true;
        }
    }
    return false;
}

TEST(guest_of_sense_gets_no_remark) /* catches: honest guests called liars */
{
    begin(HZ);
    for (uint64_t i = 0; i < 20; i++)
        sample((struct sample){.tsc = i * 10, .late = 9}, 0, 10);
    aggregate_stats(a, &(struct core_stats){.ticks = 20, .cost_tsc = 20});
    aggregate_host_clock(a, 0, .1);
    report("txt");
    CHECK(!says("sense"));
    CHECK(says("Lateness: 99 of 100 samples came under"));
    CHECK(
        says("Cost of the profiler: 10.53 % of the cores' time, 1 ms a tick"));
    CHECK(says("in 0.2 s"));
}

TEST(cost_of_more_than_all_time_is_left_out) /* catches: 9481262373411570 % */
{
    begin(HZ);
    for (uint64_t i = 0; i < 20; i++)
        sample((struct sample){.tsc = i * 10}, 0, 10);
    aggregate_stats(a, &(struct core_stats){.ticks = 1, .cost_tsc = HZ});
    report("txt");
    CHECK(says("! The cost of the profiler that the guest reports is wrong"));
    CHECK(!says("Cost of the profiler:"));
}

TEST(tick_of_minutes_makes_no_sense_without_time_either)
{
    begin(1);
    sample((struct sample){.tsc = 5}, 0, 10);
    aggregate_stats(a, &(struct core_stats){.ticks = 1, .cost_tsc = 70});
    report("txt");
    CHECK(says("! The cost of the profiler that the guest reports is wrong"));
    CHECK(!says("Cost of the profiler:"));
}

TEST(clock_of_years_is_no_clock) /* catches: 10696049115004928 seconds */
{
    begin(1);
    sample((struct sample){.tsc = 5}, 0, 10);
    sample((struct sample){.tsc = 1ull << 62}, 0, 10);
    report("txt");
    CHECK(says("! The guest's clock is wrong"));
    CHECK(says("2 samples of 1 core, none known to be lost !"));
}

TEST(clock_that_arrivals_contradict_is_told)
{
    begin(HZ);
    sample((struct sample){.tsc = 0}, 0, 10);
    sample((struct sample){.tsc = 500 * HZ}, 0, 10);
    aggregate_host_clock(a, 0, 2);
    report("txt");
    CHECK(says("the samples span 500.0 s, but they arrived within 2.0 s"));
}

TEST(jump_of_the_clock_is_no_contradiction) /* catches: a migrated guest lies */
{
    begin(HZ);
    sample((struct sample){.tsc = 0}, 0, 10);
    sample((struct sample){.tsc = 500 * HZ,
                           .weight = 50000,
                           .flags = WIRE_SAMPLE_JUMP},
           0, 10);
    aggregate_host_clock(a, 0, 2);
    report("txt");
    CHECK(!says("sense"));
}

TEST(jump_of_years_has_no_seconds)
{
    begin(1);
    sample((struct sample){.tsc = 5}, 0, 10);
    sample((struct sample){.tsc = 6,
                           .weight = UINT32_MAX,
                           .flags = WIRE_SAMPLE_JUMP},
           0, 10);
    report("txt");
    CHECK(says("Jumps of the clock on core 0: 1, of years together"));
}

TEST(lateness_is_at_most_all_time) /* catches: 3906305045927015 % */
{
    begin(HZ);
    sample((struct sample){.tsc = 0, .late = UINT32_MAX}, 0, 10);
    sample((struct sample){.tsc = 10}, 0, 10);
    report("txt");
    CHECK(says("! The lateness that the guest reports is wrong"));
    CHECK(says("Late: 50.0 % of the busy time"));
}

TEST(stolen_time_is_at_most_all_time)
{
    begin(HZ);
    sample((struct sample){.tsc = 0}, 0, 10);
    aggregate_stats(a, &(struct core_stats){.has_steal = true, .tsc = 1});
    aggregate_stats(a, &(struct core_stats){.has_steal = true,
                                            .tsc = 2,
                                            .steal_ns = UINT64_MAX - 1});
    report("txt");
    CHECK(says("! The stolen time that the guest reports is wrong"));
    CHECK(says("took 100.0 % of core 0's time away"));
}

/* Catches: samples by the time that jumps leave of the whole: 10^18 a second */
TEST(rate_is_at_most_what_a_timer_can)
{
    begin(1000000000);
    sample((struct sample){.tsc = 0}, 0, 10);
    sample((struct sample){.tsc = 10, .weight = 1}, 0, 10);
    report("txt");
    CHECK(says("more than 1000000 achieved"));
}

/* Catches: a number that is undefined, and none that a reader can keep */
TEST(folded_counts_have_an_end)
{
    begin(HZ);
    sample((struct sample){.tsc = 0, .weight = UINT32_MAX}, 40, UINT16_MAX);
    sample((struct sample){.tsc = 10, .leaf = 2}, 0, 1);
    report("folded");
    CHECK(says(" 9007199254740992\n"));
}

static void lose_stacks(unsigned lost, unsigned known)
{
    begin(HZ);
    for (unsigned i = 0; i < lost + known; i++) {
        stack_lost = i < lost;
        sample((struct sample){.tsc = (uint64_t)i * 10}, 0, 10);
    }
    report("txt");
}

TEST(lost_stacks_are_warned_of) /* catches: a TOTAL that is a fiftieth of it */
{
    lose_stacks(197, 3);
    CHECK(says("! The stacks of 98.5 % of the samples were lost in transport"));
    CHECK(says("TOTAL % of callers is too small"));
    lose_stacks(3, 197);
    CHECK(says("Note: The stacks of 1.5 % of the samples were lost"));
}
