/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the cores that a report shows if there are many. */
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A core, and the numbers by which it is chosen. */
struct candidate {
    size_t index;
    double time;     /* busy */
    double distance; /* from the total of all cores */
    bool chosen;
};

size_t table_active_cores(const struct view *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->core_count; i++)
        n += v->cores[i].all.samples != 0;
    return n;
}

/*
 * Returns the part of its time that (scope) spends in other functions than
 * (v->total) does, idle time included. (room) has an element for each function
 * of (v); all elements are zero before and after.
 */
static double distance_of(const struct view *v, const struct view_scope *scope,
                          double *room)
{
    const struct view_scope *total = &v->total;
    double sum = fabs(scope->idle.time / scope->all.time -
                      total->idle.time / total->all.time);

    for (size_t i = 0; i < scope->row_count; i++)
        room[scope->rows[i].function] =
            scope->rows[i].self.time / scope->all.time;
    for (size_t i = 0; i < total->row_count; i++) {
        uint32_t function = total->rows[i].function;

        sum +=
            fabs(room[function] - total->rows[i].self.time / total->all.time);
        room[function] = 0;
    }
    for (size_t i = 0; i < scope->row_count; i++)
        room[scope->rows[i].function] = 0; /* (total) has no such row */
    return sum;
}

/* Choose the core with the most (time), or the most (distance), among those not
 * chosen yet. */
static void choose(struct candidate *list, size_t n, bool by_time)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < n; i++) {
        double key = by_time ? list[i].time : list[i].distance;

        if (!list[i].chosen &&
            (best == NULL || key > (by_time ? best->time : best->distance)))
            best = &list[i];
    }
    if (best != NULL)
        best->chosen = true;
}

static int choose_some(const struct view *v, size_t most, size_t *list)
{
    struct candidate *all = calloc(v->core_count + 1, sizeof *all);
    double *room = calloc(v->function_count + 1, sizeof *room);
    size_t n = 0, chosen = 0;

    for (size_t i = 0; all != NULL && room != NULL && i < v->core_count; i++)
        if (v->cores[i].all.samples != 0)
            all[n++] =
                (struct candidate){i, v->cores[i].busy.time,
                                   distance_of(v, &v->cores[i], room), false};
    for (size_t i = 0; i < most; i++)
        choose(all, n, i < most / 2);
    for (size_t i = 0; i < n; i++)
        if (all[i].chosen)
            list[chosen++] = all[i].index;
    free(all);
    free(room);
    return n != 0 ? (int)chosen : -1;
}

int table_choose_cores(const struct view *v, size_t most, size_t *list)
{
    int n = 0;

    if (table_active_cores(v) > most)
        return choose_some(v, most, list);
    for (size_t i = 0; i < v->core_count; i++)
        if (v->cores[i].all.samples != 0)
            list[n++] = i;
    return n;
}
