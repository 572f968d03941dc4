/* SPDX-License-Identifier: BSD-2-Clause */
/* Every sample has its moment, and moments add up to their entries. */
#include "profile/aggregate/sample_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "profile/aggregate/aggregate.h"

#define CORES   3u
#define SAMPLES 20000u

/* A sample as it was made, in TSC ticks. */
struct made {
    uint64_t tsc, late;
    uint64_t leaf;
    uint32_t weight;
    double time;
    bool jump;
};

static struct made made[CORES][SAMPLES];
static size_t made_count[CORES];
static uint64_t seed = 1;

static uint64_t roll(uint64_t sides)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % sides;
}

/* A batch of a unit and a period that change now and then. */
static void add_batch(struct aggregate *a, uint64_t *tsc)
{
    struct sample s[100];
    struct sample_batch batch = {
        .core = (uint32_t)roll(CORES),
        .shift = (uint8_t)(roll(20) != 0 ? 6 : roll(12)),
        .period = (uint16_t)(roll(20) != 0 ? 1000 : roll(65536)),
        .samples = s,
        .count = 1 + roll(100)};

    for (size_t i = 0; i < batch.count; i++) {
        bool jump = roll(200) == 0;

        *tsc = ((*tsc >> batch.shift) + roll(roll(50) ? 2000 : 1u << 31))
               << batch.shift;
        s[i] = (struct sample){.tsc = *tsc,
                               .leaf = 0x1000 + roll(roll(2) ? 4 : 3000),
                               .stack = STACK_UNKNOWN,
                               .late = (uint32_t)roll(roll(9) ? 8 : 1u << 30),
                               .weight = 1 + (uint32_t)roll(9) / 8 * 77,
                               .flags = jump ? WIRE_SAMPLE_JUMP : 0};
        made[batch.core][made_count[batch.core]++] = (struct made){
            .tsc = *tsc,
            .late = jump ? 0 : (uint64_t)s[i].late << batch.shift,
            .leaf = s[i].leaf,
            .weight = jump ? 1 : s[i].weight,
            .time = (double)((uint64_t)batch.period << batch.shift) *
                    (jump ? 1 : s[i].weight),
            .jump = jump};
    }
    aggregate_samples(a, &batch);
}

static struct aggregate *fill(uint64_t memory)
{
    struct aggregate *a =
        aggregate_new(&(struct aggregate_config){.memory_max = memory});
    struct guest g = {.cores = CORES, .tsc_hz = 1000000000, .boot_id = {1}};
    uint64_t tsc = 123456789;

    memset(made_count, 0, sizeof made_count);
    CHECK(a != NULL);
    aggregate_hello(a, HELLO_FIRST, &g);
    for (unsigned i = 0; i < 400; i++)
        add_batch(a, &tsc);
    return a;
}

/* The moments of core (core) are the first samples that it made. Returns how
 * many there are. */
static size_t check_core(const struct profile *p, uint32_t core)
{
    const struct profile_core *c = &p->cores[core];
    struct sample_log_reader r = sample_log_read(c);
    struct moment m;
    size_t n = 0;

    for (; sample_log_next(&r, &m); n++) {
        const struct made *was = &made[core][n];

        CHECK(n < made_count[core]);
        CHECK_EQ(m.ticks, (int64_t)(was->tsc - p->start_tsc));
        CHECK_EQ(m.weight, was->weight);
        CHECK_EQ(m.late, was->late);
        CHECK(m.time == was->time && m.jump == was->jump);
        if (m.entry != MOMENT_OTHERS)
            CHECK_EQ(c->entries[m.entry].leaf, was->leaf);
    }
    return n;
}

TEST(each_sample_has_its_moment)
{
    struct aggregate *a = fill(0);
    const struct profile *p = aggregate_profile(a);

    for (uint32_t core = 0; core < CORES; core++) {
        CHECK_EQ(check_core(p, core), made_count[core]);
        CHECK(p->cores[core].moments_until == INT64_MAX);
    }
    aggregate_free(a);
}

TEST(what_has_no_room_is_behind_what_is_told) /* catches: holes */
{
    struct aggregate *a = fill(64 * 1024);
    const struct profile *p = aggregate_profile(a);
    bool cut = false;

    for (uint32_t core = 0; core < CORES; core++) {
        int64_t until = p->cores[core].moments_until;
        size_t n = check_core(p, core);

        CHECK((until == INT64_MAX) == (n == made_count[core]));
        cut |= until != INT64_MAX;
        if (until != INT64_MAX && n != 0)
            CHECK_EQ(until, (int64_t)(made[core][n - 1].tsc - p->start_tsc));
    }
    CHECK(cut);
    aggregate_free(a);
}

TEST(a_core_without_samples_has_no_moments)
{
    struct profile_core none = {0};
    struct sample_log_reader r = sample_log_read(&none);
    struct moment m;

    CHECK(!sample_log_next(&r, &m));
}
