/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a guest that samples from boot, in phases. */
#include "view/time/boot.h"

#include <math.h>
#include <stdlib.h>

#include "profile/aggregate/sample_log.h"
#include "view/view_build.h"

/* Returns the innermost function of each entry of a core. The last element is
 * for the samples in no entry. NULL if there is no memory. */
static uint32_t *functions_of(const struct profile *p, const struct view *v,
                              size_t core)
{
    size_t count = p->cores[core].entry_count + 1;
    uint32_t *functions = calloc(count, sizeof *functions);
    struct view_path path;

    for (size_t i = 0; functions != NULL && i < count; i++) {
        functions[i] = VIEW_OTHERS;
        if (!view_leaf_of(v, core, i, &path))
            continue;
        for (size_t s = 0; s < path.count && !path.idle; s++)
            if (path.steps[s].function >= VIEW_MARKS)
                functions[i] = path.steps[s].function;
        if (path.idle)
            functions[i] = VIEW_IDLE;
    }
    return functions;
}

/* Insert (function) into the list of the functions with most time. */
static void rank(struct boot_core *c, uint32_t function, double time)
{
    size_t at = c->count < BOOT_TOP ? c->count++ : BOOT_TOP;

    while (at > 0 && c->top[at - 1].time < time) {
        if (at < BOOT_TOP)
            c->top[at] = c->top[at - 1];
        at--;
    }
    if (at < BOOT_TOP) {
        c->top[at].function = function;
        c->top[at].time = time;
    }
}

/* Add the time of (m) to the phases in which the time lies. (times) has a row
 * of functions for each phase. */
static void spread(const struct boot *b, const struct view *v, double *times,
                   uint32_t function, const struct moment *m)
{
    double end = (double)b->first + (double)m->ticks, start = end - m->time;

    for (size_t i = 0; i < b->count; i++) {
        double from = fmax(start, (double)b->phases[i].from);
        double to = fmin(end, (double)b->phases[i].to);

        if (from < to)
            times[i * v->function_count + function] += to - from;
    }
}

static int add_core(struct boot *b, const struct profile *p,
                    const struct view *v, size_t core)
{
    const struct profile_core *c = &p->cores[core];
    uint32_t *functions = functions_of(p, v, core);
    double *times = calloc(b->count * v->function_count + 1, sizeof *times);
    struct sample_log_reader reader = sample_log_read(c);
    bool done = functions != NULL && times != NULL;
    struct moment m;

    while (done && sample_log_next(&reader, &m))
        spread(b, v, times, functions[moment_entry(c, &m)], &m);
    for (size_t i = 0; done && i < b->count; i++)
        for (uint32_t f = 0; f < v->function_count; f++) {
            double time = times[i * v->function_count + f];

            b->phases[i].cores[core].seen += time;
            if (time > 0)
                rank(&b->phases[i].cores[core], f, time);
        }
    free(times);
    free(functions);
    return done ? 0 : -1;
}

/* Make a phase of each mark after the first sample. Returns 0; -1 if there is
 * no memory. */
static int make_phases(struct boot *b, const struct profile *p)
{
    uint64_t from = b->first;

    for (size_t i = 0; i < p->mark_count; i++) {
        struct boot_phase *phase = &b->phases[b->count];

        if (p->marks[i].tsc <= from)
            continue;
        *phase = (struct boot_phase){
            .until = p->marks[i].name,
            .from = from,
            .to = p->marks[i].tsc,
            .cores = calloc(p->core_count + 1, sizeof *phase->cores)};
        b->count++;
        from = phase->to;
        if (phase->cores == NULL)
            return -1;
    }
    return 0;
}

struct boot *boot_new(const struct profile *p, const struct view *v)
{
    struct boot *b;

    if (!p->from_boot || p->boots != 1 || p->mark_count == 0 ||
        p->tsc_hz == 0 || (b = calloc(1, sizeof *b)) == NULL)
        return NULL;
    b->first = p->start_tsc;
    int result = make_phases(b, p);

    for (size_t i = 0; result == 0 && i < p->core_count; i++)
        result = add_core(b, p, v, i);
    if (result == 0 && b->count != 0)
        return b;
    boot_free(b);
    return NULL;
}

void boot_free(struct boot *b)
{
    for (size_t i = 0; b != NULL && i < b->count; i++)
        free(b->phases[i].cores);
    free(b);
}
