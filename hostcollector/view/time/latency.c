/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency: the functions that keep the other cores waiting. */
#include "view/time/latency.h"

#include <stdlib.h>

#include "profile/aggregate/sample_log.h"
#include "view/path.h"
#include "view/view_build.h"

/* Longest interval between two samples, in mean intervals. */
#define INTERVAL_MOST 1.5

/* The samples of one core that are not counted yet. */
struct lane {
    struct sample_log_reader reader;
    struct moment next; /* valid if (has_next) */
    bool has_next;
    int64_t from; /* (next) stands for the time after this */
    /* Time of the sample before (next), and whether the core was busy then. */
    int64_t last;
    bool last_busy;
    bool *busy;          /* of each entry, then of the others */
    struct amount *sums; /* divided time of each entry, then of the others */
};

struct lanes {
    const struct profile *profile;
    struct lane *lane; /* by core */
    int64_t until;     /* end of the record of times */
};

static size_t entry_of(const struct lanes *l, size_t core)
{
    size_t entry = l->lane[core].next.entry, count;

    count = l->profile->cores[core].entry_count;
    return entry < count ? entry : count;
}

/* Read the next sample of (core), unless the end is reached. */
static void step(struct lanes *l, size_t core)
{
    struct lane *lane = &l->lane[core];

    if (lane->has_next) {
        lane->last = lane->next.ticks;
        lane->last_busy = lane->busy[entry_of(l, core)];
    }
    lane->has_next = sample_log_next(&lane->reader, &lane->next) &&
                     lane->next.ticks < l->until;
    /* from the last sample on, or after a gap for the sample's own time */
    bool is_gap = (double)(lane->next.ticks - lane->last) >
                  lane->next.time * INTERVAL_MOST;

    lane->from =
        is_gap ? lane->next.ticks - (int64_t)lane->next.time : lane->last;
}

static int lane_init(struct lanes *l, const struct view *v, size_t core)
{
    const struct profile_core *c = &l->profile->cores[core];
    struct lane *lane = &l->lane[core];
    size_t count = c->entry_count + 1;
    struct view_path path;

    lane->busy = calloc(count, sizeof *lane->busy);
    lane->sums = calloc(count, sizeof *lane->sums);
    if (lane->busy == NULL || lane->sums == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        lane->busy[i] =
            view_leaf_of(v, core, i, &path) && !path.idle && !path.unseen;
    lane->reader = sample_log_read(c);
    lane->last = INT64_MIN / 2; /* no sample before the first */
    step(l, core);
    return 0;
}

/* The core with the earliest next sample; core_count if there is none. */
static size_t first_core(const struct lanes *l)
{
    size_t first = l->profile->core_count;

    for (size_t i = 0; i < l->profile->core_count; i++)
        if (l->lane[i].has_next &&
            (first == l->profile->core_count ||
             l->lane[i].next.ticks < l->lane[first].next.ticks))
            first = i;
    return first;
}

/* Is (core) busy at (ticks), the time of the earliest next sample? */
static bool is_busy(const struct lanes *l, size_t core, int64_t ticks)
{
    const struct lane *lane = &l->lane[core];

    if (lane->last == ticks)
        return lane->last_busy;
    return lane->has_next && lane->from < ticks &&
           lane->busy[entry_of(l, core)];
}

static void count_sample(struct lanes *l, size_t core)
{
    struct lane *lane = &l->lane[core];
    unsigned busy = 1;

    for (size_t i = 0; i < l->profile->core_count; i++)
        busy += i != core && is_busy(l, i, lane->next.ticks);
    double time = lane->next.time / busy;

    amount_add(&lane->sums[entry_of(l, core)],
               &(struct amount){1, lane->next.weight, time, time * time});
}

static void count_samples(struct lanes *l)
{
    for (size_t core; (core = first_core(l)) < l->profile->core_count;) {
        if (l->lane[core].busy[entry_of(l, core)])
            count_sample(l, core);
        step(l, core);
    }
}

static bool is_function(const struct view_step *step)
{
    return step->function >= VIEW_MARKS || step->function == VIEW_OTHERS;
}

/* Add (sum) to each function of (path), once. */
static void charge(struct latency *out, const struct view_path *path,
                   const struct amount *sum)
{
    bool is_leaf = true;

    amount_add(&out->whole, sum);
    for (size_t i = path->count; i-- > 0;) {
        struct latency_sum *of = &out->functions[path->steps[i].function];
        size_t inner = i + 1;

        if (!is_function(&path->steps[i]))
            continue;
        while (inner < path->count &&
               path->steps[inner].function != path->steps[i].function)
            inner++;
        if (inner == path->count)
            amount_add(&of->total, sum);
        if (is_leaf)
            amount_add(&of->self, sum);
        is_leaf = false;
    }
}

static void charge_core(struct latency *out, const struct view *v,
                        const struct lanes *l, size_t core)
{
    const struct amount *sums = l->lane[core].sums;
    struct view_path path;

    for (size_t i = 0; i <= l->profile->cores[core].entry_count; i++)
        if (sums[i].samples != 0 && view_path_of(v, core, i, &path))
            charge(out, &path, &sums[i]);
}

static void lanes_fini(struct lanes *l)
{
    for (size_t i = 0; l->lane != NULL && i < l->profile->core_count; i++) {
        free(l->lane[i].busy);
        free(l->lane[i].sums);
    }
    free(l->lane);
}

/* Open the samples of all cores. Returns 0; -1 if there is no memory. */
static int lanes_init(struct lanes *l, const struct view *v)
{
    size_t cores = l->profile->core_count;

    l->lane = calloc(cores + 1, sizeof *l->lane);
    if (l->lane == NULL)
        return -1;
    for (size_t i = 0; i < cores; i++)
        if (l->profile->cores[i].moments_until < l->until)
            l->until = l->profile->cores[i].moments_until;
    for (size_t i = 0; i < cores; i++)
        if (lane_init(l, v, i) != 0)
            return -1;
    return 0;
}

struct latency *latency_new(const struct profile *p, const struct view *v)
{
    struct lanes l = {.profile = p, .until = INT64_MAX};
    struct latency *out = calloc(1, sizeof *out);

    if (out == NULL)
        return NULL;
    out->functions = calloc(v->function_count + 1, sizeof *out->functions);
    if (out->functions == NULL || lanes_init(&l, v) != 0) {
        lanes_fini(&l);
        latency_free(out);
        return NULL;
    }
    count_samples(&l);
    out->cut = l.until != INT64_MAX;
    for (size_t i = 0; i < p->core_count; i++)
        charge_core(out, v, &l, i);
    lanes_fini(&l);
    return out;
}

void latency_free(struct latency *l)
{
    if (l == NULL)
        return;
    free(l->functions);
    free(l);
}
