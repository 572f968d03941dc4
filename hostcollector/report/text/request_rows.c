/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of requests, and the slowest requests. */
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"
#include "util/text.h"

#define SLOWEST   5    /* rows, if there is no option for more */
#define WHOLE     20   /* rows in a file or a pipe */
#define ALL       1000 /* rows with --all */
#define LEFT      52   /* columns before the name of a kind */
#define SLOW_LEFT 34   /* columns before the name of a request */
#define ROWS      4    /* places at which slow requests waited */

/* Format (ticks) as a time; "?" if the clock is not known. */
static const char *time_text(char buf[TEXT_NUMBER], const struct profile *p,
                             double ticks)
{
    if (p->tsc_hz == 0)
        return "?";
    return text_seconds(buf, ticks / (double)p->tsc_hz);
}

/* Does the kernel report switches? Without them each request is running. */
static bool has_states(const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].sched != NULL && p->cores[i].sched->switches != 0)
            return true;
    return false;
}

/* The parts of (t) in percent: running, ready, blocked, and with no thread. */
struct parts {
    double running, ready, blocked, queued;
};

static struct parts parts_of(const struct request_times *t)
{
    double one = t->time != 0 ? (double)t->time / 100 : 1;
    struct parts p = {(double)t->running / one, (double)t->ready / one,
                      (double)t->blocked / one, 0};

    if (t->time != 0)
        p.queued = fmax(0, 100 - p.running - p.ready - p.blocked);
    return p;
}

double table_percentile(const struct profile_request *k, double share)
{
    double all = 0, sum = 0;
    size_t i = 0;

    if (k->buckets == NULL)
        return -1;
    for (size_t b = 0; b < WIRE_REQUEST_BUCKETS; b++)
        all += (double)k->buckets[b];
    if (all <= 0)
        return -1;
    while (i + 1 < WIRE_REQUEST_BUCKETS &&
           (sum += (double)k->buckets[i]) < share * all)
        i++;
    double middle = ((double)request_bucket_start(i) +
                     (double)request_bucket_start(i + 1) - 1) /
                    2;

    return middle < (double)k->longest || k->longest == 0 ? middle
                                                          : (double)k->longest;
}

static void write_kind(FILE *out, const struct report *r, size_t kind)
{
    static const double shares[] = {.5, .9, .99, .999};
    const struct profile *p = r->profile;
    const struct profile_request *k = &p->requests[kind];
    double seconds = p->tsc_hz != 0 ? (double)k->wall / (double)p->tsc_hz : 0;
    char buf[NAME_PLAIN], time[TEXT_NUMBER];

    if (seconds > 0)
        (void)fprintf(out, "%10.1f", (double)k->count / seconds);
    else
        (void)fprintf(out, "%10s", "?");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double ticks = table_percentile(k, shares[i]);

        (void)fprintf(out, " %7s",
                      ticks >= 0 ? time_text(time, p, ticks) : ".");
    }
    (void)fprintf(out, " %7s", time_text(time, p, (double)k->longest));
    (void)fputs("  ", out);
    text_cut(out, name_of_request(buf, p, kind), table_left(r, LEFT));
    (void)putc('\n', out);
    struct parts parts = parts_of(&k->times);

    if (has_states(p) && k->count != 0)
        (void)fprintf(
            out,
            "%10s running %.1f %%, ready %.1f %%, blocked %.1f %%, in "
            "no thread %.1f %%\n",
            "", parts.running, parts.ready, parts.blocked, parts.queued);
}

/* Write the requests that the guest had no room for. */
static void write_unkept(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    uint64_t refused = 0;
    char line[200], count[TEXT_NUMBER];

    for (size_t i = 0; i < p->request_count; i++)
        refused += p->requests[i].refused;
    if (refused == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "%s request%s had no room in the guest and %s missing: give "
                   "tprof_requests() memory for more open requests.",
                   text_count(count, refused), text_plural(refused),
                   refused == 1 ? "is" : "are");
    text_wrap_at(out, 0, line, table_columns(r));
}

/* qsort() passes no context. */
static const struct profile_slow *sorted_slow;

static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = sorted_slow[x].times.time,
             right = sorted_slow[y].times.time;

    return left != right ? (left < right ? 1 : -1) : (x > y) - (x < y);
}

/* Write "waited 17 ms in read_page > wait". */
static void write_wait(FILE *out, const struct report *r,
                       const struct profile_slow *s)
{
    char time[TEXT_NUMBER], text[TEXT_NUMBER + 32];

    (void)snprintf(text, sizeof text, "%8s waited %s%s", "",
                   time_text(time, r->profile, (double)s->longest),
                   s->wait != 0 ? " in " : "");
    (void)fputs(text, out);
    if (s->wait != 0)
        table_wait_stack(out, r, s->wait - 1, table_left(r, strlen(text)));
    else
        (void)putc('\n', out);
}

static void write_slow(FILE *out, const struct report *r, uint32_t i)
{
    const struct profile *p = r->profile;
    const struct profile_slow *s = &p->slow[i];
    char time[TEXT_NUMBER], text[2 * NAME_PLAIN + 40], name[NAME_PLAIN];

    (void)fprintf(out, "%8s", time_text(time, p, (double)s->times.time));
    struct parts parts = parts_of(&s->times);

    if (has_states(p))
        (void)fprintf(out, " %5.1f %5.1f %5.1f %5.1f", parts.running,
                      parts.ready, parts.blocked, parts.queued);
    else
        (void)fprintf(out, " %5s %5s %5s %5s", ".", ".", ".", ".");
    (void)snprintf(text, sizeof text, "%s %" PRIu64,
                   name_of_request(name, p, s->kind), s->number);
    if (p->tsc_hz != 0)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       ", at %.3f s", (double)s->began / (double)p->tsc_hz);
    if (s->thread != 0)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), ", %s",
                       name_of_thread(name, p, s->thread));
    (void)fputs("  ", out);
    text_cut(out, text, table_left(r, SLOW_LEFT));
    (void)putc('\n', out);
    if (s->longest != 0)
        write_wait(out, r, s);
}

static void write_slowest(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    size_t most = r->all ? ALL : r->whole ? WHOLE : SLOWEST;
    size_t shown = p->slow_count < most ? p->slow_count : most;
    uint32_t *list = calloc(p->slow_count + 1, sizeof *list);

    if (list == NULL || p->slow_count == 0) {
        free(list);
        return;
    }
    for (uint32_t i = 0; i < p->slow_count; i++)
        list[i] = i;
    sorted_slow = p->slow;
    qsort(list, p->slow_count, sizeof *list, by_time);
    (void)fprintf(out, "\n%8s %5s %5s %5s %5s  SLOWEST REQUESTS, %% of each\n",
                  "TIME", "RUN", "READY", "BLOCK", "QUEUE");
    for (size_t i = 0; i < shown; i++)
        write_slow(out, r, list[i]);
    if (shown < p->slow_count)
        (void)fprintf(out, "%10s%zu more: --all\n", "", p->slow_count - shown);
    free(list);
}

/* Slow requests whose longest wait was at one stack */
struct place {
    uint32_t wait; /* as in struct profile_slow; 0: they did not wait */
    uint64_t count;
    double ticks; /* of those waits */
};

static int by_count(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1)
                                : (x->wait > y->wait) - (x->wait < y->wait);
}

/* Gather the places of all slow requests, by falling count. Waits of several
 * threads at one stack are one place. Returns their number. */
static size_t gather_places(const struct profile *p, struct place *places)
{
    size_t count = 0;

    for (size_t i = 0; i < p->slow_count; i++) {
        const struct profile_slow *s = &p->slow[i];
        uint32_t stack = s->wait != 0 ? p->waits[s->wait - 1].stack : 0;
        size_t k = 0;

        while (k < count && (s->wait == 0 || places[k].wait == 0
                                 ? places[k].wait != s->wait
                                 : p->waits[places[k].wait - 1].stack != stack))
            k++;
        if (k == count)
            places[count++] = (struct place){.wait = s->wait};
        places[k].count++;
        places[k].ticks += (double)s->longest;
    }
    qsort(places, count, sizeof *places, by_count);
    return count;
}

/* Write where the slow requests waited longest: the reason why most of them
 * were slow. */
static void write_places(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    struct place *places = calloc(p->slow_count + 1, sizeof *places);
    size_t count = places != NULL && p->slow_count > 1 && has_states(p)
                       ? gather_places(p, places)
                       : 0;
    char time[TEXT_NUMBER];

    if (count != 0)
        (void)fprintf(out, "\n%8s %8s  WHERE SLOW REQUESTS WAITED LONGEST\n",
                      "% OF ALL", "MEAN");
    for (size_t i = 0; i < count && (r->all || i < ROWS); i++) {
        const struct place *at = &places[i];

        (void)fprintf(
            out, "%8.1f %8s  ", 100 * (double)at->count / (double)p->slow_count,
            at->ticks > 0 ? time_text(time, p, at->ticks / (double)at->count)
                          : ".");
        if (at->wait != 0)
            table_wait_stack(out, r, at->wait - 1, table_left(r, 19));
        else
            (void)fputs("no wait: they ran, or no thread worked on them\n",
                        out);
    }
    free(places);
}

void table_requests(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    bool any = false;

    for (size_t i = 0; i < p->request_count; i++) {
        if (p->requests[i].wall == 0)
            continue;
        if (!any)
            (void)fprintf(out, "\n%10s %7s %7s %7s %7s %7s  REQUESTS\n",
                          "A SECOND", "P50", "P90", "P99", "P99.9", "LONGEST");
        any = true;
        write_kind(out, r, i);
    }
    if (!any)
        return;
    write_unkept(out, r);
    write_places(out, r);
    write_slowest(out, r);
}
