/* SPDX-License-Identifier: BSD-2-Clause */
/* The selection, and the time lines of cores, as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "diagnose/selected.h"
#include "report/json/json_scope.h"
#include "view/time/boot.h"
#include "view/time/latency.h"
#include "view/time/timeline.h"

/* Most slices of a time line. */
#define SLICES_MOST 200

static void write_cores(struct json_object *o, const struct profile *p)
{
    FILE *out = json_member(o, "cores");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < p->core_count; i++) {
        if (!p->cores[i].selected || p->cores[i].absent)
            continue;
        json_comma(out, &first);
        (void)fprintf(out, "%" PRIu32, p->cores[i].core);
    }
    (void)putc(']', out);
}

void json_filters(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    struct json_object in = json_inner(o, "filters");
    bool all = true;

    for (size_t i = 0; i < p->core_count; i++)
        all &= p->cores[i].selected;
    if (!all)
        write_cores(&in, p);
    if (p->from_s > 0)
        json_real(&in, "from_seconds", p->from_s);
    if (p->to_s > 0)
        json_real(&in, "to_seconds", p->to_s);
    if (r->without != NULL)
        json_text(&in, "exclude", r->without);
    json_end(&in);
}

/* Write one activity of (core) in each slice. */
#define WRITE_SLICES(o, member)                                                \
    write_slices(o, #member, t, core, offsetof(struct timeline_slice, member), \
                 hz)

static void write_slices(struct json_object *o, const char *key,
                         const struct timeline *t, size_t core, size_t member,
                         double hz)
{
    FILE *out = json_member(o, key);
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < t->count; i++) {
        const char *slice = (const char *)timeline_at(t, core, i);

        json_comma(out, &first);
        json_number(out, *(const double *)(const void *)(slice + member) / hz);
    }
    (void)putc(']', out);
}

static void write_core(FILE *out, const struct timeline *t,
                       const struct profile *p, size_t core)
{
    struct json_object o = json_begin(out);
    double hz = (double)p->tsc_hz;

    json_count(&o, "core", p->cores[core].core);
    WRITE_SLICES(&o, busy);
    WRITE_SLICES(&o, unseen);
    WRITE_SLICES(&o, idle);
    WRITE_SLICES(&o, late);
    WRITE_SLICES(&o, lost);
    json_end(&o);
}

/* Time until which the times of all samples were kept; INFINITY if to the
 * end. */
static double kept_until(const struct profile *p)
{
    double until = INFINITY;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].selected && p->cores[i].moments_until != INT64_MAX)
            until = fmin(until,
                         (double)p->cores[i].moments_until / (double)p->tsc_hz);
    return fmax(until, 0);
}

static void write_timeline(struct json_object *o, const struct timeline *t,
                           const struct profile *p)
{
    struct json_object in = json_inner(o, "timeline");
    FILE *out;
    bool first = true;

    json_real(&in, "from_seconds", t->from_s);
    json_real(&in, "slice_seconds", t->slice_s);
    json_count(&in, "slices", t->count);
    if (isfinite(kept_until(p)))
        json_real(&in, "kept_until_seconds", kept_until(p));
    out = json_member(&in, "cores");
    (void)putc('[', out);
    for (size_t i = 0; i < p->core_count; i++) {
        if (!p->cores[i].selected || p->cores[i].absent)
            continue;
        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        write_core(out, t, p, i);
    }
    (void)putc(']', out);
    json_end(&in);
}

void json_timeline(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    struct selected_range span = selected_span(p);
    struct timeline *t =
        timeline_round(p, r->view, span.from_s, span.to_s, SLICES_MOST);

    if (t != NULL)
        write_timeline(o, t, p);
    timeline_free(t);
}

/* --- Latency -------------------------------------------------------------- */

/* Limit of functions in the list, which has those with the most latency; and
 * the smallest part of all latency for a function in the list. */
#define LATENCY_MOST  1000u
#define LATENCY_LEAST 1e-4

struct numbered {
    uint32_t function;
    const struct latency_sum *sum;
};

static int by_latency(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;

    if (left->sum->self.time != right->sum->self.time)
        return left->sum->self.time < right->sum->self.time ? 1 : -1;
    return (left->function > right->function) -
           (left->function < right->function);
}

/* Fill (list) with the functions that have latency. Returns their number. */
static size_t list_latency(struct numbered *list, const struct latency *l,
                           const struct view *v)
{
    size_t count = 0;

    for (uint32_t i = 0; i < v->function_count; i++)
        if (l->functions[i].total.time > LATENCY_LEAST * l->whole.time)
            list[count++] = (struct numbered){i, &l->functions[i]};
    if (count != 0)
        qsort(list, count, sizeof *list, by_latency);
    return count < LATENCY_MOST ? count : LATENCY_MOST;
}

static void write_latency(struct json_object *o, const struct report *r,
                          const struct latency *l, struct numbered *list)
{
    size_t count = list_latency(list, l, r->view);
    FILE *out = json_member(o, "latency");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < count; i++) {
        json_comma(out, &first);
        (void)fputs("\n ", out);
        struct json_object in = json_begin(out);

        json_text(&in, "name", r->view->functions[list[i].function].name);
        json_amount(&in, "self", r->profile, &list[i].sum->self, &l->whole);
        json_amount(&in, "total", r->profile, &list[i].sum->total, &l->whole);
        json_end(&in);
    }
    (void)putc(']', out);
}

void json_latency(struct json_object *o, const struct report *r)
{
    struct latency *l = latency_new(r->profile, r->view);
    struct numbered *list = calloc(r->view->function_count + 1, sizeof *list);

    if (l != NULL && list != NULL && l->whole.samples != 0)
        write_latency(o, r, l, list);
    free(list);
    latency_free(l);
}

/* --- The start of a guest ---------------------------------------------------
 */

static void write_boot_core(FILE *out, const struct report *r,
                            const struct boot_core *c, uint32_t core)
{
    struct json_object in = json_begin(out);
    double hz = (double)r->profile->tsc_hz;
    bool first = true;

    json_count(&in, "core", core);
    json_real(&in, "seen_seconds", c->seen / hz);
    FILE *list = json_member(&in, "functions");

    (void)putc('[', list);
    for (size_t i = 0; i < c->count; i++) {
        json_comma(list, &first);
        struct json_object o = json_begin(list);

        json_text(&o, "name", r->view->functions[c->top[i].function].name);
        json_real(&o, "seconds", c->top[i].time / hz);
        json_end(&o);
    }
    (void)putc(']', list);
    json_end(&in);
}

static void write_phase(FILE *out, const struct report *r,
                        const struct boot_phase *phase)
{
    struct json_object in = json_begin(out);
    double hz = (double)r->profile->tsc_hz;
    bool first = true;

    json_text(&in, "until", phase->until);
    json_real(&in, "from_seconds", (double)phase->from / hz);
    json_real(&in, "to_seconds", (double)phase->to / hz);
    FILE *cores = json_member(&in, "cores");

    (void)putc('[', cores);
    for (size_t i = 0; i < r->profile->core_count; i++) {
        if (phase->cores[i].count == 0)
            continue;
        json_comma(cores, &first);
        write_boot_core(cores, r, &phase->cores[i], r->profile->cores[i].core);
    }
    (void)putc(']', cores);
    json_end(&in);
}

void json_boot(struct json_object *o, const struct report *r)
{
    struct boot *b = boot_new(r->profile, r->view);
    bool first = true;

    if (b == NULL)
        return;
    struct json_object in = json_inner(o, "boot");

    json_real(&in, "dark_seconds",
              (double)b->first / (double)r->profile->tsc_hz);
    FILE *phases = json_member(&in, "phases");

    (void)putc('[', phases);
    for (size_t i = 0; i < b->count; i++) {
        json_comma(phases, &first);
        write_phase(phases, r, &b->phases[i]);
    }
    (void)putc(']', phases);
    json_end(&in);
    boot_free(b);
}
