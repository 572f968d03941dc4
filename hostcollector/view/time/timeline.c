/* SPDX-License-Identifier: BSD-2-Clause */
/* Time lines: the time of each core in equal slices of the run. */
#include "view/time/timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profile/aggregate/sample_log.h"
#include "view/view_build.h"

/* Activity of the core in an entry. */
enum kind { KIND_BUSY, KIND_IDLE, KIND_UNSEEN };

static double *sum_of(struct timeline_slice *s, enum kind kind)
{
    return kind == KIND_BUSY   ? &s->busy
           : kind == KIND_IDLE ? &s->idle
                               : &s->unseen;
}

/* Number of the slice at (ticks) after the start of the time line. -1 is before
 * the first slice, (count) is after the last. */
static ptrdiff_t slice_at(const struct timeline *t, double ticks)
{
    double number = floor(ticks / t->slice_tsc);

    return (ptrdiff_t)fmin(fmax(number, -1), (double)t->count);
}

/* Add (part) of (m) to (slice). */
static void add_part(struct timeline_slice *slice, enum kind kind,
                     const struct moment *m, double part)
{
    *sum_of(slice, kind) += m->time * part;
    if (kind == KIND_BUSY && m->late >= LATE_TICKS)
        slice->late += m->time * part;
}

/* Spread (m) evenly over the slices from (start) to (end), in ticks since the
 * start of the time line. The core's first slice is (slices). */
static void spread(const struct timeline *t, struct timeline_slice *slices,
                   enum kind kind, const struct moment *m, double start,
                   double end)
{
    ptrdiff_t i = slice_at(t, start), last = slice_at(t, end);

    if (!(start < end)) {
        if (last >= 0 && last < (ptrdiff_t)t->count)
            add_part(&slices[last], kind, m, 1);
        return;
    }
    for (i = i < 0 ? 0 : i; i <= last && i < (ptrdiff_t)t->count; i++) {
        double from = fmax(start, (double)i * t->slice_tsc);
        double to = fmin(end, (double)(i + 1) * t->slice_tsc);

        add_part(&slices[i], kind, m, (to - from) / (end - start));
    }
}

/* Activity of the core in each entry of p->cores[core], then in its others.
 * NULL if there is no memory. */
static enum kind *kinds_of(const struct profile *p, const struct view *v,
                           size_t core)
{
    size_t count = p->cores[core].entry_count + 1;
    enum kind *kinds = calloc(count, sizeof *kinds);
    struct view_path path;

    for (size_t i = 0; kinds != NULL && i < count; i++)
        if (view_leaf_of(v, core, i, &path))
            kinds[i] = path.idle     ? KIND_IDLE
                       : path.unseen ? KIND_UNSEEN
                                     : KIND_BUSY;
    return kinds;
}

static bool add_moments(struct timeline *t, const struct profile *p,
                        const struct view *v, size_t core)
{
    const struct profile_core *c = &p->cores[core];
    enum kind *kinds = kinds_of(p, v, core);
    struct sample_log_reader reader = sample_log_read(c);
    double start = t->from_s * (double)p->tsc_hz, last = -INFINITY;
    struct moment m;

    if (kinds == NULL)
        return false;
    while (sample_log_next(&reader, &m)) {
        size_t entry = moment_entry(c, &m);
        double end = (double)m.ticks - start;

        /* a sample stands for the time before it */
        spread(t, &t->slices[core * t->count], kinds[entry], &m,
               fmax(end - m.time, last), end);
        last = fmax(last, end);
    }
    free(kinds);
    return true;
}

/* Add losses, which are counted by the second. */
static void add_losses(struct timeline *t, const struct profile *p, size_t core)
{
    const struct profile_core *c = &p->cores[core];
    double hz = (double)p->tsc_hz;

    for (size_t i = 0; i < c->second_count; i++) {
        double lost = c->seconds[i].lost * (double)p->period_tsc;
        double start = ((double)i - t->from_s) * hz, end = start + hz;
        ptrdiff_t first = slice_at(t, start), last = slice_at(t, end);

        for (ptrdiff_t j = first < 0 ? 0 : first;
             lost > 0 && j <= last && j < (ptrdiff_t)t->count; j++) {
            double from = fmax(start, (double)j * t->slice_tsc);
            double to = fmin(end, (double)(j + 1) * t->slice_tsc);

            t->slices[core * t->count + (size_t)j].lost +=
                lost * (to - from) / hz;
        }
    }
}

struct timeline *timeline_new(const struct profile *p, const struct view *v,
                              double from_s, double to_s, size_t count)
{
    struct timeline *t = calloc(1, sizeof *t);

    if (t == NULL || p->tsc_hz == 0 || !(to_s > from_s) || count == 0)
        return t;
    t->slices = calloc(p->core_count * count + 1, sizeof *t->slices);
    t->count = count;
    t->core_count = p->core_count;
    t->from_s = from_s;
    t->slice_s = (to_s - from_s) / (double)count;
    t->slice_tsc = t->slice_s * (double)p->tsc_hz;
    bool done = t->slices != NULL;

    for (size_t i = 0; done && i < p->core_count; i++) {
        add_losses(t, p, i);
        done = add_moments(t, p, v, i);
    }
    if (done)
        return t;
    timeline_free(t);
    return NULL;
}

/* Round (least) up to 1, 2 or 5 times a power of ten. */
static double round_up(double least)
{
    double power = pow(10, floor(log10(least)));

    return least <= power       ? power
           : least <= 2 * power ? 2 * power
           : least <= 5 * power ? 5 * power
                                : 10 * power;
}

struct timeline *timeline_round(const struct profile *p, const struct view *v,
                                double from_s, double to_s, double most)
{
    double length = to_s - from_s;

    if (!(length > 0))
        return NULL;

    double slice = round_up(length / most), count = ceil(length / slice);
    struct timeline *t =
        timeline_new(p, v, from_s, from_s + slice * count, (size_t)count);

    if (t != NULL && t->count != 0)
        return t;
    timeline_free(t);
    return NULL;
}

void timeline_free(struct timeline *t)
{
    if (t == NULL)
        return;
    free(t->slices);
    free(t);
}
