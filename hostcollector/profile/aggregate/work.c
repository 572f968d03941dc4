/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the growth of the guest's counters of its work. */
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

/* Add (n) without wrapping around: a hostile guest reaches the maximum, and
 * stays there. */
static void add_growth(uint64_t *to, uint64_t n)
{
    if (__builtin_add_overflow(*to, n, to))
        *to = UINT64_MAX;
}

void aggregate_progress(void *aggregate, const struct guest_progress *progress)
{
    struct aggregate *a = aggregate;
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
    add_growth(&w->units, now.units - done->units);
    add_growth(&w->ticks, now.ticks - done->ticks);
    *done = now;
}
