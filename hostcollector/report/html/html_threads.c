/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, their waits, and the scheduling of cores, for an HTML page. */
#include "report/html/html_data.h"

#include <inttypes.h>

#include "report/json_object.h"
#include "report/name.h"

/* Write thread (i). Its sums are in TSC ticks. */
static void write_thread(FILE *out, bool *first, const struct profile *p,
                         uint32_t i)
{
    const struct profile_thread *t = &p->threads[i];
    struct json_object o = json_element(out, first);
    char name[NAME_PLAIN];

    json_text(&o, "name", name_of_thread(name, p, i + 1));
    json_flag(&o, "idle", t->idle);
    json_flag(&o, "ended", t->ended);
    json_count(&o, "wall", t->wall);
    json_count(&o, "running", t->running);
    json_count(&o, "ready", t->ready);
    json_count(&o, "blocked", t->blocked);
    json_count(&o, "switches", t->switches);
    json_count(&o, "longest", t->longest);
    json_end(&o);
}

/* Write wait (i) with the numbers of the functions of its stack. */
static void write_wait(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile_wait *w = &r->profile->waits[i];
    const struct view_wait *stack = &r->view->waits[i];
    struct json_object o = json_element(out, first);
    bool open = false;

    json_count(&o, "thread", w->thread);
    json_flag(&o, "ends", w->kind == WIRE_WAIT_WAKER);
    json_count(&o, "count", w->count);
    json_count(&o, "time", w->time);
    json_count(&o, "longest", w->longest);
    json_count(&o, "open", w->open);
    for (size_t k = 0; k < stack->count; k++)
        json_list_count(&o, "stack", &open, stack->functions[k]);
    json_close_list(&o, open);
    json_end(&o);
}

/* Write the sums of core (c). (ready) has for each class the number of times
 * from ready to running. */
static void write_sched(FILE *out, bool *first, const struct profile_core *c)
{
    const struct profile_sched *s = c->sched;
    struct json_object o = json_element(out, first);
    size_t classes = SCHED_CLASSES;
    bool open = false;

    json_count(&o, "core", c->core);
    json_count(&o, "wall", s->wall);
    json_count(&o, "switches", s->switches);
    json_count(&o, "running", s->running);
    json_count(&o, "idle", s->idle);
    json_count(&o, "other", s->unnamed);
    json_count(&o, "moved", s->moved);
    json_count(&o, "ready_idle", s->has_ready_idle ? s->ready_idle : 0);
    json_count(&o, "refused", s->refused);
    while (classes > 1 && s->ready[classes - 1] == 0)
        classes--;
    for (size_t i = 0; i < classes; i++)
        json_list_count(&o, "ready", &open, s->ready[i]);
    json_close_list(&o, open);
    json_end(&o);
}

void html_threads(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    struct json_object o = {out, false};
    bool first = true;

    if (p->thread_count == 0)
        return;
    (void)putc('[', json_member(&o, "threads"));
    for (uint32_t i = 0; i < p->thread_count; i++)
        write_thread(out, &first, p, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(&o, "waits"));
    for (size_t i = 0; i < p->wait_count; i++)
        write_wait(out, &first, r, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(&o, "scheduling"));
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].sched != NULL && p->cores[i].sched->switches != 0)
            write_sched(out, &first, &p->cores[i]);
    (void)putc(']', out);
}
