/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow requests of a recording, against the others. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff/compare/statistics.h"
#include "diff/diff_runs.h"
#include "report/table.h"
#include "session/guest_report.h"
#include "util/text.h"

#define LEFT  44 /* columns before a stack */
#define LEVEL .05

static int by_number(const void *a, const void *b)
{
    const struct profile_slow *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* Is (s) slow, and of a chosen kind? The guest sends its first requests, too,
 * before it has a limit. */
static bool is_chosen(const struct diff_slow *chosen, const struct profile *p,
                      const struct profile_slow *s)
{
    return s->kind < p->request_count && (chosen->kinds >> s->kind & 1) &&
           (double)s->times.time >=
               table_percentile(&p->requests[s->kind], .99);
}

static void write_labels(struct diff_slow *s, const struct profile *p,
                         const char *asked)
{
    char name[100], time[TEXT_NUMBER];

    (void)text_escape(name, sizeof name, asked);
    (void)snprintf(s->labels[0], sizeof s->labels[0],
                   "the other %" PRIu64 " requests %.60s",
                   s->ended - s->set.count, name);
    (void)snprintf(s->labels[1], sizeof s->labels[1],
                   "%zu slow requests %.60s, each %s or longer", s->set.count,
                   name, p->tsc_hz != 0 ? text_seconds(time, s->least_s) : "?");
}

int diff_slow_choose(struct diff_slow *s, const struct profile *p,
                     const char *asked, struct err *e)
{
    struct profile_slow *list = calloc(p->slow_count + 1, sizeof *list);
    double least = INFINITY;

    if (list == NULL)
        return err_memory(e);
    s->set.list = list;
    for (size_t i = 0; i < p->request_count; i++) {
        if (!guest_report_means_kind(p, i, asked))
            continue;
        s->kinds |= UINT32_C(1) << i;
        s->ended += p->requests[i].count;
    }
    for (size_t i = 0; i < p->slow_count; i++) {
        if (!is_chosen(s, p, &p->slow[i]))
            continue;
        least = fmin(least, (double)p->slow[i].times.time);
        list[s->set.count++] = p->slow[i];
    }
    qsort(list, s->set.count, sizeof *list, by_number);
    if (s->kinds == 0)
        return err_set(e,
                       "--slow: no kind of requests has '%.80s' in its name "
                       "or as its number",
                       asked);
    if (s->set.count == 0 || s->ended <= s->set.count)
        return err_set(e, "--slow: the guest sent no slow request of '%.80s'",
                       asked);
    s->least_s = p->tsc_hz != 0 ? least / (double)p->tsc_hz : 0;
    write_labels(s, p, asked);
    return 0;
}

/* A stack at which slow requests waited longest */
struct place {
    uint32_t wait;  /* 1 + index in profile.waits */
    uint64_t slow;  /* slow requests with their longest wait there */
    uint64_t waits; /* of all threads there */
    double ticks;
};

static int by_count(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->slow != y->slow ? (x->slow < y->slow ? 1 : -1)
                              : (x->wait > y->wait) - (x->wait < y->wait);
}

static size_t gather(const struct slow_set *set, const struct profile *p,
                     struct place *places)
{
    size_t count = 0;

    for (size_t i = 0; i < p->slow_count; i++) {
        const struct profile_slow *s = &p->slow[i];
        size_t k = 0, n = 0;

        while (n < set->count && (set->list[n].number != s->number ||
                                  set->list[n].began != s->began))
            n++;
        if (n == set->count || s->wait == 0)
            continue;
        uint32_t stack = p->waits[s->wait - 1].stack;

        while (k < count && p->waits[places[k].wait - 1].stack != stack)
            k++;
        if (k == count)
            places[count++] = (struct place){.wait = s->wait};
        places[k].slow++;
        places[k].ticks += (double)s->longest;
    }
    for (size_t i = 0; i < p->wait_count; i++) {
        for (size_t k = 0; k < count; k++)
            if (p->waits[i].kind == WIRE_WAIT_BLOCKED &&
                p->waits[i].stack == p->waits[places[k].wait - 1].stack)
                places[k].waits += p->waits[i].count;
    }
    qsort(places, count, sizeof *places, by_count);
    return count;
}

/* Write the share of slow requests that waited longest at (at), and the largest
 * share of the others that can have waited there: each other wait there counts
 * as a request. */
static void write_place(FILE *out, const struct report *r,
                        const struct diff_slow *s, const struct place *at,
                        size_t places)
{
    double n[2] = {(double)(s->ended - s->set.count), (double)s->set.count};
    uint64_t others = at->waits > at->slow ? at->waits - at->slow : 0;
    const struct two_proportions both = {
        .p = {fmin(1, (double)others / n[0]), (double)at->slow / n[1]},
        .n = {n[0], n[1]},
        .spread = 1,
        .df = INFINITY};
    struct two_proportions_change c = two_proportions_interval(&both);
    bool more =
        c.change > 0 && two_proportions_p(&both) * (double)places < LEVEL;
    char time[TEXT_NUMBER];

    (void)fprintf(out, "%6.1f %6.1f  %+6.1f %5.1f  %-4s %8s  ", 100 * both.p[0],
                  100 * both.p[1], 100 * c.change,
                  100 * fmax(c.high - c.change, c.change - c.low),
                  more ? "more" : "",
                  r->profile->tsc_hz != 0
                      ? text_seconds(time, at->ticks / (double)at->slow /
                                               (double)r->profile->tsc_hz)
                      : "?");
    table_wait_stack(out, r, at->wait - 1, table_left(r, LEFT));
}

int diff_slow_waits(struct diff_slow *s, const struct report *r)
{
    struct place *places = calloc(r->profile->slow_count + 1, sizeof *places);
    FILE *out = open_memstream(&s->waits, &s->waits_size);
    size_t count = 0;

    if (places != NULL && out != NULL)
        count = gather(&s->set, r->profile, places);
    if (count != 0)
        (void)fputs("\n OTHERS   SLOW  CHANGE    +-           MEAN  "
                    "% OF REQUESTS THAT WAITED THERE\n",
                    out);
    for (size_t i = 0; i < count; i++)
        write_place(out, r, s, &places[i], count);
    bool good = places != NULL && out != NULL;

    free(places);
    return out != NULL && fclose(out) == 0 && good ? 0 : -1;
}

void diff_slow_fini(struct diff_slow *s)
{
    free((void *)(uintptr_t)s->set.list);
    free(s->waits);
}
