/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks of blocked threads: `blocked;Ping;main;receive 1234`. */
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "report/name.h"

/*
 * The readers are those of folded.c. A line is of one thread and one stack. The
 * number is the time in microseconds for which the thread was blocked at the
 * stack. Idle threads have no lines.
 *
 * The guest counts wakes by thread, not by wait. If one stack ended all waits
 * of a thread, that stack follows a frame `[woken by]`, innermost function
 * first, so that it points at the wait in a flame graph.
 */

#define NO_WAKER SIZE_MAX

/* The ends of a thread's waits. */
struct wakes {
    uint64_t waits, wakes;
    size_t waker;   /* index of the last entry with wakes */
    size_t entries; /* number of entries with wakes */
};

/* Count the waits of threads of (p), and the wakes, by number of the thread.
 * NULL if there is no memory. */
static struct wakes *count_wakes(const struct profile *p)
{
    struct wakes *list = calloc(p->thread_count + 1, sizeof *list);

    for (size_t i = 0; list != NULL && i < p->wait_count; i++) {
        const struct profile_wait *w = &p->waits[i];
        struct wakes *of = &list[w->thread];

        if (w->kind != WIRE_WAIT_WAKER) {
            of->waits += w->count;
            continue;
        }
        of->wakes += w->count;
        of->waker = i;
        of->entries++;
    }
    return list;
}

/* The index of the wait whose stack ended all waits of (thread). NO_WAKER if
 * there were several stacks, or if some waits may have ended otherwise. */
static size_t waker_of(const struct wakes *list, const struct view *v,
                       uint32_t thread)
{
    const struct wakes *of = &list[thread], *several = &list[0];
    bool is_known = thread != 0 && of->entries == 1 && of->wakes == of->waits &&
                    several->waits == 0 && several->entries == 0;

    return is_known && v->waits[of->waker].count != 0 ? of->waker : NO_WAKER;
}

/* Begin a line with the guest and with the thread of (w). guard/claim.c knows
 * the files by "blocked;". */
static void write_thread(FILE *out, const struct report *r,
                         const struct profile_wait *w)
{
    char name[NAME_PLAIN];

    if (r->guest != NULL)
        (void)fprintf(out, "%s;", r->guest); /* a name without semicolons */
    (void)fputs("blocked;", out);
    export_folded_name(out, w->thread != 0
                                ? name_of_thread(name, r->profile, w->thread)
                                : "several threads");
}

static void write_stack(FILE *out, const struct view *v, size_t wait)
{
    const struct view_wait *stack = &v->waits[wait];

    if (stack->count == 0)
        (void)fputs(";[unknown stack]", out);
    for (size_t i = 0; i < stack->count; i++) {
        (void)putc(';', out);
        export_folded_name(out, v->functions[stack->functions[i]].name);
    }
}

static void write_waker(FILE *out, const struct view *v, size_t wait)
{
    const struct view_wait *stack = &v->waits[wait];

    (void)fputs(";[woken by]", out);
    for (size_t i = stack->count; i-- > 0;) {
        (void)putc(';', out);
        export_folded_name(out, v->functions[stack->functions[i]].name);
    }
}

/* End a line with (ticks) in microseconds; or in ticks, if the clock's rate is
 * unknown. */
static void write_time(FILE *out, const struct profile *p, double ticks)
{
    uint64_t unit = p->tsc_hz != 0 ? 1000 : 1;
    uint64_t time = (export_ns(p, ticks) + unit / 2) / unit;

    (void)fprintf(out, " %" PRIu64 "\n", time != 0 ? time : 1);
}

/* Write wait (i) of (r): the waits that have ended, and the wait that still
 * goes on. */
static void write_wait(FILE *out, const struct report *r, size_t i,
                       size_t waker)
{
    const struct profile_wait *w = &r->profile->waits[i];
    double open = waker == NO_WAKER ? 0 : (double)w->open;
    double time = (double)w->time + (double)w->open - open;

    if (time > 0) {
        write_thread(out, r, w);
        write_stack(out, r->view, i);
        if (waker != NO_WAKER)
            write_waker(out, r->view, waker);
        write_time(out, r->profile, time);
    }
    if (open > 0) {
        write_thread(out, r, w);
        write_stack(out, r->view, i);
        write_time(out, r->profile, open);
    }
}

static void write_waits(struct render *to, const struct report *r)
{
    const struct profile *p = r->profile;
    struct wakes *wakes = count_wakes(p);

    if (wakes == NULL)
        to->no_memory = true;
    for (size_t i = 0; wakes != NULL && i < p->wait_count; i++) {
        const struct profile_wait *w = &p->waits[i];
        bool idle = w->thread != 0 && p->threads[w->thread - 1].idle;

        if (w->kind == WIRE_WAIT_BLOCKED && !idle)
            write_wait(to->out, r, i, waker_of(wakes, r->view, w->thread));
    }
    free(wakes);
}

const struct render_ops render_waits = {
    .name = "waits",
    .suffix = "waits.folded",
    .has_waits = true,
    .write = write_waits,
};
