/* SPDX-License-Identifier: BSD-2-Clause */
/* Removes changed functions one by one. Shares count against the rest. */
#include "diff/compare/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Limit of steps. If there are many functions, one step removes several. */
#define STEPS_MAX   256
/* From this number of functions on, a step removes ever more functions. */
#define JUDGED_MANY 10000

/* A run: the sums of all that was not removed. */
struct whole {
    double time, time_sq;
};

/* A function, and its judgement. */
struct judged {
    uint32_t function;
    double p; /* probability for its share of the rest, in this step */
    /* change of its share of all; sorts functions of equal probability */
    double change;
};

struct compare_work {
    const struct compare_input *in;
    struct compare_row *rows;
    struct amount
        *totals;  /* amounts with the functions inside; NULL: none is inside */
    bool *around; /* by function: another function is inside */
    struct whole *all, *rest; /* by run */
    struct judged *left;      /* not taken out */
    size_t count;             /* of (left) */
    size_t judged, taken;
};

static const struct amount *amount_of(const struct compare_work *w, size_t run,
                                      size_t function)
{
    const struct amount *list = w->totals != NULL ? w->totals : w->in->amounts;

    return &list[run * (w->in->functions + 1) + function];
}

static size_t run_count(const struct compare_input *in)
{
    return in->runs[0] + in->runs[1];
}

/* Returns the number of equally weighted samples with the same error as (a),
 * like share_effective(). */
static double effective(const struct whole *a)
{
    return a->time_sq > 0 ? a->time * a->time / a->time_sq : 0;
}

/* Returns (whole) minus all that was removed, plus (function). */
static struct whole whole_with(const struct compare_work *w,
                               const struct whole *whole, size_t run,
                               size_t function)
{
    const struct amount *a = amount_of(w, run, function);
    struct whole sum = whole[run];

    if (whole == w->rest && w->rows[function].step != 0) {
        sum.time += a->time;
        sum.time_sq += a->time_sq;
    }
    return sum;
}

/* Sums over runs for one function. */
struct share_spread {
    double p[2];       /* mean of the runs' shares */
    double inverse[2]; /* sum of 1 / (samples that a run is worth) */
    double time, time_sq, samples; /* in units of the runs' mean weights */
};

static struct share_spread spread_of(const struct compare_work *w,
                                     const struct whole *whole, size_t function)
{
    struct share_spread s = {0};

    for (size_t run = 0; run < run_count(w->in); run++) {
        int side = run >= w->in->runs[0];
        const struct amount *a = amount_of(w, run, function);
        struct whole of = whole_with(w, whole, run, function);
        double unit = of.time > 0 ? of.time_sq / of.time : 0;

        if (!(unit > 0)) {
            s.inverse[side] = INFINITY; /* nothing is known about this run */
            continue;
        }
        s.p[side] += a->time / of.time / (double)w->in->runs[side];
        s.inverse[side] += 1 / effective(&of);
        s.time += a->time / unit;
        s.time_sq += a->time_sq / unit / unit;
        s.samples += effective(&of);
    }
    return s;
}

/*
 * Returns the factor by which the share of a function varies more than a share
 * of samples whose weights do not depend on the function. The function's own
 * samples may be heavier, for example if they come late. The factor is at least
 * 1, so that the result is never more certain than the report.
 */
static double heaviness(const struct share_spread *s)
{
    double p = s->samples > 0 ? s->time / s->samples : 0;

    if (!(p > 0 && p < 1))
        return 1;
    double heavy = s->time_sq / s->time;

    return fmax(1, heavy * (1 - p) + p * (1 - heavy * p) / (1 - p));
}

/* Sum of squares of the runs' shares around the mean of their side. */
static double squares(const struct compare_work *w, const struct whole *whole,
                      size_t function, const struct share_spread *s)
{
    double sum = 0;

    for (size_t run = 0; run < run_count(w->in); run++) {
        struct whole of = whole_with(w, whole, run, function);
        double p =
            of.time > 0 ? amount_of(w, run, function)->time / of.time : 0;
        double off = p - s->p[run >= w->in->runs[0]];

        sum += off * off;
    }
    return sum;
}

/* The share of (function) in (whole), and its error. */
static struct two_proportions shares_of(const struct compare_work *w,
                                        const struct whole *whole,
                                        size_t function)
{
    struct share_spread s = spread_of(w, whole, function);
    double runs[2] = {(double)w->in->runs[0], (double)w->in->runs[1]};
    double heavy = heaviness(&s), df = runs[0] + runs[1] - 2;
    struct two_proportions r = {
        .p = {s.p[0], s.p[1]}, .spread = 1, .df = INFINITY};

    for (int i = 0; i < 2; i++)
        r.n[i] = runs[i] * runs[i] / s.inverse[i] / heavy;
    if (df < 1 || !(r.n[0] > 0 && r.n[1] > 0))
        return r;

    /* runs may differ more than sampling explains, never less */
    double p = (r.n[0] * r.p[0] + r.n[1] * r.p[1]) / (r.n[0] + r.n[1]);
    double within = p * (1 - p) * (1 / r.n[0] + 1 / r.n[1]);
    double between =
        squares(w, whole, function, &s) / df * (1 / runs[0] + 1 / runs[1]);

    r.df = df;
    if (within > 0)
        r.spread = fmax(between / within, 1);
    return r;
}

static struct compare_share state(const struct compare_work *w,
                                  const struct whole *whole, size_t function)
{
    struct two_proportions s = shares_of(w, whole, function);

    return (struct compare_share){s.p[0], s.p[1], two_proportions_interval(&s),
                                  two_proportions_p(&s)};
}

static bool is_taken(const struct compare_work *w, size_t function)
{
    return w->rows[function].verdict == COMPARE_CHANGED;
}

/* Is the time of (function) part of another function's time? */
static bool is_inside(const struct compare_work *w, size_t function)
{
    return w->in->inside != NULL && w->in->inside[function] != COMPARE_TOP;
}

/* Add up the functions inside each function, without removed ones. */
static void sum_totals(const struct compare_work *w)
{
    size_t row = w->in->functions + 1;

    if (w->totals == NULL)
        return;
    memcpy(w->totals, w->in->amounts,
           run_count(w->in) * row * sizeof *w->totals);
    for (size_t i = w->in->functions; i-- > 0;) {
        if (!is_inside(w, i) || is_taken(w, i))
            continue;
        for (size_t run = 0; run < run_count(w->in); run++) {
            const struct amount *a = &w->totals[run * row + i];
            struct amount *to = &w->totals[run * row + w->in->inside[i]];

            to->samples += a->samples;
            to->weight += a->weight;
            to->time += a->time;
            to->time_sq += a->time_sq;
        }
    }
}

/* Add up each run: the amounts of all functions and of no function, without
 * removed ones. */
static void sum_rest(const struct compare_work *w, struct whole *sums)
{
    sum_totals(w);
    for (size_t run = 0; run < run_count(w->in); run++) {
        sums[run] = (struct whole){0};
        for (size_t i = 0; i <= w->in->functions; i++) {
            const struct amount *a = amount_of(w, run, i);

            if (i < w->in->functions && (is_taken(w, i) || is_inside(w, i)))
                continue;
            sums[run].time += a->time;
            sums[run].time_sq += a->time_sq;
        }
    }
}

/* Returns the number of equally weighted samples of a function, both sides
 * together. */
static double samples_of(const struct compare_work *w, size_t function)
{
    struct share_spread s = spread_of(w, w->all, function);

    return effective(&(struct whole){s.time, s.time_sq});
}

static void begin(struct compare_work *w)
{
    for (size_t i = 0; i < w->in->functions; i++)
        w->rows[i] = (struct compare_row){.q = 1};
    sum_rest(w, w->all);
    for (size_t i = 0; i < w->in->functions; i++) {
        w->rows[i].all = state(w, w->all, i);
        if (samples_of(w, i) < COMPARE_SAMPLES)
            w->rows[i].verdict = COMPARE_RARE;
        else
            w->left[w->count++] =
                (struct judged){(uint32_t)i, 1, fabs(w->rows[i].all.of.change)};
    }
    w->judged = w->count;
}

static int compare_judged(const void *a, const void *b)
{
    const struct judged *left = a, *right = b;

    if (left->p != right->p)
        return left->p < right->p ? -1 : 1;
    if (left->change != right->change)
        return left->change > right->change ? -1 : 1;
    return left->function < right->function ? -1 : 1;
}

/* Returns the probability by which (function) is judged: the probability of the
 * change of its share of the rest, or of its share of all if a side has no
 * rest. */
static double p_of(const struct compare_work *w, size_t function)
{
    struct two_proportions s = shares_of(w, w->rest, function);

    /* other functions are measured against this one; functions inside it may
     * change */
    if (w->totals != NULL && w->around[function] && fmin(s.p[0], s.p[1]) > .5)
        return 1;
    return s.n[0] > 0 && s.n[1] > 0 ? two_proportions_p(&s)
                                    : w->rows[function].all.p;
}

/* Compute p and q of the functions that were not removed, and sort them by
 * p. */
static void judge_rest(struct compare_work *w)
{
    double least = 1;

    sum_rest(w, w->rest);
    for (size_t i = 0; i < w->count; i++)
        w->left[i].p = p_of(w, w->left[i].function);
    qsort(w->left, w->count, sizeof *w->left, compare_judged);
    for (size_t i = w->count; i-- > 0;) {
        double rank = (double)(w->taken + i + 1);

        least = fmin(least, w->left[i].p * (double)w->judged / rank);
        w->rows[w->left[i].function].q = least;
    }
}

/* Returns the number of functions that one step removes: one, or several if
 * there are many, so that the time is bounded. */
static size_t batch(const struct compare_work *w)
{
    size_t many = w->judged > JUDGED_MANY ? w->judged / JUDGED_MANY : 1;

    return 1 + w->judged / STEPS_MAX * many;
}

static bool lacks_side(const struct compare_work *w, size_t function)
{
    const struct compare_row *row = &w->rows[function];

    return !(row->all.before > 0 && row->all.after > 0);
}

/* Was a function removed that contains (function) or is inside it? */
static bool is_covered(const struct compare_work *w, uint32_t function)
{
    while (is_inside(w, function)) {
        function = w->in->inside[function];
        if (w->rows[function].step != 0)
            return true;
    }
    return false;
}

/* Remove (function). The functions around it then have other sums, and are not
 * judged again before these sums are known. */
static void take(struct compare_work *w, uint32_t function, unsigned step)
{
    w->rows[function].step = step;
    w->rows[function].verdict = COMPARE_CHANGED;
    w->taken++;
    while (is_inside(w, function)) {
        function = w->in->inside[function];
        w->rows[function].q = 1;
    }
}

/* Keep only functions in (left) that are neither removed nor inside a removed
 * one. */
static void keep_left(struct compare_work *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->in->functions; i++)
        if (is_inside(w, i) && w->rows[i].step == 0)
            w->rows[i].step = w->rows[w->in->inside[i]].step;
    for (size_t i = 0; i < w->count; i++)
        if (w->rows[w->left[i].function].step == 0)
            w->left[n++] = w->left[i];
    w->count = n;
}

/* Remove changed functions. Functions that one side lacks are first, since they
 * have changed whatever the rest did. The most significant changes are next.
 * Returns the number of removed functions. */
static size_t take_out(struct compare_work *w, unsigned step)
{
    size_t most = batch(w), n = 0;

    for (int any = 0; any < 2; any++) {
        for (size_t i = 0; i < w->count && n < most; i++) {
            uint32_t function = w->left[i].function;
            const struct compare_row *row = &w->rows[function];

            if (row->q > COMPARE_FALSE || row->step != 0 ||
                (any == 0 && !lacks_side(w, function)) ||
                is_covered(w, function))
                continue;
            take(w, function, step);
            n++;
        }
    }
    keep_left(w);
    return n;
}

/* Put back functions that were removed early and no longer differ from the
 * final rest. Returns true if there was such a function. */
static bool put_back(struct compare_work *w)
{
    size_t before = w->taken;

    for (size_t i = 0; i < w->in->functions; i++) {
        struct compare_row *row = &w->rows[i];
        double p = is_taken(w, i) ? p_of(w, i) : 0;

        if (p <= COMPARE_FALSE)
            continue;
        row->verdict = COMPARE_SAME;
        row->q = p;
        w->taken--;
    }
    for (size_t i = 0; i < w->in->functions; i++)
        if (!is_taken(w, i))
            w->rows[i].step =
                is_inside(w, i) ? w->rows[w->in->inside[i]].step : 0;
    sum_rest(w, w->rest);
    return w->taken != before;
}

/* Compute the change of each function against the rest. */
static void state_all(struct compare_work *w)
{
    double level = COMPARE_FALSE * (double)(w->taken + 1) /
                   (double)(w->judged != 0 ? w->judged : 1);

    for (size_t i = 0; i < w->in->functions; i++) {
        struct compare_row *row = &w->rows[i];

        row->rest = state(w, w->rest, i);
        if (row->verdict != COMPARE_SAME || w->totals != NULL)
            continue;
        struct two_proportions s = shares_of(w, w->rest, i);

        row->detectable = two_proportions_detectable(&s, level, COMPARE_POWER);
    }
}

/* Judge the functions that were removed together with the function around them:
 * did they change themselves? */
static void judge_covered(struct compare_work *w)
{
    double least = 1;

    w->count = 0;
    for (size_t i = 0; i < w->in->functions; i++)
        if (w->rows[i].step != 0 && w->rows[i].verdict == COMPARE_SAME)
            w->left[w->count++] =
                (struct judged){(uint32_t)i, w->rows[i].rest.p, 0};
    qsort(w->left, w->count, sizeof *w->left, compare_judged);
    for (size_t i = w->count; i-- > 0;) {
        struct compare_row *row = &w->rows[w->left[i].function];

        least = fmin(least, w->left[i].p * (double)w->count / (double)(i + 1));
        row->q = least;
        if (least <= COMPARE_FALSE)
            row->verdict = COMPARE_CHANGED;
    }
}

/* Compute the part of each side that did not change, as the mean over its
 * runs. */
static void sum_up(const struct compare_work *w, struct compare_result *result)
{
    *result = (struct compare_result){.judged = w->judged, .changed = w->taken};
    for (size_t run = 0; run < run_count(w->in); run++) {
        int side = run >= w->in->runs[0];

        if (w->all[run].time > 0)
            result->rest[side] += w->rest[run].time / w->all[run].time /
                                  (double)w->in->runs[side];
    }
}

int compare(const struct compare_input *in, struct compare_row *rows,
            struct compare_result *result)
{
    struct compare_work w = {.in = in, .rows = rows};
    int status = -1;

    w.all = calloc(run_count(in), sizeof *w.all);
    w.rest = calloc(run_count(in), sizeof *w.rest);
    w.left = calloc(in->functions + 1, sizeof *w.left);
    if (in->inside != NULL) {
        w.totals =
            calloc(run_count(in) * (in->functions + 1), sizeof *w.totals);
        w.around = calloc(in->functions + 1, sizeof *w.around);
        if (w.totals == NULL || w.around == NULL)
            goto out;
        for (size_t i = 0; i < in->functions; i++)
            if (in->inside[i] != COMPARE_TOP)
                w.around[in->inside[i]] = true;
    }
    if (w.all == NULL || w.rest == NULL || w.left == NULL)
        goto out;
    begin(&w);
    judge_rest(&w);
    for (unsigned step = 1; take_out(&w, step) != 0; step++)
        judge_rest(&w);
    for (unsigned i = 0; i < STEPS_MAX && put_back(&w);)
        i++;
    state_all(&w);
    sum_up(&w, result);
    judge_covered(&w);
    status = 0;

out:
    free(w.all);
    free(w.rest);
    free(w.left);
    free(w.totals);
    free(w.around);
    return status;
}
