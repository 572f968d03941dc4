/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests, and the slowest of them, for an HTML page. */
#include "report/html/html_data.h"

#include <inttypes.h>

#include "report/json_object.h"
#include "report/name.h"
#include "report/table.h"

static void write_times(struct json_object *o, const struct request_times *t)
{
    json_count(o, "time", t->time);
    json_count(o, "running", t->running);
    json_count(o, "ready", t->ready);
    json_count(o, "blocked", t->blocked);
}

/* Write the times that 50, 90, 99 and 99.9 % of the requests do not exceed. */
static void write_within(struct json_object *o, const struct profile_request *k)
{
    static const double shares[] = {.5, .9, .99, .999};
    FILE *out = json_member(o, "within");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double ticks = table_percentile(k, shares[i]);

        if (ticks < 0)
            continue;
        json_comma(out, &first);
        json_number(out, ticks);
    }
    (void)putc(']', out);
}

/* Write kind number (kind). Its sums are in TSC ticks. */
static void write_kind(FILE *out, bool *first, const struct profile *p,
                       size_t kind)
{
    const struct profile_request *k = &p->requests[kind];
    struct json_object o = json_element(out, first);

    json_count(&o, "kind", kind);
    json_text(&o, "name", k->name);
    json_count(&o, "wall", k->wall);
    json_count(&o, "count", k->count);
    write_times(&o, &k->times);
    write_within(&o, k);
    json_count(&o, "longest", k->longest);
    json_count(&o, "refused", k->refused);
    json_end(&o);
}

/* Write a slow request. Its number is text, because it may have 64 bits. */
static void write_slow(FILE *out, bool *first, const struct profile_slow *s)
{
    struct json_object o = json_element(out, first);
    char number[24];

    (void)snprintf(number, sizeof number, "%" PRIu64, s->number);
    json_count(&o, "kind", s->kind);
    json_text(&o, "number", number);
    json_real(&o, "began", (double)s->began);
    write_times(&o, &s->times);
    json_count(&o, "longest", s->longest);
    json_count(&o, "wait", s->wait);
    json_count(&o, "thread", s->thread);
    json_end(&o);
}

void html_requests(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    struct json_object o = {out, false};
    bool first = true;

    if (p->request_count == 0)
        return;
    (void)putc('[', json_member(&o, "requests"));
    for (size_t i = 0; i < p->request_count; i++)
        if (p->requests[i].wall != 0)
            write_kind(out, &first, p, i);
    (void)putc(']', out);
    first = true;
    (void)putc('[', json_member(&o, "slow"));
    for (size_t i = 0; i < p->slow_count; i++)
        write_slow(out, &first, &p->slow[i]);
    (void)putc(']', out);
}
