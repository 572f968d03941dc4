/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency divides each sample by the number of busy cores at that time. */
#include "view/time/latency.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define HZ     1000000u
#define PERIOD 1000u /* 1 ms */

static struct aggregate *aggregate;
static struct image_map *image_map;
static struct view *view;

static void begin(uint64_t memory)
{
    const struct guest guest = {.cores = 4, .tsc_hz = HZ};

    aggregate = aggregate_new(&(struct aggregate_config){.memory_max = memory});
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
}

/* Samples of (leaf), called from (caller) unless that is 0: one at the end of
 * each millisecond from (from) to (to). */
static void run(uint32_t core, unsigned from, unsigned to, uint64_t leaf,
                uint64_t caller, uint8_t end)
{
    const struct stack stack = {
        .frames = &caller, .depth = caller != 0, .end = end};

    for (unsigned ms = from; ms < to; ms++) {
        struct sample s = {.tsc = (ms + 1) * PERIOD,
                           .leaf = leaf,
                           .stack = aggregate_stack(aggregate, core, &stack),
                           .weight = 1};

        aggregate_samples(aggregate, &(struct sample_batch){.core = core,
                                                            .period = PERIOD,
                                                            .samples = &s,
                                                            .count = 1});
    }
}

static struct latency *end(void)
{
    const struct profile *p = aggregate_profile(aggregate);

    view = view_new(p, image_map, 0);
    CHECK(view != NULL);
    struct latency *l = latency_new(p, view);

    CHECK(l != NULL);
    return l;
}

static void fini(struct latency *l)
{
    latency_free(l);
    view_free(view);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

static const struct latency_sum *of(const struct latency *l, const char *name)
{
    for (size_t i = 0; i < view->function_count; i++)
        if (strcmp(view->functions[i].name, name) == 0)
            return &l->functions[i];
    CHECK(false);
    return NULL;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

/* Core 0 works alone for 100 ms, then all four cores work for 100 ms.
 * catches: a share of CPU in the place of latency */
TEST(code_that_runs_alone_counts_in_full)
{
    begin(0);
    run(0, 0, 100, 0x1000, 0, WIRE_END_ZERO);
    for (uint32_t core = 0; core < 4; core++)
        run(core, 100, 200, 0x2000, 0, WIRE_END_ZERO);
    struct latency *l = end();

    CHECK(near(of(l, "0x1000")->self.time, 100 * PERIOD));
    CHECK(near(of(l, "0x2000")->self.time, 100 * PERIOD));
    CHECK(near(l->whole.time, 200 * PERIOD));
    CHECK_EQ(of(l, "0x2000")->self.samples, 400u);
    CHECK(!l->cut);
    fini(l);
}

/* catches: a core that is away counts as busy until its last sample's end */
TEST(a_core_without_samples_is_not_busy)
{
    begin(0);
    run(0, 0, 300, 0x1000, 0, WIRE_END_ZERO);
    run(1, 0, 100, 0x2000, 0, WIRE_END_ZERO);
    run(1, 200, 300, 0x2000, 0, WIRE_END_ZERO);
    struct latency *l = end();

    /* the sample after the gap stands for 1.5 ms at most */
    CHECK(of(l, "0x1000")->self.time >= 199.5 * PERIOD);
    CHECK(of(l, "0x1000")->self.time <= 200.0 * PERIOD);
    CHECK(near(of(l, "0x2000")->self.time, 100 * PERIOD));
    fini(l);
}

TEST(time_without_ticks_is_not_busy) /* catches: [timer at rest] as work */
{
    begin(0);
    run(0, 0, 100, 0x1000, 0, WIRE_END_ZERO);
    run(1, 0, 100, 0x2000, 0, WIRE_END_REST);
    struct latency *l = end();

    CHECK(near(of(l, "0x1000")->self.time, 100 * PERIOD));
    CHECK(near(l->whole.time, 100 * PERIOD));
    fini(l);
}

/* catches: a recursive function that counts twice */
TEST(callers_have_the_latency_of_what_they_call)
{
    begin(0);
    run(0, 0, 100, 0x1000, 0x3001, WIRE_END_ZERO);
    run(1, 0, 100, 0x3000, 0x3001, WIRE_END_ZERO);
    struct latency *l = end();

    CHECK(near(of(l, "0x1000")->total.time, 50 * PERIOD));
    CHECK(near(of(l, "0x3000")->self.time, 50 * PERIOD));
    CHECK(near(of(l, "0x3000")->total.time, 100 * PERIOD));
    fini(l);
}
