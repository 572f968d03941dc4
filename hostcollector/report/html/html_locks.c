/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks, the waits for them, and their holders, for an HTML page. */
#include "report/html/html_data.h"

#include "report/json_object.h"
#include "report/name.h"

static void write_times(struct json_object *o, const char *key,
                        const struct lock_times *t)
{
    struct json_object in = json_inner(o, key);

    json_count(&in, "count", t->count);
    json_count(&in, "time", t->time);
    json_count(&in, "ready", t->ready);
    json_count(&in, "blocked", t->blocked);
    json_count(&in, "longest", t->longest);
    json_end(&in);
}

/* Write lock (i). Its sums are in TSC ticks. */
static void write_lock(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile_lock *l = &r->profile->locks[i];
    struct json_object o = json_element(out, first);
    char name[NAME_PLAIN];

    json_text(&o, "name", name_of_lock(name, r, i));
    json_count(&o, "wall", l->wall);
    json_count(&o, "acquires", l->acquires);
    json_count(&o, "untimed", l->untimed);
    json_count(&o, "waiting", l->waiting);
    json_count(&o, "most_waiting", l->most_waiting);
    json_count(&o, "holding", l->is_held ? l->holding : 0);
    write_times(&o, "waits", &l->waits);
    write_times(&o, "holds", &l->holds);
    json_end(&o);
}

/* Write the waits or holds (i) with the numbers of the functions of their
 * stack. */
static void write_wait(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile_lock_wait *w = &r->profile->lock_waits[i];
    const struct view_wait *stack = &r->view->lock_waits[i];
    struct json_object o = json_element(out, first);
    bool open = false;

    json_count(&o, "lock", w->lock);
    json_count(&o, "thread", w->thread);
    json_flag(&o, "holds", w->kind == WIRE_LOCK_HELD);
    write_times(&o, "times", &w->waits);
    for (size_t k = 0; k < stack->count; k++)
        json_list_count(&o, "stack", &open, stack->functions[k]);
    json_close_list(&o, open);
    json_end(&o);
}

void html_locks(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    struct json_object o = {out, false};
    bool first = true;

    if (p->lock_count == 0)
        return;
    (void)putc('[', json_member(&o, "locks"));
    for (size_t i = 0; i < p->lock_count; i++)
        write_lock(out, &first, r, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(&o, "lock_waits"));
    for (size_t i = 0; i < p->lock_wait_count; i++)
        write_wait(out, &first, r, i);
    (void)putc(']', out);
}
