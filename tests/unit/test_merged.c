/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees of runs as one tree, and which of its parts changed. */
#include "diff/compare/merged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"
#include "diff/compare/compare.h"

static struct amount amount(double samples)
{
    return (struct amount){(uint64_t)samples, (uint64_t)samples, samples,
                           samples};
}

/* A node of a run's tree: whose child it is, what it is called, how many
 * samples of its own it has. */
struct call {
    uint32_t parent;
    const char *name; /* NULL: none */
    double samples;
};

/* Add a run of (side), also to (p). */
static int add(struct merged *m, struct pairs *p, unsigned side,
               const struct call *calls, uint32_t n)
{
    struct view_node nodes[16] = {{0}};
    uint32_t functions[16];

    for (uint32_t i = 1; i <= n; i++) {
        const struct call *c = &calls[i - 1];

        nodes[i] = (struct view_node){
            .function = i, .parent = c->parent, .self = amount(c->samples)};
        functions[i] = MERGED_NAMELESS;
        if (c->name == NULL)
            continue;
        functions[i] = pairs_know(p, side, c->name, NULL);
        if (functions[i] == PAIRS_NONE ||
            (c->samples > 0 &&
             pairs_add(p, side, side, c->name, NULL, &nodes[i].self) != 0))
            return -1;
    }
    return merged_add(m, side, &(struct view_tree){nodes, n + 1}, functions);
}

/* One run a side. */
static int merge(struct merged *m, struct pairs *p, const struct call *before,
                 uint32_t n, const struct call *after, uint32_t k)
{
    if (add(m, p, 0, before, n) != 0 || add(m, p, 1, after, k) != 0 ||
        pairs_finish(p, 2) != 0)
        return -1;
    return merged_finish(m, p, 2);
}

static const char *name_of(const struct merged *m, const struct pairs *p,
                           size_t part)
{
    uint32_t function = m->nodes[merged_node_of(m, part)].function;

    return function == MERGED_NAMELESS ? "" : p->functions[function].name;
}

/* The part called (name), its own time or all of it. */
static size_t find(const struct merged *m, const struct pairs *p,
                   const char *name, bool own)
{
    for (size_t i = 0; i < m->parts; i++)
        if (strcmp(name_of(m, p, i), name) == 0 && merged_is_own(m, i) == own)
            return i;
    check_failed(__FILE__, __LINE__, "no part %s", name);
}

static double time_of(const struct merged *m, unsigned run, size_t part)
{
    return m->amounts[run * (m->parts + 1) + part].time;
}

static const struct call before[] = {
    {0, "main", 10},    {1, "serve", 0}, {2, "copy", 30},
    {1, "f.part.0", 5}, {1, NULL, 3},    {1, "g", 2},
};
static const struct call after[] = {
    {0, "idle_loop", 4}, {0, "main", 20}, {2, "f", 7},     {2, "serve", 0},
    {4, "copy", 60},     {2, NULL, 1},    {4, "check", 5},
};

TEST(the_same_path_is_one_node) /* catches: calls of another order, or name */
{
    struct merged m = {.nodes_max = 100};
    struct pairs p = {0};

    CHECK_EQ(merge(&m, &p, before, 6, after, 7), 0);
    CHECK_EQ(m.count, 1 + 8);
    CHECK_EQ(m.folded, 0);
    size_t copy = find(&m, &p, "copy", false), f = find(&m, &p, "f", false);
    size_t own = find(&m, &p, "main", true);

    CHECK(time_of(&m, 0, copy) == 30 && time_of(&m, 1, copy) == 60);
    CHECK(time_of(&m, 0, f) == 5 && time_of(&m, 1, f) == 7);
    CHECK(time_of(&m, 0, own) == 10 && time_of(&m, 1, own) == 20);
    CHECK_EQ(m.inside[copy], find(&m, &p, "serve", false));
    CHECK_EQ(m.inside[own], find(&m, &p, "main", false));
    CHECK_EQ(m.inside[find(&m, &p, "main", false)], COMPARE_TOP);
    CHECK(time_of(&m, 0, find(&m, &p, "", false)) == 3);
    for (size_t i = 0; i < m.parts; i++)
        CHECK(m.inside[i] == COMPARE_TOP || m.inside[i] < i);
    merged_fini(&m);
    pairs_fini(&p);
}

TEST(callers_without_samples_are_no_functions_of_the_table)
{
    struct merged m = {.nodes_max = 100};
    struct pairs p = {0};

    CHECK_EQ(merge(&m, &p, before, 6, after, 7), 0);
    CHECK_EQ(p.count, 6);
    CHECK_EQ(p.known, 7);
    CHECK_STR(p.functions[6].name, "serve");
    merged_fini(&m);
    pairs_fini(&p);
}

TEST(what_has_no_room_is_its_callers)
{
    struct merged m = {.nodes_max = 3};
    struct pairs p = {0};
    double sum = 0;

    CHECK_EQ(merge(&m, &p, before, 6, after, 7), 0);
    CHECK_EQ(m.count, 3);
    CHECK_EQ(m.folded, 30 + 5 + 3 + 2 + 4 + 7 + 60 + 1 + 5);
    for (size_t i = 0; i <= m.parts; i++)
        sum += time_of(&m, 0, i) + time_of(&m, 1, i);
    CHECK(sum == 50 + 97);
    CHECK(time_of(&m, 1, m.parts) == 4); /* of none: idle_loop had no room */
    merged_fini(&m);
    pairs_fini(&p);
}

TEST(memory_may_lack)
{
    for (unsigned n = 1;; n++) {
        struct merged m = {.nodes_max = 100};
        struct pairs p = {0};

        alloc_fail_at(n);
        int result = merge(&m, &p, before, 6, after, 7);
        bool failed = alloc_failed();

        merged_fini(&m);
        pairs_fini(&p);
        CHECK_EQ(result, failed ? -1 : 0);
        if (!failed)
            break;
    }
}

/* main > serve > {parse, copy > memcpy}, and main > poll. */
static void compare_tree(double samples[2][5], struct compare_row *rows)
{
    static const uint32_t inside[] = {COMPARE_TOP, 0, 1, 1, 3, 0};
    struct amount amounts[2 * 7] = {{0}};
    struct compare_result result;

    for (unsigned run = 0; run < 2; run++)
        for (unsigned i = 0; i < 5; i++)
            amounts[run * 7 + 1 + i] = amount(samples[run][i]);
    CHECK_EQ(compare(&(struct compare_input){6, {1, 1}, amounts, inside}, rows,
                     &result),
             0);
}

enum { MAIN, SERVE, PARSE, COPY, MEMCPY, POLL };

TEST(who_calls_what_changed_has_not_changed)
{
    double samples[2][5] = {{0, 500, 100, 300, 900}, {0, 500, 100, 900, 900}};
    struct compare_row rows[6];

    compare_tree(samples, rows);
    CHECK_EQ(rows[MEMCPY].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[SERVE].verdict, COMPARE_SAME);
    CHECK_EQ(rows[MAIN].verdict, COMPARE_SAME);
    CHECK_EQ(rows[PARSE].verdict, COMPARE_SAME);
    CHECK_EQ(rows[POLL].verdict, COMPARE_SAME);
    CHECK(fabs(rows[COPY].all.after - 1000. / 2400) < 1e-9);
}

TEST(what_is_inside_goes_with_what_changed)
{
    double samples[2][5] = {{0, 0, 100, 300, 900}, {0, 600, 100, 300, 900}};
    struct compare_row rows[6];

    compare_tree(samples, rows);
    CHECK_EQ(rows[PARSE].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[PARSE].step, 1);
    CHECK_EQ(rows[COPY].verdict, COMPARE_SAME);
    CHECK_EQ(rows[SERVE].verdict, COMPARE_SAME);

    double twice[2][5] = {{0, 60, 20, 200, 900}, {0, 180, 60, 600, 900}};

    compare_tree(twice, rows);
    CHECK_EQ(rows[SERVE].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[MEMCPY].step, rows[SERVE].step);
    CHECK_EQ(rows[MEMCPY].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[POLL].verdict, COMPARE_SAME);
}

/* splitmix64 */
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* Binomial of 1,000: 50 + 4 sigma = 78. */
TEST(chance_is_blamed_in_at_most_5_of_100_trees)
{
    static const double ends[] = {0, .1, .15, .5, 1};
    uint64_t state = 42;
    unsigned alarms = 0;

    for (unsigned pair = 0; pair < 1000; pair++) {
        double samples[2][5] = {{0}};
        struct compare_row rows[6];
        bool alarm = false;

        for (unsigned i = 0; i < 2000; i++) {
            double at = draw(&state);
            unsigned f = 0;

            while (at >= ends[f])
                f++;
            samples[i % 2][f]++;
        }
        compare_tree(samples, rows);
        for (unsigned i = 0; i < 6; i++)
            alarm |= rows[i].verdict == COMPARE_CHANGED;
        alarms += alarm;
    }
    CHECK(alarms < 78);
}

/* Two programs that have nothing in common, and two of which half is alike: as
 * many calls as 1 GiB has room for, near enough.
 * catches: steps that are as many as calls, each over all of them */
TEST(many_calls_are_compared_fast)
{
    enum { N = 100000 };
    struct amount *amounts = calloc(2 * (N + 1), sizeof *amounts);
    uint32_t *inside = calloc(N, sizeof *inside);
    struct compare_row *rows = calloc(N, sizeof *rows);
    const struct compare_input in = {N, {1, 1}, amounts, inside};
    struct compare_result result;
    uint64_t state = 7;

    CHECK(amounts != NULL && inside != NULL && rows != NULL);
    for (uint32_t i = 0; i < N; i++) {
        unsigned side = i % 4 < 2 ? i % 2 : 2;

        uint32_t before_it = i / 4;

        inside[i] = i < 4 ? COMPARE_TOP
                          : (uint32_t)(draw(&state) * before_it) * 4 + i % 4;
        for (unsigned run = 0; run < 2; run++)
            if (side == 2 || side == run)
                amounts[run * (N + 1) + i] = amount(1 + 40 * draw(&state));
    }
    CHECK_EQ(compare(&in, rows, &result), 0);
    CHECK(result.changed > 0);
    free(amounts);
    free(inside);
    free(rows);
}
