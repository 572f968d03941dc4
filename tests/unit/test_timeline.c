/* SPDX-License-Identifier: BSD-2-Clause */
/* What a time line says adds up to the profile, and lies where it was. */
#include "view/time/timeline.h"

#include <math.h>
#include <time.h>

#include "check.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define HZ     1000000u
#define PERIOD 1000u

static struct aggregate *aggregate;
static struct image_map *image_map;
static struct view *view;

static void begin(void)
{
    const struct guest guest = {.cores = 2, .tsc_hz = HZ};

    aggregate = aggregate_new(&(struct aggregate_config){0});
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
}

/* A sample (ms) after the guest's clock began, for (weight) intervals. */
static void sample(uint32_t core, double ms, uint32_t weight, uint8_t end,
                   uint32_t late)
{
    struct sample s = {
        .tsc = (uint64_t)(ms * 1000),
        .leaf = 0x1000,
        .stack = aggregate_stack(aggregate, core, &(struct stack){.end = end}),
        .weight = weight,
        .late = late};

    aggregate_samples(aggregate, &(struct sample_batch){.core = core,
                                                        .period = PERIOD,
                                                        .samples = &s,
                                                        .count = 1});
}

static struct timeline *end(double from_s, double to_s, size_t count)
{
    const struct profile *p = aggregate_profile(aggregate);

    view = view_new(p, image_map, 0);
    CHECK(view != NULL);
    struct timeline *t = timeline_new(p, view, from_s, to_s, count);

    CHECK(t != NULL);
    return t;
}

static void fini(struct timeline *t)
{
    timeline_free(t);
    view_free(view);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

TEST(a_sample_is_spread_over_the_time_before_it)
{
    begin();
    sample(0, 0, 1, WIRE_END_ZERO, 0);
    sample(0, 100, 100, WIRE_END_ZERO, LATE_TICKS);
    struct timeline *t = end(0, 0.1, 10);

    for (size_t i = 0; i < 10; i++) {
        const struct timeline_slice *s = timeline_at(t, 0, i);

        CHECK(near(s->busy, 10000));
        CHECK(near(s->late, 10000));
        CHECK(s->idle == 0 && s->unseen == 0 && s->lost == 0);
        CHECK(timeline_at(t, 1, i)->busy == 0);
    }
    fini(t);
}

/* Catches: another lateness than that of functions. */
TEST(a_sample_that_is_a_little_late_is_not_late)
{
    begin();
    sample(0, 0, 1, WIRE_END_ZERO, 0);
    sample(0, 100, 100, WIRE_END_ZERO, LATE_TICKS - 1);
    struct timeline *t = end(0, 0.1, 1);

    CHECK(near(timeline_at(t, 0, 0)->busy, 100000));
    CHECK(timeline_at(t, 0, 0)->late == 0);
    fini(t);
}

TEST(late_time_is_in_its_slice) /* catches: all of it where the sample came */
{
    begin();
    sample(0, 0, 1, WIRE_END_ZERO, 0);
    sample(1, 0, 1, WIRE_END_ZERO, 0);
    for (unsigned ms = 1; ms <= 100; ms++)
        sample(ms <= 50, ms, 1, ms & 1 ? WIRE_END_ZERO : WIRE_END_REST, 0);
    struct timeline *t = end(0, 0.1, 2);

    CHECK(near(timeline_at(t, 1, 0)->busy, 25000));
    CHECK(near(timeline_at(t, 1, 0)->unseen, 25000));
    CHECK(near(timeline_at(t, 1, 1)->busy, 0));
    CHECK(near(timeline_at(t, 0, 0)->busy, 0));
    CHECK(near(timeline_at(t, 0, 1)->busy, 25000));
    fini(t);
}

TEST(a_part_of_the_run_has_its_part) /* catches: what is before in slice 0 */
{
    begin();
    for (unsigned ms = 0; ms <= 1000; ms++)
        sample(0, ms, 1, WIRE_END_ZERO, 0);
    struct timeline *t = end(0.25, 0.75, 5);

    for (size_t i = 0; i < 5; i++)
        CHECK(near(timeline_at(t, 0, i)->busy, 100000));
    fini(t);
}

TEST(losses_lie_in_their_second)
{
    begin();
    sample(0, 0, 1, WIRE_END_ZERO, 0);
    sample(0, 4000, 1, WIRE_END_ZERO, 0);
    aggregate_loss(aggregate, &(struct loss){.core = 0,
                                             .from_tsc = 2100000,
                                             .to_tsc = 2200000,
                                             .ticks = 7});
    struct timeline *t = end(0, 4, 8);

    for (size_t i = 0; i < 8; i++)
        CHECK(near(timeline_at(t, 0, i)->lost,
                   i == 4 || i == 5 ? 3.5 * PERIOD : 0));
    fini(t);
}

TEST(clocks_that_lie_cost_no_time) /* catches: a loop over what was claimed */
{
    clock_t started = clock();

    begin();
    for (unsigned i = 0; i < 100000; i++)
        sample(0, i % 2 ? 4e6 : 0, UINT32_MAX, WIRE_END_ZERO, UINT32_MAX);
    fini(end(0, 4000, 10000));
    CHECK(clock() - started < 2 * CLOCKS_PER_SEC); /* 0.1 s, not 14 s */
}

TEST(without_a_clock_there_are_no_slices)
{
    struct timeline *t =
        timeline_new(&(struct profile){0}, &(struct view){0}, 0, 1, 10);

    CHECK(t != NULL && t->count == 0);
    timeline_free(t);
}
