/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up how the sums of requests grow, and keeps the slowest requests. */
#include <stdlib.h>
#include <string.h>

#include "profile/aggregate/gathered.h"

#define SLOW_MAX                                                               \
    1024u /* slow requests that are kept: those that took longest */

/* The part of the last report of a kind that has been added up */
struct request_reported {
    uint64_t since, wall, count, refused, slow;
    struct request_times times;
    uint64_t *buckets;
};

/* A slow request, whose wait may be reported later */
struct slow_reported {
    uint32_t session, wait; /* guest_wait.entry */
    bool has_wait;
};

/* Room for the histograms of (kind), twice: the sums, and the last report.
 * Returns whether there is room. */
static bool make_buckets(struct aggregate *a, uint8_t kind)
{
    struct requests *r = &a->requests;
    size_t size = WIRE_REQUEST_BUCKETS * sizeof(uint64_t);

    if (r->list[kind].buckets != NULL && r->reported[kind].buckets != NULL)
        return true;
    if (a->budget.left < 2 * size)
        return false;
    uint64_t *both = calloc(2, size);

    if (both == NULL)
        return false;
    (void)budget_keep(&a->budget, 2 * size);
    r->list[kind].buckets = both;
    r->reported[kind].buckets = both + WIRE_REQUEST_BUCKETS;
    return true;
}

/* Room for the kinds. Returns whether there is room. */
static bool make_kinds(struct aggregate *a)
{
    struct requests *r = &a->requests;

    if (r->list == NULL)
        r->list = calloc(WIRE_REQUEST_KINDS, sizeof *r->list);
    if (r->reported == NULL)
        r->reported = calloc(WIRE_REQUEST_KINDS, sizeof *r->reported);
    return r->list != NULL && r->reported != NULL;
}

void aggregate_request(void *aggregate, const struct guest_request *g)
{
    struct aggregate *a = aggregate;

    if (!make_kinds(a))
        return;
    struct profile_request *r = &a->requests.list[g->kind];
    struct request_reported *last = &a->requests.reported[g->kind];

    if (last->since != g->since) { /* another span of time */
        uint64_t *buckets = last->buckets;

        *last =
            (struct request_reported){.since = g->since, .buckets = buckets};
        if (buckets != NULL)
            memset(buckets, 0, WIRE_REQUEST_BUCKETS * sizeof *buckets);
    }
    if (g->count < last->count || g->times.time < last->times.time ||
        g->times.running < last->times.running ||
        g->times.ready < last->times.ready ||
        g->times.blocked < last->times.blocked)
        return; /* sums do not fall */
    if (g->kind >= a->requests.count)
        a->requests.count = g->kind + 1u;
    memcpy(r->name, g->name, sizeof r->name);
    r->open = g->open;
    if (g->longest > r->longest)
        r->longest = g->longest;
    aggregate_grow(&r->wall, &last->wall, g->now - g->since);
    aggregate_grow(&r->count, &last->count, g->count);
    aggregate_grow(&r->refused, &last->refused, g->refused);
    aggregate_grow(&r->slow, &last->slow, g->slow);
    aggregate_grow(&r->times.time, &last->times.time, g->times.time);
    aggregate_grow(&r->times.running, &last->times.running, g->times.running);
    aggregate_grow(&r->times.ready, &last->times.ready, g->times.ready);
    aggregate_grow(&r->times.blocked, &last->times.blocked, g->times.blocked);
}

void aggregate_request_times(void *aggregate,
                             const struct guest_request_times *t)
{
    struct aggregate *a = aggregate;

    if (!make_kinds(a) || !make_buckets(a, t->kind))
        return;
    for (uint32_t i = 0; i < t->count; i++)
        aggregate_grow(&a->requests.list[t->kind].buckets[t->first + i],
                       &a->requests.reported[t->kind].buckets[t->first + i],
                       t->buckets[i]);
}

uint32_t aggregate_request_of(void *aggregate, uint32_t kind, uint64_t number,
                              uint64_t tsc)
{
    const struct aggregate *a = aggregate;
    const struct slow_set *slow = a->config.slow;
    int64_t ticks = (int64_t)(tsc - a->origin_tsc);
    size_t first = 0, end = slow != NULL && a->started ? slow->count : 0;

    while (first < end) { /* the first one with (number) */
        size_t middle = first + (end - first) / 2;

        if (slow->list[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    /* numbers may come again */
    for (; slow != NULL && a->started && first < slow->count &&
           slow->list[first].number == number;
         first++) {
        const struct profile_slow *s = &slow->list[first];

        if (s->kind == kind && ticks >= s->began &&
            (uint64_t)(ticks - s->began) <= s->times.time)
            return 1 + kind + WIRE_REQUEST_KINDS;
    }
    return 1 + kind;
}

/* Index of the slow request that took least; the list is not empty. */
static size_t shortest(const struct requests *r)
{
    size_t least = 0;

    for (size_t i = 1; i < r->slow_count; i++)
        if (r->slow[i].times.time < r->slow[least].times.time)
            least = i;
    return least;
}

/* Index for a slow request that took (time). SIZE_MAX: do not keep it. */
static size_t place_for(struct aggregate *a, uint64_t time)
{
    struct requests *r = &a->requests;

    if (r->slow_count < SLOW_MAX &&
        budget_make_room(&a->budget, &r->slow, &r->slow_room, r->slow_count + 1,
                         sizeof *r->slow) == 0 &&
        budget_make_room(&a->budget, &r->slow_reported, &r->reported_room,
                         r->slow_count + 1, sizeof *r->slow_reported) == 0)
        return r->slow_count++;
    size_t least = r->slow_count != 0 ? shortest(r) : SIZE_MAX;

    return least != SIZE_MAX && r->slow[least].times.time < time ? least
                                                                 : SIZE_MAX;
}

void aggregate_slow(void *aggregate, const struct guest_slow *s)
{
    struct aggregate *a = aggregate;
    size_t at = place_for(a, s->times.time);

    if (make_kinds(a))
        a->requests.list[s->kind].told++;
    if (at == SIZE_MAX)
        return;
    a->requests.slow[at] = (struct profile_slow){
        .kind = s->kind,
        .number = s->number,
        .began = (int64_t)(s->began - a->origin_tsc),
        .times = s->times,
        .longest = s->longest,
        .thread = s->serial != 0 ? aggregate_runs(a, s->serial, 0) : 0,
    };
    a->requests.slow_reported[at] =
        (struct slow_reported){a->profile.sessions, s->wait, s->has_wait};
}

/* Find the longest wait of each slow request among the waits. */
static void find_waits(struct aggregate *a)
{
    struct requests *r = &a->requests;

    for (size_t i = 0; i < r->slow_count; i++) {
        const struct slow_reported *s = &r->slow_reported[i];

        if (s->has_wait)
            r->slow[i].wait = aggregate_wait_at(a, s->session, s->wait);
    }
}

void aggregate_fill_requests(struct aggregate *a)
{
    struct profile *p = &a->profile;

    find_waits(a);
    p->requests = a->requests.list;
    p->request_count = a->requests.count;
    p->slow = a->requests.slow;
    p->slow_count = a->requests.slow_count;
}

void aggregate_fini_requests(struct aggregate *a)
{
    struct requests *r = &a->requests;

    for (size_t i = 0; r->list != NULL && i < WIRE_REQUEST_KINDS; i++)
        free(r->list[i].buckets);
    free(r->list);
    free(r->reported);
    free(r->slow);
    free(r->slow_reported);
}
