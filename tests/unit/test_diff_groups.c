/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed on which core or thread, of views whose samples are known. */
#include "diff/diff_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#define FUNCTIONS 3u
#define CORES     40u

/* A view of (n) cores; on each three functions have samples of weight 1. */
struct made {
    struct view view;
    struct view_function functions[VIEW_MARKS + FUNCTIONS];
    struct view_scope cores[CORES];
    struct view_row rows[CORES][FUNCTIONS];
};

static void make(struct made *m, uint32_t n,
                 const unsigned samples[][FUNCTIONS])
{
    static const char *const names[FUNCTIONS] = {"fill", "sort", "send"};

    *m = (struct made){.view = {.functions = m->functions,
                                .function_count = VIEW_MARKS + FUNCTIONS,
                                .cores = m->cores,
                                .core_count = n}};
    for (uint32_t f = 0; f < FUNCTIONS; f++)
        m->functions[VIEW_MARKS + f].name = names[f];
    for (uint32_t c = 0; c < n; c++) {
        m->cores[c].core = c;
        m->cores[c].rows = m->rows[c];
        m->cores[c].row_count = FUNCTIONS;
        for (uint32_t f = 0; f < FUNCTIONS; f++) {
            unsigned s = samples[c][f];

            m->rows[c][f].function = VIEW_MARKS + f;
            m->rows[c][f].self = (struct amount){s, s, s, s};
            m->cores[c].busy.samples += s;
        }
    }
}

/* One run a side. */
static void state(struct diff_groups *c, struct diff *d, uint32_t n,
                  const unsigned before[][FUNCTIONS],
                  const unsigned after[][FUNCTIONS])
{
    static struct made made;
    const struct report r = {.view = &made.view};
    const size_t runs[2] = {1, 1};

    make(&made, n, before);
    CHECK_EQ(diff_groups_add(c, 0, 0, &r), 0);
    make(&made, n, after);
    CHECK_EQ(diff_groups_add(c, 1, 1, &r), 0);
    CHECK_EQ(diff_groups_state(c, runs, d), 0);
    CHECK(diff_groups_bytes(c, 2) > 0);
}

static const struct compare_row *row_of(const struct diff_group *core,
                                        const char *name)
{
    for (size_t i = 0; i < core->count; i++)
        if (strcmp(core->functions[i].name, name) == 0)
            return &core->rows[i];
    CHECK(false);
    return NULL;
}

TEST(a_change_is_on_its_core_alone) /* catches: cores that are mixed up */
{
    static const unsigned before[][FUNCTIONS] = {{400, 300, 300},
                                                 {400, 300, 300}};
    static const unsigned after[][FUNCTIONS] = {{410, 295, 295},
                                                {200, 600, 200}};
    struct diff_groups c = {0};
    struct diff d = {0};

    state(&c, &d, 2, before, after);
    CHECK_EQ(d.group_count, 2);
    CHECK_EQ(d.groups[0].core, 0);
    CHECK_EQ(d.groups[0].result.changed, 0);
    CHECK_EQ(d.groups[1].core, 1);
    CHECK(d.groups[1].result.changed >= 1);
    CHECK_EQ(row_of(&d.groups[1], "sort")->verdict, COMPARE_CHANGED);
    CHECK(fabs(row_of(&d.groups[1], "sort")->all.before - .3) < 1e-9);
    CHECK(fabs(row_of(&d.groups[1], "sort")->all.after - .6) < 1e-9);
    diff_groups_fini(&c);
}

TEST(a_core_that_a_side_lacks_is_not_compared) /* catches: shares of nothing */
{
    static const unsigned before[][FUNCTIONS] = {{400, 300, 300}, {9, 9, 9}};
    static const unsigned after[][FUNCTIONS] = {{400, 300, 300}, {0}};
    struct diff_groups c = {0};
    struct diff d = {0};

    state(&c, &d, 2, before, after);
    CHECK_EQ(d.group_count, 1);
    diff_groups_fini(&c);
}

/* 440 against 384 of 1,000 have p = 0.011, and of three functions q = 0.03: on
 * one core alone that is a change, and on one of forty it is chance. */
TEST(many_cores_are_many_tries) /* catches: a false alarm on some core */
{
    static const unsigned one[][FUNCTIONS] = {{384, 308, 308}};
    static const unsigned other[][FUNCTIONS] = {{440, 280, 280}};
    unsigned before[CORES][FUNCTIONS], after[CORES][FUNCTIONS];
    struct diff_groups c = {0};
    struct diff d = {0};

    state(&c, &d, 1, one, other);
    CHECK_EQ(d.groups[0].result.changed, 1);
    diff_groups_fini(&c);
    for (uint32_t i = 0; i < CORES; i++) {
        memcpy(before[i], one[0], sizeof before[i]);
        memcpy(after[i], i == 7 ? other[0] : one[0], sizeof after[i]);
    }
    d = (struct diff){0};
    state(&c, &d, CORES, (const unsigned(*)[FUNCTIONS])before,
          (const unsigned(*)[FUNCTIONS])after);
    CHECK_EQ(d.group_count, CORES);
    for (uint32_t i = 0; i < CORES; i++)
        CHECK_EQ(d.groups[i].result.changed, 0);
    CHECK_EQ(row_of(&d.groups[7], "fill")->verdict, COMPARE_SAME);
    diff_groups_fini(&c);
}

/* Ping and Pong have other numbers after than before. */
TEST(threads_are_compared_by_name) /* catches: numbers of other threads */
{
    static const unsigned before[][FUNCTIONS] = {{900, 50, 50}, {50, 50, 900}};
    static const unsigned after[][FUNCTIONS] = {{50, 50, 900}, {50, 900, 50}};
    static struct made made;
    struct profile_thread threads[2] = {{.serial = 1}, {.serial = 2}};
    const struct profile p = {.threads = threads, .thread_count = 2};
    const struct report r = {
        .view = &made.view, .profile = &p, .by = VIEW_BY_THREAD};
    const size_t runs[2] = {1, 1};
    struct diff_groups c = {0};
    struct diff d = {.by = VIEW_BY_THREAD};

    for (uint32_t run = 0; run < 2; run++) {
        make(&made, 2, run == 0 ? before : after);
        made.view.threads = made.cores;
        made.view.thread_count = 2;
        made.cores[0].core = 1;
        made.cores[1].core = 2;
        (void)snprintf(threads[run].name, THREAD_NAME, "Ping");
        (void)snprintf(threads[1 - run].name, THREAD_NAME, "Pong");
        CHECK_EQ(diff_groups_add(&c, run, run, &r), 0);
    }
    CHECK_EQ(diff_groups_state(&c, runs, &d), 0);
    CHECK_EQ(d.group_count, 2);
    CHECK_STR(d.groups[0].name, "Ping");
    CHECK(fabs(row_of(&d.groups[0], "fill")->all.before - .9) < 1e-9);
    CHECK(fabs(row_of(&d.groups[0], "sort")->all.after - .9) < 1e-9);
    CHECK_STR(d.groups[1].name, "Pong");
    CHECK_EQ(d.groups[1].result.changed, 0);
    diff_groups_fini(&c);
}
