/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of threads, requests and locks of each run. */
#include "diff/diff_runs.h"

#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "util/vec.h"

/* The item of (kind) that is called (name), which is new if there was none.
 * NULL if there are too many; (*result) is -1 if there is no memory. */
static struct diff_item *item_of(struct diff_sums *s, enum diff_kind kind,
                                 const char *name, int *result)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].kind == kind && strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    if (s->count == DIFF_ITEMS_MAX)
        return NULL;
    if (vec_grow(&s->list, &s->room, s->count, sizeof *s->list) != 0) {
        *result = -1;
        return NULL;
    }
    struct diff_item *item = &s->list[s->count++];

    *item = (struct diff_item){.kind = kind};
    (void)snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

/* Add figures to those of an item: (part) of (whole), figure by figure. */
static int add(struct diff_sums *s, unsigned side, enum diff_kind kind,
               const char *name, const double part[DIFF_FIGURES],
               const double whole[DIFF_FIGURES])
{
    int result = 0;
    struct diff_item *item = item_of(s, kind, name, &result);

    for (size_t i = 0; item != NULL && i < DIFF_FIGURES; i++) {
        item->part[side][i] += part[i];
        item->whole[side][i] += whole[i];
    }
    s->refused += item == NULL && result == 0;
    return result;
}

static int add_threads(struct diff_sums *s, unsigned side,
                       const struct profile *p, double hz)
{
    char name[NAME_PLAIN];

    for (uint32_t i = 0; i < p->thread_count; i++) {
        const struct profile_thread *t = &p->threads[i];
        double wall = (double)t->wall / hz;

        if (!t->idle && t->wall != 0 &&
            add(s, side, DIFF_THREAD, name_of_thread(name, p, i + 1),
                (double[]){(double)t->running / hz, (double)t->ready / hz,
                           (double)t->blocked / hz},
                (double[]){wall, wall, wall}) != 0)
            return -1;
    }
    return 0;
}

static int add_requests(struct diff_sums *s, unsigned side,
                        const struct profile *p, double hz)
{
    char name[NAME_PLAIN];

    for (size_t i = 0; i < p->request_count; i++) {
        const struct profile_request *k = &p->requests[i];
        double count = (double)k->count;
        double p50 = table_percentile(k, .5), p99 = table_percentile(k, .99);

        if (k->wall != 0 && p50 >= 0 &&
            add(s, side, DIFF_REQUEST, name_of_request(name, p, i),
                (double[]){count, p50 / hz * count, p99 / hz * count},
                (double[]){(double)k->wall / hz, count, count}) != 0)
            return -1;
    }
    return 0;
}

static int add_locks(struct diff_sums *s, unsigned side, const struct report *r,
                     double hz)
{
    const struct profile *p = r->profile;
    char name[NAME_PLAIN];

    for (size_t i = 0; i < p->lock_count; i++) {
        const struct profile_lock *l = &p->locks[i];
        double wall = (double)l->wall / hz;

        if (l->wall != 0 &&
            add(s, side, DIFF_LOCK, name_of_lock(name, r, i),
                (double[]){(double)l->waits.time / hz, (double)l->waits.count,
                           (double)l->holds.time / hz},
                (double[]){wall, (double)l->acquires, wall}) != 0)
            return -1;
    }
    return 0;
}

int diff_sums_add(struct diff_sums *s, unsigned side, const struct report *r)
{
    const struct profile *p = r->profile;
    double hz = (double)p->tsc_hz;

    if (p->tsc_hz == 0)
        return 0;
    return add_threads(s, side, p, hz) == 0 &&
                   add_requests(s, side, p, hz) == 0 &&
                   add_locks(s, side, r, hz) == 0
               ? 0
               : -1;
}

void diff_sums_state(struct diff_sums *s, struct diff *d)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++) {
        struct diff_item *item = &s->list[i];

        if (!(item->whole[0][0] > 0) || !(item->whole[1][0] > 0))
            continue;
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < DIFF_FIGURES; k++)
                item->figure[side][k] =
                    item->whole[side][k] > 0
                        ? item->part[side][k] / item->whole[side][k]
                        : 0;
        if (kept != i)
            s->list[kept] = *item;
        kept++;
    }
    s->count = kept;
    d->items = s->list;
    d->item_count = s->count;
    d->items_refused = s->refused;
}

void diff_sums_fini(struct diff_sums *s)
{
    free(s->list);
    *s = (struct diff_sums){0};
}
