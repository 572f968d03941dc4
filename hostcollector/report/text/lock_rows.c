/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of locks: where threads waited for each lock, and who held the lock. */
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

#include "report/name.h"
#include "util/text.h"

#define ROWS      6 /* locks, and stacks of each kind, if there is no option */
#define STACKS    3
#define ALL       1000 /* with --all */
#define LEFT      34   /* "   1.20 s     64.0 %   12.3 ms  " */
#define BELOW     11   /* columns before the lines below a lock */
/* Smaller shares of a lock's waits are left out, unless --all is given. */
#define SHARE_MIN .01
/* From this share of the holds on, the time in which holders did not run is
 * reported. */
#define IDLE_MIN  .05

struct lock_rows {
    FILE *out;
    const struct report *r;
    const struct profile *p;
    uint32_t *locks; /* indices, by falling time of the waits */
    uint32_t *waits; /* the same of the entries of all locks */
};

/* qsort() passes no context. */
static const struct profile *sorted;

static int by_number(uint64_t left, uint64_t right, uint32_t x, uint32_t y)
{
    return left != right ? (left < right ? 1 : -1) : (x > y) - (x < y);
}

static int compare_locks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct profile_lock *left = &sorted->locks[x];
    const struct profile_lock *right = &sorted->locks[y];

    if (left->waits.time == right->waits.time)
        return by_number(left->acquires, right->acquires, x, y);
    return by_number(left->waits.time, right->waits.time, x, y);
}

static int compare_waits(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return by_number(sorted->lock_waits[x].waits.time,
                     sorted->lock_waits[y].waits.time, x, y);
}

/* The numbers below (count), sorted. NULL if there is no memory. */
static uint32_t *sort(size_t count, int (*compare)(const void *, const void *))
{
    uint32_t *list = calloc(count + 1, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < count; i++)
        list[i] = i;
    if (list != NULL)
        qsort(list, count, sizeof *list, compare);
    return list;
}

/* Format (ticks) as a time; "?" if the clock is not known. */
static const char *time_text(char buf[TEXT_NUMBER], const struct profile *p,
                             uint64_t ticks)
{
    if (p->tsc_hz == 0)
        return "?";
    return text_seconds(buf, (double)ticks / (double)p->tsc_hz);
}

static double part_of(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}

/* Write one paragraph below a lock. */
static void write_line(const struct lock_rows *l, const char *line)
{
    (void)fprintf(l->out, "%*s", BELOW, "");
    text_cut(l->out, line, table_left(l->r, BELOW));
    (void)putc('\n', l->out);
}

/* Write the stacks of (kind) of lock number (lock) with the most time, each
 * after (label). */
static void write_stacks(const struct lock_rows *l, uint32_t lock, uint8_t kind,
                         const char *label)
{
    const struct profile *p = l->p;
    size_t left = l->r->all || l->r->whole ? ALL : STACKS;
    uint64_t all = 0;

    for (size_t i = 0; i < p->lock_wait_count; i++)
        if (p->lock_waits[i].lock == lock && p->lock_waits[i].kind == kind)
            all += p->lock_waits[i].waits.time;

    for (size_t i = 0; i < p->lock_wait_count && left > 0; i++) {
        const struct profile_lock_wait *w = &p->lock_waits[l->waits[i]];
        char thread[NAME_PLAIN] = "", text[NAME_PLAIN + 40];

        if (w->lock != lock || w->kind != kind || w->waits.count == 0 ||
            (!l->r->all && part_of(w->waits.time, all) < SHARE_MIN))
            continue;
        if (w->thread != 0)
            name_of_thread(thread, p, w->thread);
        (void)snprintf(text, sizeof text, "%-7s %5.1f %%  %s%s", label,
                       100 * part_of(w->waits.time, all), thread,
                       w->thread != 0 ? ": " : "");
        (void)fprintf(l->out, "%*s%s", BELOW, "", text);
        table_stack(l->out, l->r->view, &l->r->view->lock_waits[l->waits[i]], 0,
                    0, table_left(l->r, BELOW + text_width(text)));
        label = "";
        left--;
    }
}

/* "up to 3 threads at a time, 2 at the end; 12 % of the time they spun" */
static void write_queue(const struct lock_rows *l, const struct profile_lock *k)
{
    uint64_t slept = k->waits.ready + k->waits.blocked;
    char line[160], waiting[80] = "";

    if (k->most_waiting == 0) /* of several locks */
        return;
    if (k->waiting != 0)
        (void)snprintf(waiting, sizeof waiting, ", %u at the end", k->waiting);
    (void)snprintf(line, sizeof line,
                   "queue   up to %u thread%s%s, %.0f %% of the time spinning",
                   k->most_waiting, text_plural(k->most_waiting), waiting,
                   100 * (1 - part_of(slept, k->waits.time)));
    write_line(l, line);
}

/* "held 60.0 % of the time, 41 ms at most" */
static void write_holds(const struct lock_rows *l, const struct profile_lock *k)
{
    char line[160], longest[TEXT_NUMBER], now[TEXT_NUMBER], until[80] = "";

    if (k->holds.count == 0 && !k->is_held)
        return;
    if (k->is_held)
        (void)snprintf(until, sizeof until, ", and for %s at the end",
                       time_text(now, l->p, k->holding));
    (void)snprintf(line, sizeof line,
                   "held    %.1f %% of the time, at most for %s%s",
                   100 * part_of(k->holds.time, k->wall),
                   time_text(longest, l->p, k->holds.longest), until);
    write_line(l, line);
}

/* If holders often did not run, say so. */
static void write_idle_holder(const struct lock_rows *l,
                              const struct profile_lock *k)
{
    uint64_t idle = k->holds.ready + k->holds.blocked;
    char line[200], all[TEXT_NUMBER], ready[TEXT_NUMBER], blocked[TEXT_NUMBER];

    if (part_of(idle, k->holds.time) < IDLE_MIN)
        return;
    (void)snprintf(line, sizeof line,
                   "! of %s held, holders were ready for %s, blocked for %s",
                   time_text(all, l->p, k->holds.time),
                   time_text(ready, l->p, k->holds.ready),
                   time_text(blocked, l->p, k->holds.blocked));
    write_line(l, line);
}

/* "12,034" acquires in (ticks) as a rate. */
static const char *rate_text(char buf[TEXT_NUMBER], const struct profile *p,
                             const struct profile_lock *k)
{
    double rate = (double)k->acquires * (double)p->tsc_hz /
                  (double)(k->wall != 0 ? k->wall : 1);

    if (rate > 0 && rate < 10)
        (void)snprintf(buf, TEXT_NUMBER, "%.1f", rate);
    else
        (void)text_count(buf, (uint64_t)fmin(rate, 0x1p62));
    return buf;
}

static void write_lock(const struct lock_rows *l, uint32_t i)
{
    const struct profile_lock *k = &l->p->locks[i];
    char name[NAME_PLAIN], line[NAME_PLAIN + 120], waited[TEXT_NUMBER];
    char longest[TEXT_NUMBER], rate[TEXT_NUMBER];

    (void)fprintf(l->out, "%9s %8.1f %% %9s  ",
                  time_text(waited, l->p, k->waits.time),
                  100 * fmin(part_of(k->waits.count, k->acquires), 1),
                  time_text(longest, l->p, k->waits.longest));
    (void)snprintf(line, sizeof line, "%s: %s acquires/s",
                   name_of_lock(name, l->r, i), rate_text(rate, l->p, k));
    text_cut(l->out, line, table_left(l->r, LEFT));
    (void)putc('\n', l->out);
    if (k->waits.count == 0 && k->waiting == 0)
        return;
    write_stacks(l, i, WIRE_LOCK_WAITED, "waiting");
    write_stacks(l, i, WIRE_LOCK_HELD, "holding");
    write_queue(l, k);
    write_holds(l, k);
    write_idle_holder(l, k);
}

/* Write the waits and reports that are in no sum. */
static void write_missing(const struct lock_rows *l)
{
    uint64_t untimed = 0;
    char line[200], count[TEXT_NUMBER];

    for (size_t i = 0; i < l->p->lock_count; i++)
        untimed += l->p->locks[i].untimed;
    if (untimed == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "The time of %s wait%s for locks is not known, because too "
                   "many threads waited: give tprof_locks() more waits.",
                   text_count(count, untimed), text_plural(untimed));
    text_wrap_at(l->out, 0, line, table_columns(l->r));
}

/* Number of the locks to show: with waits, or all. */
static size_t count_shown(const struct lock_rows *l)
{
    size_t most = l->r->all || l->r->whole ? ALL : ROWS, n = 0;

    while (n < l->p->lock_count && n < most &&
           (n == 0 || l->r->all || l->p->locks[l->locks[n]].waits.count != 0))
        n++;
    return n;
}

void table_locks(FILE *out, const struct report *r)
{
    struct lock_rows l = {.out = out, .r = r, .p = r->profile};

    if (r->profile->lock_count == 0)
        return;
    sorted = r->profile;
    l.locks = sort(l.p->lock_count, compare_locks);
    l.waits = sort(l.p->lock_wait_count, compare_waits);
    if (l.locks != NULL && l.waits != NULL) {
        size_t shown = count_shown(&l);

        (void)fprintf(out,
                      "\n%9s %10s %9s  LOCKS, by the time for which threads "
                      "waited\n",
                      "WAITED", "CONTENDED", "LONGEST");
        for (size_t i = 0; i < shown; i++)
            write_lock(&l, l.locks[i]);
        if (shown < l.p->lock_count)
            (void)fprintf(out, "%*s%zu more: --all\n", LEFT, "",
                          l.p->lock_count - shown);
        write_missing(&l);
    }
    free(l.locks);
    free(l.waits);
}
