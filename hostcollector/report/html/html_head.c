/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON text of a guest's block: guest, time, rate, losses. */
#include <inttypes.h>
#include <math.h>

#include "diagnose/cost.h"
#include "diagnose/lateness.h"
#include "diagnose/selected.h"
#include "report/html/html_data.h"
#include "report/json/json_scope.h"
#include "report/json_text.h"
#include "report/report_options.h"
#include "report/table.h"

static void write_key(FILE *out, const char *key)
{
    (void)fprintf(out, ",\"%s\":", key);
}

static void write_text(FILE *out, const char *key, const char *text)
{
    write_key(out, key);
    json_string(out, text != NULL ? text : "");
}

static void write_number(FILE *out, const char *key, double n)
{
    write_key(out, key);
    json_number(out, n);
}

static void write_flag(FILE *out, const char *key, bool flag)
{
    write_key(out, key);
    (void)fputs(flag ? "true" : "false", out);
}

static void write_remarks(FILE *out, const struct remarks *remarks)
{
    bool first = true;

    write_key(out, "remarks");
    (void)putc('[', out);
    for (size_t i = 0; i < remarks->count; i++) {
        json_comma(out, &first);
        (void)fprintf(out, "{\"warning\":%s",
                      remarks->list[i].warning ? "true" : "false");
        write_text(out, "text", remarks->list[i].text);
        (void)putc('}', out);
    }
    (void)putc(']', out);
}

/* Seconds in which something was lost: second, samples, lost. */
static void write_lost(FILE *out, const struct profile_core *core)
{
    bool first = true;

    write_key(out, "lost");
    (void)putc('[', out);
    for (size_t i = 0; i < core->second_count; i++) {
        const struct profile_second *s = &core->seconds[i];

        if (s->lost == 0)
            continue;
        json_comma(out, &first);
        (void)fprintf(out, "[%zu,%" PRIu32 ",%" PRIu32 "]", i, s->samples,
                      s->lost);
    }
    (void)putc(']', out);
}

/* Write a core. It has no account if it was not selected. */
static void write_core(FILE *out, const struct profile *p,
                       const struct profile_core *core)
{
    const struct account rest = selected_rest(p, core), *a = &rest;

    (void)fprintf(out,
                  "{\"core\":%" PRIu32 ",\"account\":{\"samples\":%" PRIu64
                  ",\"lost\":%" PRIu64 ",\"ring_full\":%" PRIu64
                  ",\"reentered\":%" PRIu64 ",\"missed\":%" PRIu64 "}",
                  core->core, a->samples, a->lost, a->ring_full, a->reentered,
                  a->missed);
    write_flag(out, "exact", account_is_exact(a));
    write_lost(out, core);
    (void)putc('}', out);
}

static void write_cores(FILE *out, const struct profile *p)
{
    bool first = true;

    write_key(out, "cores");
    (void)putc('[', out);
    for (size_t i = 0; i < p->core_count; i++) {
        json_comma(out, &first);
        write_core(out, p, &p->cores[i]);
    }
    (void)putc(']', out);
}

/* Write how the page is shown at first. */
static void write_asked(FILE *out, const struct report *r)
{
    const char *function = r->callers_of != NULL ? r->callers_of : r->function;

    write_key(out, "shown");
    (void)fprintf(out, "{\"rows\":%" PRIu32, r->top);
    write_text(out, "mode", r->idle ? "idle" : r->of_all ? "all" : "busy");
    write_text(out, "sort", report_options_order(r));
    write_flag(out, "inverted", r->inverted);
    write_flag(out, "latency", r->latency);
    write_text(out, "by", r->by == VIEW_BY_THREAD ? "thread" : "core");
    write_text(out, "function", function);
    if (r->annotation != NULL)
        write_number(out, "lines", r->annotation->function);
    (void)putc('}', out);
}

static void write_images(FILE *out, const struct view *v, const char *kernel)
{
    bool first = true;

    write_key(out, "images");
    (void)putc('[', out);
    for (size_t i = 0; i < v->image_count; i++) {
        json_comma(out, &first);
        json_string(out,
                    v->images[i].name != NULL ? v->images[i].name : kernel);
    }
    (void)putc(']', out);
}

/* Write the functions that are marked as moved. */
static void write_moved(FILE *out, const struct view *v)
{
    bool first = true;

    write_key(out, "moved");
    (void)putc('[', out);
    for (size_t i = 0; i < v->total.row_count; i++) {
        const struct view_row *row = &v->total.rows[i];

        if (!table_is_moved(v, row))
            continue;
        json_comma(out, &first);
        (void)fprintf(out, "%" PRIu32, row->function);
    }
    (void)putc(']', out);
}

/* Number of slots that have all their moments. */
static double timed_slots(const struct profile *p, struct html_slots slots)
{
    double until = (double)slots.count;

    for (size_t i = 0; i < p->core_count && p->tsc_hz != 0; i++) {
        double ticks = (double)p->cores[i].moments_until;

        if (p->cores[i].moments_until != INT64_MAX)
            until = fmin(until,
                         floor(ticks / (double)p->tsc_hz * slots.per_second));
    }
    return fmax(until, 0);
}

void html_head(FILE *out, const struct report *r, const char *title,
               struct html_slots slots)
{
    const struct profile *p = r->profile;
    const struct cost cost = cost_of(p);
    const struct steal steal = cost_steal_of(p);
    struct json_object boot = {out, false};

    (void)fputs("{\"format\":1", out);
    write_text(out, "title", title);
    write_text(out, "guest", r->guest);
    write_text(out, "elf", r->elf);
    write_text(out, "source", r->source);
    write_text(out, "agent", p->guest.agent_version);
    if (r->without != NULL)
        write_text(out, "without", r->without);
    write_flag(out, "part", selected_span(p).part);
    write_asked(out, r);
    write_number(out, "wall_start", p->wall_start);
    write_number(out, "duration_s", p->duration_s);
    write_number(out, "rate_hz",
                 p->has_status && p->status.rate_hz != 0 ? p->status.rate_hz
                                                         : p->guest.rate_hz);
    write_number(out, "tsc_hz", (double)p->tsc_hz);
    write_flag(out, "tsc_measured", p->tsc_measured);
    write_number(out, "period_tsc", (double)p->period_tsc);
    write_number(out, "slots_per_s", slots.per_second);
    write_number(out, "slots", (double)slots.count);
    write_number(out, "timed_slots", timed_slots(p, slots));
    write_flag(out, "idle_unknown", r->view->idle_unknown);
    write_number(out, "cost_share",
                 cost.cores != 0 && !cost.senseless ? cost.share : -1);
    write_flag(out, "stood_still", cost.stood);
    write_number(out, "late_ticks", (double)LATE_TICKS);
    write_number(out, "late_least",
                 lateness_least(p, r->view, r->remarks->host_short));
    write_number(out, "steal", steal.cores != 0 ? steal.mean : -1);
    write_moved(out, r->view);
    write_images(out, r->view, title);
    write_cores(out, p);
    html_threads(out, r);
    html_requests(out, r);
    html_locks(out, r);
    json_boot(&boot, r);
    write_remarks(out, r->remarks);
    (void)putc('}', out);
}
