/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as JSON. report.schema.json explains every name. */
#include "report/render.h"

#include <stdlib.h>

#include "diagnose/cost.h"
#include "diagnose/lateness.h"
#include "diagnose/selected.h"
#include "diagnose/work_share.h"
#include "report/json/json_scope.h"
#include "report/json_object.h"

/* Version of the format. It rises when a name or its meaning changes, not for a
 * new name. */
#define JSON_VERSION 1

/* The state of the document. The list of guests is open until the sums over all
 * guests, or the end of the document, are written. */
struct document {
    bool first, closed;
};

static void begin(struct render *to)
{
    struct document *d = calloc(1, sizeof *d);

    to->state = d;
    to->no_memory = d == NULL;
    if (d == NULL)
        return;
    d->first = true;
    (void)fprintf(to->out,
                  "{\"format\":\"tprof-report\",\"version\":%d,\n\"guests\":[",
                  JSON_VERSION);
}

static void close_guests(struct render *to)
{
    struct document *d = to->state;

    if (!d->closed)
        (void)fputs("]", to->out);
    d->closed = true;
}

static void write_remarks(struct json_object *o, const char *key,
                          const struct remarks *remarks, bool warnings)
{
    FILE *out = json_member(o, key);
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < remarks->count; i++) {
        if (remarks->list[i].warning != warnings)
            continue;
        json_comma(out, &first);
        json_string(out, remarks->list[i].text);
    }
    (void)putc(']', out);
}

static void write_lateness(struct json_object *o, const struct report *r)
{
    const struct view_scope *all = &r->view->total;
    struct json_object in = json_inner(o, "late");
    double hz = (double)r->profile->tsc_hz;

    if (hz > 0) {
        json_real(&in, "least_seconds", (double)LATE_TICKS / hz);
        json_real(&in, "seconds", all->late / hz);
    }
    json_real(&in, "share", lateness_part(all->late, all->busy.time));
    json_end(&in);
}

static void write_cost(struct json_object *o, const struct profile *p)
{
    struct cost cost = cost_of(p);
    double hz = (double)p->tsc_hz;

    if (cost.cores == 0 || cost.senseless)
        return;
    struct json_object in = json_inner(o, "cost");

    if (cost.share >= 0)
        json_real(&in, "share", cost.share);
    if (cost.stood)
        json_flag(&in, "stood_still", true);
    if (p->tsc_hz != 0) {
        json_real(&in, "seconds_per_tick", cost.tick / hz);
        json_real(&in, "longest_seconds", cost.longest / hz);
    }
    json_end(&in);
}

static void write_steal(struct json_object *o, const struct profile *p)
{
    struct steal steal = cost_steal_of(p);

    if (steal.cores == 0)
        return;
    struct json_object in = json_inner(o, "stolen");

    json_real(&in, "share", steal.mean);
    json_real(&in, "most", steal.most);
    json_count(&in, "most_of_core", steal.core);
    json_end(&in);
}

static void write_work(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    FILE *out = json_member(o, "work");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < p->work_count; i++) {
        struct work_rate work = work_of(p, r->view, &p->work[i]);

        json_comma(out, &first);
        struct json_object in = json_begin(out);

        json_text(&in, "name", p->work[i].name);
        json_count(&in, "units", p->work[i].units);
        json_real(&in, "seconds", work.seconds);
        json_real(&in, "per_second", work.rate);
        if (work.busy_s > 0)
            json_real(&in, "busy_seconds_per_unit", work.busy_s);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_stream(struct json_object *o, const struct stream_health *h)
{
    struct json_object in = json_inner(o, "stream");

    json_count(&in, "bytes", h->bytes);
    json_count(&in, "frames", h->frames);
    json_count(&in, "before_hello", h->before_hello);
    json_count(&in, "skipped_bytes", h->skipped);
    json_count(&in, "damaged", h->damaged);
    json_count(&in, "lost_frames", h->lost_frames);
    json_count(&in, "left_out", h->left_out);
    json_count(&in, "malformed", h->malformed);
    json_count(&in, "unknown_frames", h->unknown_frames);
    json_count(&in, "unknown_records", h->unknown_records);
    json_end(&in);
}

/* Write members about the samples, for facts that are unknown. */
static void write_unknown(struct json_object *o, const struct report *r)
{
    const struct view *v = r->view;
    struct json_object in = json_inner(o, "unknown");

    json_flag(&in, "idle", v->idle_unknown);
    json_count(&in, "without_symbol", v->without_symbol);
    json_count(&in, "unreadable_stacks", v->unreadable);
    json_count(&in, "stacks_astray", v->astray);
    json_count(&in, "folded", v->folded);
    json_count(&in, "refused_stacks", r->profile->refused_stacks);
    json_count(&in, "refused_images", r->profile->refused_maps);
    json_end(&in);
}

/* Members for the samples that --exclude removed. */
static void write_without(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;
    struct json_object in = json_inner(o, "without");
    const struct tally less = selected_left_out(p);

    json_text(&in, "functions", r->without);
    json_count(&in, "samples", less.samples);
    if (p->tsc_hz != 0)
        json_real(&in, "seconds", less.time / (double)p->tsc_hz);
    json_end(&in);
}

static void write_about(struct json_object *o, const struct report *r)
{
    const struct profile *p = r->profile;

    json_text(o, "name", r->guest);
    json_text(o, "image", r->elf);
    json_text(o, "source", r->source);
    json_text(o, "agent", p->guest.agent_version);
    if (p->wall_start > 0)
        json_real(o, "begun", p->wall_start);
    if (p->duration_s > 0)
        json_real(o, "seconds", p->duration_s);
    json_count(o, "clock_hz", p->tsc_hz);
    json_count(o, "rate_hz",
               p->has_status && p->status.rate_hz != 0 ? p->status.rate_hz
                                                       : p->guest.rate_hz);
    if (p->tsc_hz != 0)
        json_real(o, "period_seconds",
                  (double)p->period_tsc / (double)p->tsc_hz);
    json_count(o, "boots", p->boots);
    json_count(o, "sessions", p->sessions);
    json_real(o, "interval", .95);
    if (r->without != NULL)
        write_without(o, r);
    json_filters(o, r);
}

/* Write all of (r), with a smaller view. */
static void write_report(struct render *to, const struct report *r)
{
    struct json_object o = json_begin(to->out);
    struct view *less = smaller_view_new(r->view);
    struct report small = *r;

    to->no_memory |= less == NULL;
    if (less != NULL)
        small.view = less;
    write_about(&o, r);
    write_remarks(&o, "warnings", r->remarks, true);
    write_remarks(&o, "notes", r->remarks, false);
    json_accounts(&o, r->profile);
    write_lateness(&o, r);
    write_cost(&o, r->profile);
    write_steal(&o, r->profile);
    write_work(&o, r);
    write_stream(&o, &r->profile->health);
    write_unknown(&o, &small);
    json_timeline(&o, r);
    json_boot(&o, r);
    json_latency(&o, r);
    if (less != NULL)
        json_view(&o, &small);
    json_threads(&o, r);
    json_locks(&o, r);
    json_requests(&o, r);
    json_end(&o);
    smaller_view_free(less);
}

static void write_json(struct render *to, const struct report *r)
{
    struct document *d = to->state;

    if (to->no_memory)
        return;
    (void)fputs(d->first ? "\n" : ",\n", to->out);
    d->first = false;
    write_report(to, r);
}

static void write_guest(FILE *out, const struct overall_guest *g)
{
    struct json_object o = json_begin(out);

    json_text(&o, "name", g->name);
    json_text(&o, "image", g->elf);
    json_count(&o, "samples", g->samples);
    json_count(&o, "lost", g->lost);
    if (g->busy >= 0)
        json_real(&o, "busy", g->busy);
    json_text(&o, "trouble", g->trouble);
    json_end(&o);
}

static void write_image(struct render *to, const struct overall_image *i)
{
    struct json_object image = json_begin(to->out);
    struct view *less = smaller_view_new(i->report.view);
    struct report small = i->report;

    json_text(&image, "image", i->report.elf);
    json_count(&image, "guests", i->guests);
    to->no_memory |= less == NULL;
    small.view = less;
    if (less != NULL)
        json_view(&image, &small);
    json_end(&image);
    smaller_view_free(less);
}

static void write_overall(struct render *to, const struct overall *o)
{
    FILE *out = to->out;
    bool first = true;

    if (to->no_memory)
        return;
    close_guests(to);
    (void)fputs(",\n\"all\":{\"guests\":[", out);
    for (size_t i = 0; i < o->guest_count; i++) {
        (void)fputs(i != 0 ? ",\n" : "\n", out);
        write_guest(out, &o->guests[i]);
    }
    (void)fputs("],\n\"images\":[", out);
    for (size_t i = 0; i < o->image_count; i++) {
        json_comma(out, &first);
        write_image(to, &o->images[i]);
    }
    (void)fputs("]}", out);
}

static void end(struct render *to)
{
    if (to->state != NULL) {
        close_guests(to);
        (void)fputs("}\n", to->out);
    }
    free(to->state);
}

const struct render_ops render_json = {
    .name = "json",
    .suffix = "json",
    .begin = begin,
    .write = write_json,
    .overall = write_overall,
    .end = end,
};
