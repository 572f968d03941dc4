/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, their waits, and the scheduling of cores as JSON. */
#include <math.h>

#include "report/json/json_scope.h"

#define ROWS 50 /* functions of a thread */

/* Write the functions in which the thread of (scope) spent most time. */
static void write_functions(struct json_object *o, const struct report *r,
                            const struct view_scope *scope)
{
    FILE *out = json_member(o, "functions");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < scope->row_count && i < ROWS; i++) {
        const struct view_row *row = &scope->rows[i];
        struct json_object in = json_element(out, &first);

        json_text(&in, "name", r->view->functions[row->function].name);
        json_amount(&in, "self", r->profile, &row->self, &scope->busy);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* Write the samples of thread (number), if it is one of those with most. */
static void write_samples(struct json_object *o, const struct report *r,
                          uint32_t number)
{
    for (size_t i = 0; i < r->view->thread_count; i++) {
        const struct view_scope *scope = &r->view->threads[i];

        if (scope->core != number)
            continue;
        json_amount(o, "busy", r->profile, &scope->busy, &r->view->total.busy);
        write_functions(o, r, scope);
    }
}

static void write_thread(FILE *out, bool *first, const struct report *r,
                         uint32_t i)
{
    static const char *const states[] = {"running", "ready", "blocked"};
    const struct profile *p = r->profile;
    const struct profile_thread *t = &p->threads[i];
    struct json_object o = json_element(out, first);

    json_count(&o, "number", i + 1);
    json_text(&o, "name", t->name);
    json_count(&o, "id", t->id);
    json_count(&o, "serial", t->serial);
    json_flag(&o, "idle", t->idle);
    json_flag(&o, "ended", t->ended);
    if (t->state < WIRE_IS_UNKNOWN)
        json_text(&o, "state", states[t->state]);
    if (t->wall != 0) {
        json_seconds(&o, "seconds", p, (double)t->wall);
        json_seconds(&o, "running_seconds", p, (double)t->running);
        json_seconds(&o, "ready_seconds", p, (double)t->ready);
        json_seconds(&o, "blocked_seconds", p, (double)t->blocked);
        json_count(&o, "switches", t->switches);
    }
    if (t->waits != 0)
        json_count(&o, "in_wait", t->waits - 1);
    json_seconds(&o, "sampled_seconds", p, t->sampled);
    write_samples(&o, r, i + 1);
    json_end(&o);
}

static void write_wait(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile *p = r->profile;
    const struct profile_wait *w = &p->waits[i];
    struct json_object o = json_element(out, first);

    if (w->thread != 0)
        json_count(&o, "thread", w->thread);
    json_text(&o, "kind", w->kind == WIRE_WAIT_WAKER ? "ended by" : "at");
    json_count(&o, "count", w->count);
    json_seconds(&o, "seconds", p, (double)w->time);
    json_seconds(&o, "longest_seconds", p, (double)w->longest);
    if (w->open != 0)
        json_seconds(&o, "open_seconds", p, (double)w->open);
    json_stack(&o, r, &r->view->waits[i]);
    json_end(&o);
}

/* Write the classes of times from ready to running that occurred. */
static void write_ready(struct json_object *o, const struct profile *p,
                        const struct profile_sched *s)
{
    FILE *out = json_member(o, "ready_to_running");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < SCHED_CLASSES; i++) {
        if (s->ready[i] == 0)
            continue;
        json_comma(out, &first);
        struct json_object in = json_begin(out);

        json_seconds(&in, "below_seconds", p, ldexp(1, (int)i));
        json_count(&in, "count", s->ready[i]);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_sched(FILE *out, bool *first, const struct profile *p,
                        const struct profile_core *c)
{
    const struct profile_sched *s = c->sched;
    struct json_object o = json_element(out, first);

    json_count(&o, "core", c->core);
    json_seconds(&o, "seconds", p, (double)s->wall);
    json_count(&o, "switches", s->switches);
    json_count(&o, "moved", s->moved);
    json_seconds(&o, "running_seconds", p, (double)s->running);
    json_seconds(&o, "idle_seconds", p, (double)s->idle);
    json_seconds(&o, "other_seconds", p, (double)s->unnamed);
    if (s->has_ready_idle)
        json_seconds(&o, "idle_while_ready_seconds", p, (double)s->ready_idle);
    json_count(&o, "refused_threads", s->refused);
    write_ready(&o, p, s);
    json_end(&o);
}

void json_threads(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    FILE *out = o->out;
    bool first = true;

    if (p->thread_count == 0)
        return;
    (void)putc('[', json_member(o, "threads"));
    for (uint32_t i = 0; i < p->thread_count; i++)
        write_thread(out, &first, r, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(o, "thread_waits"));
    for (size_t i = 0; i < p->wait_count; i++)
        write_wait(out, &first, r, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(o, "scheduling"));
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].sched != NULL)
            write_sched(out, &first, p, &p->cores[i]);
    (void)putc(']', out);
}
