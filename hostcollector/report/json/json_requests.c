/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests as JSON. */
#include "report/json/json_scope.h"
#include "report/table.h"

static void write_times(struct json_object *o, const struct profile *p,
                        const struct request_times *t)
{
    json_seconds(o, "request_seconds", p, (double)t->time);
    json_seconds(o, "running_seconds", p, (double)t->running);
    json_seconds(o, "ready_seconds", p, (double)t->ready);
    json_seconds(o, "blocked_seconds", p, (double)t->blocked);
}

static void write_kind(FILE *out, bool *first, const struct profile *p,
                       size_t kind)
{
    static const struct {
        const char *name;
        double share;
    } parts[] = {{"p50_seconds", .5},
                 {"p90_seconds", .9},
                 {"p99_seconds", .99},
                 {"p999_seconds", .999}};
    const struct profile_request *k = &p->requests[kind];
    struct json_object o = json_element(out, first);

    json_count(&o, "kind", kind);
    json_text(&o, "name", k->name);
    json_seconds(&o, "seconds", p, (double)k->wall);
    json_count(&o, "count", k->count);
    write_times(&o, p, &k->times);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double ticks = table_percentile(k, parts[i].share);

        if (ticks >= 0)
            json_seconds(&o, parts[i].name, p, ticks);
    }
    json_seconds(&o, "longest_seconds", p, (double)k->longest);
    json_count(&o, "open", k->open);
    json_count(&o, "refused", k->refused);
    json_count(&o, "slow", k->slow);
    json_count(&o, "slow_told", k->told);
    json_end(&o);
}

static void write_slow(FILE *out, bool *first, const struct profile *p,
                       const struct profile_slow *s)
{
    struct json_object o = json_element(out, first);

    json_count(&o, "kind", s->kind);
    json_count(&o, "number", s->number);
    json_seconds(&o, "began_seconds", p, (double)s->began);
    write_times(&o, p, &s->times);
    if (s->longest != 0)
        json_seconds(&o, "longest_wait_seconds", p, (double)s->longest);
    if (s->wait != 0)
        json_count(&o, "wait", s->wait - 1);
    if (s->thread != 0)
        json_count(&o, "thread", s->thread);
    json_end(&o);
}

void json_requests(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    FILE *out = o->out;
    bool first = true;

    if (p->request_count == 0)
        return;
    (void)putc('[', json_member(o, "requests"));
    for (size_t i = 0; i < p->request_count; i++)
        if (p->requests[i].wall != 0)
            write_kind(out, &first, p, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(o, "slow_requests"));
    for (size_t i = 0; i < p->slow_count; i++)
        write_slow(out, &first, p, &p->slow[i]);
    (void)putc(']', out);
}
