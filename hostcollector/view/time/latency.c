/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency: the functions that keep the other cores waiting. */
#include "view/time/latency.h"

#include <math.h>
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
    bool is_counted;     /* in lanes.busy */
    int64_t last;        /* time of the sample before (next) */
    bool *busy;          /* of each entry, then of the others */
    struct amount *sums; /* of the same: divided time */
};

/* Lanes by rising time: a heap. */
struct queue {
    size_t count;
    struct turn {
        int64_t ticks;
        size_t core;
    } * turns;
};

struct lanes {
    const struct profile *profile;
    struct lane *lane; /* by core */
    int64_t until;     /* the times of later samples are not known */
    unsigned busy;     /* cores that are busy at the time that is counted */
    struct queue next; /* by the time of (lane.next) */
    /* Cores after a gap, by the time at which the interval of (lane.next)
     * begins. */
    struct queue gaps;
};

static void swap_turns(struct turn *a, struct turn *b)
{
    struct turn t = *a;

    *a = *b;
    *b = t;
}

static void queue_add(struct queue *q, int64_t ticks, size_t core)
{
    size_t i = q->count++;

    q->turns[i] = (struct turn){ticks, core};
    for (; i > 0 && q->turns[(i - 1) / 2].ticks > ticks; i = (i - 1) / 2)
        swap_turns(&q->turns[i], &q->turns[(i - 1) / 2]);
}

/* Remove the first core, and return it. */
static size_t queue_take(struct queue *q)
{
    size_t core = q->turns[0].core, i = 0, child;

    q->turns[0] = q->turns[--q->count];
    for (; (child = 2 * i + 1) < q->count; i = child) {
        if (child + 1 < q->count &&
            q->turns[child + 1].ticks < q->turns[child].ticks)
            child++;
        if (q->turns[i].ticks <= q->turns[child].ticks)
            break;
        swap_turns(&q->turns[i], &q->turns[child]);
    }
    return core;
}

static size_t entry_of(const struct lanes *l, size_t core)
{
    return moment_entry(&l->profile->cores[core], &l->lane[core].next);
}

static bool is_busy(const struct lanes *l, size_t core)
{
    return l->lane[core].busy[entry_of(l, core)];
}

/* From now on (lane.next) stands for (core). */
static void begin_next(struct lanes *l, size_t core)
{
    l->lane[core].is_counted = is_busy(l, core);
    l->busy += l->lane[core].is_counted;
}

/* Read the next sample of (core). The sample stands for the time since the last
 * sample. After a gap the sample stands only for its own interval. */
static void step(struct lanes *l, size_t core)
{
    struct lane *lane = &l->lane[core];
    bool is_first = !lane->has_next;

    l->busy -= lane->is_counted;
    lane->is_counted = false;
    lane->last = lane->next.ticks;
    lane->has_next = sample_log_next(&lane->reader, &lane->next) &&
                     lane->next.ticks < l->until;
    if (!lane->has_next)
        return;
    int64_t from;

    if (__builtin_sub_overflow(lane->next.ticks,
                               (int64_t)fmin(lane->next.time, 0x1p62), &from))
        from = INT64_MIN;
    queue_add(&l->next, lane->next.ticks, core);
    if (!is_first && (double)lane->next.ticks - (double)lane->last <=
                         lane->next.time * INTERVAL_MOST)
        begin_next(l, core);
    else if (from < lane->next.ticks)
        queue_add(&l->gaps, from, core);
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
    step(l, core);
    return 0;
}

static void count_sample(struct lanes *l, size_t core, unsigned busy)
{
    struct lane *lane = &l->lane[core];
    double time = lane->next.time / busy;

    if (is_busy(l, core))
        amount_add(&lane->sums[entry_of(l, core)],
                   &(struct amount){1, lane->next.weight, time, time * time});
}

/* Count the samples of one time, for which the same cores are busy. */
static void count_samples(struct lanes *l)
{
    while (l->next.count != 0) {
        int64_t ticks = l->next.turns[0].ticks;

        while (l->gaps.count != 0 && l->gaps.turns[0].ticks < ticks)
            begin_next(l, queue_take(&l->gaps));
        unsigned busy = l->busy != 0 ? l->busy : 1;

        while (l->next.count != 0 && l->next.turns[0].ticks == ticks) {
            size_t core = queue_take(&l->next);

            count_sample(l, core, busy);
            step(l, core);
        }
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
    free(l->next.turns);
    free(l->gaps.turns);
}

/* Open the samples of all cores. Returns 0; -1 if there is no memory. */
static int lanes_init(struct lanes *l, const struct view *v)
{
    size_t cores = l->profile->core_count;

    l->lane = calloc(cores + 1, sizeof *l->lane);
    l->next.turns = calloc(cores + 1, sizeof *l->next.turns);
    l->gaps.turns = calloc(cores + 1, sizeof *l->gaps.turns);
    if (l->lane == NULL || l->next.turns == NULL || l->gaps.turns == NULL)
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
