/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the guest's counters of its work, and keeps its marks. */
#include <string.h>

#include "profile/aggregate/gathered.h"

/* The sum named (name), created if necessary. NULL if there is no room. */
static struct profile_work *find_work(struct profile *p, const char *name)
{
    struct profile_work *w = p->work;

    while (w < p->work + p->work_count && strcmp(w->name, name) != 0)
        w++;
    if (w < p->work + p->work_count)
        return w;
    if (p->work_count == WIRE_PROGRESS_COUNTERS)
        return NULL;
    p->work_count++;
    memcpy(w->name, name, strlen(name) + 1);
    return w;
}

/* Keep a mark, in the order of time. The guest repeats its marks. */
static void add_mark(struct profile *p, const struct guest_progress *mark)
{
    size_t at = p->mark_count;

    for (size_t i = 0; i < p->mark_count; i++)
        if (p->marks[i].tsc == mark->mark &&
            strcmp(p->marks[i].name, mark->name) == 0)
            return;
    if (p->mark_count == WIRE_PROGRESS_COUNTERS)
        return;
    p->mark_count++;
    for (; at > 0 && p->marks[at - 1].tsc > mark->mark; at--)
        p->marks[at] = p->marks[at - 1];
    memcpy(p->marks[at].name, mark->name, strlen(mark->name) + 1);
    p->marks[at].tsc = mark->mark;
}

void aggregate_progress(void *aggregate, const struct guest_progress *progress)
{
    struct aggregate *a = aggregate;

    if (progress->mark != 0) {
        add_mark(&a->profile, progress);
        return;
    }
    struct profile_work *w = find_work(&a->profile, progress->name);
    struct work_done *done = &a->work[progress->counter];
    const struct work_done now = {
        .began_tsc = progress->began_tsc,
        .units = progress->units - progress->began_units,
        .ticks = progress->tsc - progress->began_tsc,
        .session = a->profile.sessions,
    };

    if (w == NULL || progress->units < progress->began_units ||
        progress->tsc < progress->began_tsc)
        return;
    if (done->session != now.session || done->began_tsc != now.began_tsc)
        *done = (struct work_done){0}; /* another span of work */
    if (now.units < done->units || now.ticks < done->ticks)
        return;
    aggregate_add_growth(&w->units, now.units - done->units);
    aggregate_add_growth(&w->ticks, now.ticks - done->ticks);
    *done = now;
}
