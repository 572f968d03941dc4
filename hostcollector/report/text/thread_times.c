/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of threads, and the scheduling of cores. */
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"
#include "util/text.h"

#define THREADS    6 /* rows, if there is no option for more */
#define CORES      8
#define ALL        1000 /* rows with --all */
#define LEFT       43   /* "  41.2   1.3   57.5     1,204/s     12 ms  " */
/* Least idle time while a thread was ready, and its least share. Less is not
 * reported, because the core was about to run the thread. */
#define IDLE_MIN_S .001
#define IDLE_MIN   .001

/* qsort() passes no context. */
static const struct profile_thread *sorted_threads;

/* Sort idle threads last, and the others by running time. */
static int compare_threads(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct profile_thread *left = &sorted_threads[x];
    const struct profile_thread *right = &sorted_threads[y];

    if (left->idle != right->idle)
        return left->idle ? 1 : -1;
    if (left->running != right->running)
        return left->running < right->running ? 1 : -1;
    return (x > y) - (x < y);
}

/* The indices of threads with times, sorted. NULL if there is no memory. */
static uint32_t *list_threads(const struct profile *p, size_t *count)
{
    uint32_t *list = calloc(p->thread_count + 1, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < p->thread_count; i++)
        if (p->threads[i].wall != 0)
            list[(*count)++] = i;
    sorted_threads = p->threads;
    if (list != NULL)
        qsort(list, *count, sizeof *list, compare_threads);
    return list;
}

/* Format (ticks) as a time; "?" if the clock is not known. */
static const char *time_text(char buf[TEXT_NUMBER], const struct profile *p,
                             double ticks)
{
    if (p->tsc_hz == 0)
        return "?";
    return text_seconds(buf, ticks / (double)p->tsc_hz);
}

/* Format (count) in (ticks) as "1,204/s". */
static const char *rate_text(char buf[TEXT_NUMBER + 4], const struct profile *p,
                             uint64_t count, uint64_t ticks)
{
    char number[TEXT_NUMBER];
    double rate =
        (double)count * (double)p->tsc_hz / (double)(ticks != 0 ? ticks : 1);

    if (p->tsc_hz == 0)
        return "?";
    if (rate > 0 && rate < 10)
        (void)snprintf(buf, TEXT_NUMBER + 4, "%.1f/s", rate);
    else
        (void)snprintf(buf, TEXT_NUMBER + 4, "%s/s",
                       text_count(number, (uint64_t)fmin(rate, 0x1p62)));
    return buf;
}

/* 0 if (whole) is 0. */
static double percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

static void write_thread(FILE *out, const struct report *r, uint32_t i)
{
    const struct profile *p = r->profile;
    const struct profile_thread *t = &p->threads[i];
    char rate[TEXT_NUMBER + 4], wait[TEXT_NUMBER], name[NAME_PLAIN];

    (void)fprintf(out, "%6.1f ", percent(t->running, t->wall));
    if (t->idle) /* an idle thread is ready whenever it does not run */
        (void)fprintf(out, "%6s %6s", ".", ".");
    else
        (void)fprintf(out, "%6.1f %6.1f", percent(t->ready, t->wall),
                      percent(t->blocked, t->wall));
    (void)fprintf(out, " %10s %9s  ", rate_text(rate, p, t->switches, t->wall),
                  t->longest != 0 ? time_text(wait, p, (double)t->longest)
                                  : ".");
    name_of_thread(name, p, i + 1);
    (void)snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s",
                   t->idle ? " (idle)" : "", t->ended ? " (ended)" : "");
    text_cut(out, name, table_left(r, LEFT));
    (void)putc('\n', out);
}

/* Write the number of threads that had no room in the guest. */
static void write_unkept(FILE *out, const struct report *r)
{
    const struct profile_sched *s =
        r->profile->core_count != 0 ? r->profile->cores[0].sched : NULL;
    char line[240], count[TEXT_NUMBER];

    if (s == NULL || s->refused == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "%s thread%s had no room in the guest: give tprof_threads() "
                   "memory for more.",
                   text_count(count, s->refused), text_plural(s->refused));
    text_wrap_at(out, 0, line, table_columns(r));
}

/* If the report covers a part of the samples, write that the tables of threads
 * cover all. */
static void write_whole(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    bool part = r->without != NULL || p->from_s > 0 || p->to_s > 0;

    for (size_t i = 0; i < p->core_count; i++)
        part |= !p->cores[i].selected;
    if (!part)
        return;
    (void)putc('\n', out);
    text_wrap_at(out, 0,
                 "The tables below are of the whole run and of all threads.",
                 table_columns(r));
}

void table_threads(FILE *out, const struct report *r)
{
    size_t count = 0;
    uint32_t *list = list_threads(r->profile, &count);
    size_t most = r->all || r->whole ? ALL : THREADS;
    size_t shown = count < most ? count : most;

    if (list != NULL && count != 0) {
        write_whole(out, r);
        (void)fprintf(out,
                      "\n%6s %6s %6s %10s %9s  THREADS, each of its own "
                      "time\n",
                      "RUN", "READY", "BLOCK", "SWITCHES", "LONGEST");
        for (size_t i = 0; i < shown; i++)
            write_thread(out, r, list[i]);
        if (shown < count)
            (void)fprintf(out, "%*s%zu more: --all\n", LEFT, "", count - shown);
        write_unkept(out, r);
    }
    free(list);
}

/* Upper bound, in ticks, of the shortest (share) of the times in (s). 0 if
 * there are no times. */
static double ready_within(const struct profile_sched *s, double share)
{
    double all = 0, sum = 0;
    size_t i = 0;

    for (size_t k = 0; k < SCHED_CLASSES; k++)
        all += (double)s->ready[k];
    if (all <= 0)
        return 0;
    while (i + 1 < SCHED_CLASSES && (sum += (double)s->ready[i]) < share * all)
        i++;
    return ldexp(1, (int)i);
}

static void write_ready(FILE *out, const struct report *r,
                        const struct profile_sched *s, double share)
{
    char time[TEXT_NUMBER];
    double ticks = ready_within(s, share);

    (void)fprintf(out, " %8s",
                  ticks > 0 ? time_text(time, r->profile, ticks) : ".");
}

static void write_core(FILE *out, const struct report *r,
                       const struct profile_core *c)
{
    const struct profile_sched *s = c->sched;
    char rate[TEXT_NUMBER + 4];

    (void)fprintf(out, "%4" PRIu32 " %10s %6.1f %6.1f %6.1f ", c->core,
                  rate_text(rate, r->profile, s->switches, s->wall),
                  percent(s->running, s->wall), percent(s->idle, s->wall),
                  percent(s->unnamed, s->wall));
    write_ready(out, r, s, .5);
    write_ready(out, r, s, .99);
    write_ready(out, r, s, 1);
    (void)fprintf(out, " %7.1f\n",
                  s->switches != 0 ? percent(s->moved, s->switches) : 0);
}

/* Number of the thread that was ready for most time; 0: none was. */
static uint32_t most_ready(const struct profile *p)
{
    uint64_t most = 0;
    uint32_t number = 0;

    for (uint32_t i = 0; i < p->thread_count; i++) {
        if (p->threads[i].idle || p->threads[i].ready <= most)
            continue;
        most = p->threads[i].ready;
        number = i + 1;
    }
    return number;
}

/* Name the core that was idle although a thread was ready. */
static void write_ready_idle(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    const struct profile_core *worst = NULL;
    char line[160 + NAME_PLAIN], time[TEXT_NUMBER], name[NAME_PLAIN];
    uint32_t ready = most_ready(p);

    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *c = &p->cores[i];

        if (c->sched != NULL && c->sched->has_ready_idle &&
            (worst == NULL || c->sched->ready_idle > worst->sched->ready_idle))
            worst = c;
    }
    if (worst == NULL || p->tsc_hz == 0)
        return;
    double s = (double)worst->sched->ready_idle / (double)p->tsc_hz;

    if (s < IDLE_MIN_S || (double)worst->sched->ready_idle <
                              IDLE_MIN * (double)worst->sched->wall)
        return;
    (void)snprintf(line, sizeof line,
                   "Core %" PRIu32
                   " was idle for %s (%.1f %%) while a thread was ready.",
                   worst->core, text_seconds(time, s),
                   percent(worst->sched->ready_idle, worst->sched->wall));
    if (ready != 0)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line),
                       " Of all threads %s was ready for the longest time, %s.",
                       name_of_thread(name, p, ready),
                       time_text(time, p, (double)p->threads[ready - 1].ready));
    text_wrap_at(out, 0, line, table_columns(r));
}

void table_scheduling(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    size_t most = r->all || r->whole ? p->core_count : CORES, shown = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        if (p->cores[i].sched == NULL || p->cores[i].sched->switches == 0)
            continue;
        if (shown == 0)
            (void)fputs("\nCORE   SWITCHES    RUN   IDLE  OTHER   MEDIAN     "
                        "99 %  LONGEST MOVED %\n",
                        out);
        if (shown++ < most)
            write_core(out, r, &p->cores[i]);
    }
    if (shown == 0)
        return;
    if (shown > most)
        (void)fprintf(out, "%4s %zu more: --all\n", "", shown - most);
    text_wrap_at(out, 0,
                 "SCHEDULING: % of the core's time with named threads, idle "
                 "threads, and others. MEDIAN to LONGEST: times from ready to "
                 "running, as upper bounds. MOVED: threads that ran on another "
                 "core before",
                 table_columns(r));
    write_ready_idle(out, r);
}
