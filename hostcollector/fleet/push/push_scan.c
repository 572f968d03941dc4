/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides when collector push reads which folder. */
#include "fleet/push/push_scan.h"

#include "util/host_clock.h"

#define NS_PER_S  1000000000ull
#define MS_PER_S  1000u
#define FOLDERS_S 30u
#define MARKS_S   600u

void push_scan_begin(struct push_scan *l, const struct push_config *o,
                     const char *tag)
{
    *l = (struct push_scan){.options = o, .tag = tag};
    /* before the folders are read, so that no change is missed */
    if (o->follow)
        l->watch = watch_open(o->inputs.list, o->inputs.count);
}

void push_scan_end(struct push_scan *l)
{
    watch_close(l->watch);
    *l = (struct push_scan){0};
}

static bool is_over(uint64_t since_ns, unsigned s)
{
    return since_ns == 0 || clock_ns() - since_ns >= s * NS_PER_S;
}

int push_scan_collect(struct push_scan *l, struct queue *q, struct err *e)
{
    const struct push_config *o = l->options;

    if (l->heard != NULL)
        return queue_hear(q, o->inputs.list, o->inputs.count, l->tag, l->heard,
                          e);
    bool marks = is_over(l->marks_ns, MARKS_S);

    l->folders_ns = clock_ns();
    if (marks)
        l->marks_ns = l->folders_ns;
    return queue_scan(q, o->inputs.list, o->inputs.count, l->tag, marks, e);
}

/* Does (q) have an item that the watch will not report again? A recording that
 * was reported when it was closed may not have been unlocked yet. */
static bool is_left(const struct push_scan *l, const struct queue *q)
{
    return queue_waiting(q, NULL) != 0 || (l->told && q->open != 0);
}

uint64_t push_scan_ms(const struct push_scan *l, const struct queue *q, int *fd)
{
    *fd = watch_fd(l->watch);
    return l->watch == NULL || is_left(l, q) ? 0 : FOLDERS_S * MS_PER_S;
}

void push_scan_next(struct push_scan *l, const struct queue *q)
{
    bool left = is_left(l, q);
    bool all = l->watch != NULL && watch_take(l->watch, &l->heard);

    l->told = l->watch != NULL && (!all || l->heard->count != 0);
    if (!all || left || is_over(l->folders_ns, FOLDERS_S))
        l->heard = NULL;
}
