/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "diagnose/work_share.h"
#include "util/vec.h"

/* The counter (name) of (side), added if necessary; NULL if there is no
 * room. */
static struct diff_counter *find_counter(struct diff_units *u, unsigned side,
                                         const char *name)
{
    for (size_t i = 0; i < u->counts[side]; i++)
        if (strcmp(u->counters[side][i].name, name) == 0)
            return &u->counters[side][i];
    if (u->counts[side] == WIRE_PROGRESS_COUNTERS)
        return NULL;
    struct diff_counter *c = &u->counters[side][u->counts[side]++];

    (void)snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

int diff_units_add(struct diff_units *u, unsigned side, const struct profile *p,
                   const struct view *v)
{
    struct share busy = share_of(&v->total.busy, &v->total.all);
    double error = (busy.high - busy.low) / (2 * SHARE_Z) / busy.p;

    if (vec_grow(&u->runs, &u->room, u->run_count, sizeof *u->runs) != 0)
        return -1;
    struct diff_units_run *run = &u->runs[u->run_count++];

    *run = (struct diff_units_run){.all = v->total.all};
    for (size_t i = 0; i < p->work_count; i++) {
        double cost = work_of(p, v, &p->work[i]).busy_s;
        struct diff_counter *c =
            cost > 0 ? find_counter(u, side, p->work[i].name) : NULL;

        if (c == NULL)
            continue;
        unit_cost_add(&c->cost, cost, error);
        run->tick_s[c - u->counters[side]] = cost / v->total.busy.time;
    }
    return 0;
}

/* The counter of "after" with the name of (c), if all runs of both sides have
 * it; NULL otherwise. */
static const struct diff_counter *counter_after(const struct diff_units *u,
                                                const struct compare_input *in,
                                                const struct diff_counter *c)
{
    for (size_t i = 0; c->cost.runs == in->runs[0] && i < u->counts[1]; i++)
        if (strcmp(u->counters[1][i].name, c->name) == 0 &&
            u->counters[1][i].cost.runs == in->runs[1])
            return &u->counters[1][i];
    return NULL;
}

/* Fill (rows) for the counters with these numbers before and after. */
static int fill_rows(const struct diff_units *u, const struct compare_input *in,
                     const struct compare_row *rows, const size_t number[2],
                     struct unit_row *to)
{
    struct amount *all = calloc(u->run_count + 1, sizeof *all);
    double *tick_s = calloc(u->run_count + 1, sizeof *tick_s);
    int result = -1;

    for (size_t i = 0; all != NULL && tick_s != NULL && i < u->run_count; i++) {
        all[i] = u->runs[i].all;
        tick_s[i] = u->runs[i].tick_s[number[i >= in->runs[0]]];
    }
    if (all != NULL && tick_s != NULL)
        result =
            unit_rows(&(struct unit_rows_input){in, rows, all, tick_s}, to);
    free(all);
    free(tick_s);
    return result;
}

int diff_units_state(struct diff_units *u, const struct compare_input *in,
                     struct diff *d)
{
    u->rows = calloc(u->counts[0] * in->functions + 1, sizeof *u->rows);
    for (size_t i = 0; u->rows != NULL && i < u->counts[0]; i++) {
        const struct diff_counter *before = &u->counters[0][i],
                                  *after = counter_after(u, in, before);
        struct unit_row *rows = u->rows + d->unit_count * in->functions;

        if (after == NULL)
            continue;
        const size_t number[2] = {i, (size_t)(after - u->counters[1])};

        if (fill_rows(u, in, d->rows, number, rows) != 0)
            return -1;
        d->units[d->unit_count++] = (struct diff_unit){
            before->name, unit_change_of(&before->cost, &after->cost), rows};
    }
    return u->rows != NULL ? 0 : -1;
}

uint64_t diff_units_bytes(const struct diff_units *u, size_t functions)
{
    return functions * (u->counts[0] * sizeof *u->rows + sizeof(void *));
}

void diff_units_fini(struct diff_units *u)
{
    free(u->runs);
    free(u->rows);
    *u = (struct diff_units){0};
}
