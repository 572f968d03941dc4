/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sample of each core a snapshot is made of, and how old it says it is.
 */
#include "check.h"

#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "stacks/snapshot.h"
#include "util/arena.h"
#include "view/view_build.h"

#define HZ 1000000u /* of the guest's clock */

struct bed {
    uint16_t period; /* of the samples that are added */
    struct aggregate *aggregate;
    struct image_map *image_map;
    struct view *view;
    struct arena arena;
};

static void begin(struct bed *b, uint32_t features)
{
    struct guest g = {.cores = 3, .tsc_hz = HZ, .features = features};

    *b = (struct bed){.period = 1,
                      .aggregate = aggregate_new(&(struct aggregate_config){0}),
                      .image_map = image_map_new(&(struct mapped_image){0}, 0)};
    CHECK(b->aggregate != NULL && b->image_map != NULL);
    CHECK_EQ(aggregate_hello(b->aggregate, HELLO_FIRST, &g), 0);
}

/* Samples of (core) at the times from (first) to (last), each of the address
 * that is its time. */
static void add(struct bed *b, uint32_t core, uint64_t first, uint64_t last)
{
    struct sample samples[100];
    struct sample_batch batch = {
        .core = core, .period = b->period, .samples = samples};

    for (uint64_t tsc = first; tsc <= last; tsc++)
        samples[batch.count++] =
            (struct sample){.tsc = tsc, .leaf = tsc, .weight = 1};
    aggregate_samples(b->aggregate, &batch);
}

static const struct snapshot *look(struct bed *b, double quiet_s, double wait_s)
{
    const struct profile *p = aggregate_profile(b->aggregate);
    const struct snapshot *s;

    CHECK(p != NULL);
    b->view = view_new(p, b->image_map, 0);
    CHECK(b->view != NULL);
    s = snapshot_new(p, b->view, b->image_map, quiet_s, wait_s, NULL,
                     &b->arena);
    CHECK(s != NULL);
    return s;
}

static void end(struct bed *b)
{
    view_free(b->view);
    image_map_free(b->image_map);
    arena_fini(&b->arena);
    aggregate_free(b->aggregate);
}

TEST(newest_sample_is_shown_with_its_age) /* catches: the first, or a sum */
{
    struct bed b;

    begin(&b, 0);
    add(&b, 0, 1000, 1009);
    add(&b, 1, 1000, 1000);
    add(&b, 1, 1002, 1003);
    const struct snapshot *s = look(&b, 2, 2.000001);

    CHECK_EQ(s->count, 3);
    CHECK_STR(s->cores[0].frames[0].function, "0x3f1");
    CHECK(s->cores[0].age_s == 2);
    CHECK(!s->cores[0].late);
    CHECK_STR(s->cores[1].frames[0].function, "0x3eb");
    CHECK(s->cores[1].age_s > 2.0000059 && s->cores[1].age_s < 2.0000061);
    CHECK(s->cores[1].late);
    CHECK_EQ(s->cores[2].state, SNAPSHOT_NONE);
    CHECK_EQ(s->cores[2].count, 0);
    end(&b);
}

/* Catches: cores of different moments, where the end cut between them */
TEST(guest_that_stood_still_is_shown_at_one_moment)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    add(&b, 0, 1000, 1010);
    add(&b, 1, 1000, 1011);
    add(&b, 2, 1000, 1013);
    const struct snapshot *s = look(&b, 0, 1);

    for (size_t i = 0; i < 3; i++) {
        CHECK_STR(s->cores[i].frames[0].function, "0x3f2");
        CHECK(s->cores[i].age_s > 2.9e-6 && s->cores[i].age_s < 3.1e-6);
        CHECK(!s->cores[i].apart);
    }
    end(&b);
}

/* Catches: a core that was not looked at with the others, passed off as if it
 * were, or as if it were the moment of all */
TEST(core_of_another_moment_is_marked)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    add(&b, 0, 1000, 1010);
    add(&b, 1, 1000, 1012);
    add(&b, 2, 1000, 1003);
    const struct snapshot *s = look(&b, 0, 1);

    CHECK_STR(s->cores[0].frames[0].function, "0x3f2");
    CHECK_STR(s->cores[1].frames[0].function, "0x3f2");
    CHECK_STR(s->cores[2].frames[0].function, "0x3eb");
    CHECK(!s->cores[0].apart && !s->cores[1].apart && s->cores[2].apart);
    CHECK(s->cores[0].age_s > 1.9e-6 && s->cores[0].age_s < 2.1e-6);
    CHECK(s->cores[2].age_s > 8.9e-6 && s->cores[2].age_s < 9.1e-6);
    end(&b);
}

/* Catches: a moment that only core 0 is asked for */
TEST(core_0_may_be_the_one_of_another_moment)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    add(&b, 0, 1000, 1003);
    add(&b, 1, 1000, 1010);
    add(&b, 2, 1000, 1012);
    const struct snapshot *s = look(&b, 0, 1);

    CHECK_STR(s->cores[0].frames[0].function, "0x3eb");
    CHECK_STR(s->cores[1].frames[0].function, "0x3f2");
    CHECK_STR(s->cores[2].frames[0].function, "0x3f2");
    CHECK(s->cores[0].apart && !s->cores[1].apart && !s->cores[2].apart);
    end(&b);
}

/* Catches: the moment of whichever core comes first */
TEST(of_cores_that_share_no_moment_the_newest_is_shown)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    add(&b, 0, 1000, 1000);
    add(&b, 1, 1020, 1020);
    add(&b, 2, 1010, 1010);
    const struct snapshot *s = look(&b, 0, 1);

    CHECK(s->cores[0].apart && !s->cores[1].apart && s->cores[2].apart);
    CHECK(s->cores[1].age_s == 0);
    end(&b);
}

/* Catches: cores that stood still at once taken for others, since their times
 * came rounded; or ages that tell the rounding */
TEST(times_within_a_quarter_of_the_period_are_one_moment)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    b.period = 8;
    add(&b, 0, 1000, 1000);
    add(&b, 1, 1002, 1002);
    add(&b, 2, 1005, 1005);
    const struct snapshot *s = look(&b, 0, 1);

    CHECK(!s->cores[0].apart && !s->cores[1].apart && s->cores[2].apart);
    CHECK(s->cores[0].age_s == s->cores[1].age_s);
    end(&b);
}

/* Catches: what one core tells added up, or an agent's cost taken for it */
TEST(how_long_a_guest_stood_is_told)
{
    struct bed b;

    begin(&b, WIRE_FEATURE_OUTSIDE);
    add(&b, 0, 1000, 1010);
    CHECK(look(&b, 0, 1)->stood_s < 0);
    view_free(b.view);
    for (uint32_t core = 0; core < 2; core++)
        aggregate_stats(b.aggregate,
                        &(struct core_stats){.core = core,
                                             .flags = WIRE_STATS_STARTED,
                                             .cost_tsc = HZ / 4});
    CHECK(look(&b, 0, 1)->stood_s == .25);
    view_free(b.view);
    CHECK(look(&b, 0, 0)->stood_s < 0); /* a recording's end */
    end(&b);
    begin(&b, 0);
    add(&b, 0, 1000, 1010);
    aggregate_stats(
        b.aggregate,
        &(struct core_stats){.flags = WIRE_STATS_STARTED, .cost_tsc = HZ / 4});
    CHECK(look(&b, 0, 1)->stood_s < 0);
    end(&b);
}

/* Catches: cores that sample taken for silent ones, and the other way round */
TEST(core_without_counters_is_off_when_others_have_some)
{
    struct bed b;

    begin(&b, 0);
    add(&b, 0, 1000, 1000);
    const struct snapshot *s = look(&b, 0, 1);

    CHECK(!s->cores[1].off && !s->cores[2].off);
    view_free(b.view);
    aggregate_stats(b.aggregate, &(struct core_stats){
                                     .core = 1, .flags = WIRE_STATS_STARTED});
    s = look(&b, 0, 1);
    CHECK(!s->cores[0].off && !s->cores[1].off && s->cores[2].off);
    end(&b);
}
