/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks, the waits for them, and their holders as JSON. */
#include "report/json/json_scope.h"
#include "report/name.h"

static void write_times(struct json_object *o, const char *key,
                        const struct profile *p, const struct lock_times *t)
{
    struct json_object in = json_inner(o, key);

    json_count(&in, "count", t->count);
    json_seconds(&in, "seconds", p, (double)t->time);
    json_seconds(&in, "ready_seconds", p, (double)t->ready);
    json_seconds(&in, "blocked_seconds", p, (double)t->blocked);
    json_seconds(&in, "shortest_seconds", p, (double)t->least);
    json_seconds(&in, "longest_seconds", p, (double)t->longest);
    json_end(&in);
}

static void write_lock(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile *p = r->profile;
    const struct profile_lock *l = &p->locks[i];
    struct json_object o = json_element(out, first);
    char name[NAME_PLAIN];

    json_count(&o, "number", i + 1);
    json_text(&o, "name", name_of_lock(name, r, i));
    json_count(&o, "address", l->address);
    json_seconds(&o, "seconds", p, (double)l->wall);
    json_count(&o, "acquires", l->acquires);
    json_count(&o, "waiting", l->waiting);
    json_count(&o, "most_waiting", l->most_waiting);
    if (l->is_held)
        json_seconds(&o, "holding_seconds", p, (double)l->holding);
    if (l->untimed != 0)
        json_count(&o, "untimed", l->untimed);
    write_times(&o, "waits", p, &l->waits);
    write_times(&o, "holds", p, &l->holds);
    json_end(&o);
}

static void write_wait(FILE *out, bool *first, const struct report *r, size_t i)
{
    const struct profile *p = r->profile;
    const struct profile_lock_wait *w = &p->lock_waits[i];
    struct json_object o = json_element(out, first);

    json_count(&o, "lock", w->lock + 1);
    if (w->thread != 0)
        json_count(&o, "thread", w->thread);
    json_text(&o, "kind", w->kind == WIRE_LOCK_HELD ? "held at" : "at");
    write_times(&o, w->kind == WIRE_LOCK_HELD ? "holds" : "waits", p,
                &w->waits);
    json_stack(&o, r, &r->view->lock_waits[i]);
    json_end(&o);
}

void json_locks(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    FILE *out = o->out;
    bool first = true;

    if (p->lock_count == 0)
        return;
    (void)putc('[', json_member(o, "locks"));
    for (size_t i = 0; i < p->lock_count; i++)
        write_lock(out, &first, r, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(o, "lock_waits"));
    for (size_t i = 0; i < p->lock_wait_count; i++)
        write_wait(out, &first, r, i);
    (void)putc(']', out);
}
