/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the text report: how far its numbers can be trusted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "diagnose/steal.h"
#include "render/table.h"
#include "util/text.h"

/* Lateness is worth a list of functions above this share of the time. */
#define LATE_MIN   .01
#define LATE_SHOWN 3
/* Below this share of a core's time nothing was stolen that is worth a number.
 */
#define STEAL_MIN  .0005

static void add_account(struct account *sum, const struct account *a)
{
    sum->samples += a->samples;
    sum->lost += a->lost;
    sum->ring_full += a->ring_full;
    sum->reentered += a->reentered;
    sum->missed += a->missed;
}

static void write_account(FILE *out, const char *name, const struct account *a)
{
    const uint64_t columns[] = {
        account_deadlines(a), a->missed, account_ticks(a),
        a->samples,           a->lost,   a->ring_full,
        a->reentered};
    char count[TEXT_NUMBER];

    (void)fprintf(out, "%6s", name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)fprintf(out, " %12s", text_count(count, columns[i]));
    (void)putc('\n', out);
}

static void write_account_rows(FILE *out, const struct profile *p)
{
    struct account sum = {0};
    size_t rows = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account *a = &p->cores[i].account;
        char name[16];

        if (account_deadlines(a) == 0)
            continue;
        (void)snprintf(name, sizeof name, "%" PRIu32, p->cores[i].core);
        write_account(out, name, a);
        add_account(&sum, a);
        rows++;
    }
    if (rows > 1)
        write_account(out, "all", &sum);
}

static void write_accounts(FILE *out, const struct profile *p)
{
    size_t sampled = 0, incomplete = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        bool active = account_deadlines(&p->cores[i].account) != 0;

        sampled += active;
        incomplete += active && !p->cores[i].account.complete;
    }
    if (sampled == 0)
        return;
    (void)fputs("\nAccounting: deadlines = missed + ticks, ticks = samples + "
                "lost + full + reentered\n"
                "  CORE    DEADLINES       MISSED        TICKS      SAMPLES"
                "         LOST         FULL    REENTERED\n",
                out);
    write_account_rows(out, p);
    if (incomplete != 0)
        text_wrap(out, "  ",
                  "This is exact up to the last frame that came from each "
                  "core; what the guest did after that is not known, since no "
                  "final count came.");
    (void)putc('\n', out);
}

/* An upper bound in TSC ticks as text. */
static const char *ticks_text(char *buf, size_t size, const struct profile *p,
                              double ticks)
{
    double s = p->tsc_hz != 0 ? ticks / (double)p->tsc_hz : 0;

    if (p->tsc_hz == 0)
        (void)snprintf(buf, size, "%.0f TSC ticks", ticks);
    else if (s < 1e-3)
        (void)snprintf(buf, size, "%.3g us", s * 1e6);
    else if (s < 1)
        (void)snprintf(buf, size, "%.3g ms", s * 1e3);
    else
        (void)snprintf(buf, size, "%.3g s", s);
    return buf;
}

/* Sums of lateness over everything that was selected. */
struct lateness {
    uint64_t samples;
    uint64_t classes[LATE_CLASSES];
    double late, time;
};

static struct lateness sum_lateness(const struct profile *p)
{
    struct lateness sum = {0};

    for (size_t i = 0; i < p->core_count; i++) {
        const struct tally *t = &p->cores[i].total;

        sum.samples += t->samples;
        sum.late += t->late;
        sum.time += t->time;
        for (size_t j = 0; j < LATE_CLASSES; j++)
            sum.classes[j] += t->late_class[j];
    }
    return sum;
}

/* The class that holds the sample behind (share) of all. */
static size_t late_class(const struct lateness *sum, double share)
{
    uint64_t below = 0;
    size_t i = 0;

    while (i < LATE_CLASSES - 1) {
        below += sum->classes[i];
        if ((double)below >= share * (double)sum->samples)
            break;
        i++;
    }
    return i;
}

/* "half of the samples came under 1 us after their deadline, 99 of 100 under 4
 * us". The last class has no upper end. */
static void late_text(char *buf, size_t size, const struct profile *p,
                      const struct lateness *sum)
{
    const size_t open = LATE_CLASSES - 1;
    size_t half = late_class(sum, .5), most = late_class(sum, .99);
    double half_limit = (double)LATE_CLASS_LIMIT(half - (half == open));
    double most_limit = (double)LATE_CLASS_LIMIT(most - (most == open));
    char first[40], second[40];

    ticks_text(first, sizeof first, p, half_limit);
    ticks_text(second, sizeof second, p, most_limit);
    if (half == open)
        (void)snprintf(buf, size,
                       "half of the samples came over %s after their deadline",
                       first);
    else if (half == most)
        (void)snprintf(buf, size,
                       "99 of 100 samples came under %s after their deadline",
                       first);
    else
        (void)snprintf(
            buf, size,
            "half of the samples came under %s after their deadline, %s %s",
            first, most != open ? "99 of 100 under" : "more than 1 of 100 over",
            second);
}

/* A function and its lateness, to be sorted. */
struct late_function {
    size_t function;
    double late;
};

static int compare_late(const void *a, const void *b)
{
    const struct late_function *left = a, *right = b;

    if (left->late != right->late)
        return left->late < right->late ? 1 : -1;
    return (left->function > right->function) -
           (left->function < right->function);
}

/* All functions, the latest first; NULL if there is no memory. */
static struct late_function *sort_late(const struct view *v)
{
    struct late_function *list = calloc(v->function_count + 1, sizeof *list);

    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < v->function_count; i++)
        list[i] = (struct late_function){i, v->functions[i].late};
    qsort(list, v->function_count, sizeof *list, compare_late);
    return list;
}

/* Where lateness adds up: code that had interrupts off before, or a host that
 * took the core away. */
static void write_late_functions(FILE *out, const struct view *v, double late)
{
    struct late_function *list = sort_late(v);
    char text[512] = "Latest at:";
    size_t used = strlen(text);

    if (list == NULL)
        return;
    for (size_t i = 0; i < LATE_SHOWN && list[i].late > 0; i++) {
        int len = snprintf(
            text + used, sizeof text - used, "%s %s %.0f %%", i == 0 ? "" : ",",
            v->functions[list[i].function].name, 100 * list[i].late / late);

        if (len < 0 || (size_t)len >= sizeof text - used)
            break;
        used += (size_t)len;
    }
    text[used] = '\0'; /* a name that did not fit is left out */
    free(list);
    text_wrap(out, "  ", text);
    text_wrap(out, "  ",
              "A late sample lands where interrupts came on again, or where "
              "the host resumed the core.");
}

static void write_lateness(FILE *out, const struct report *r)
{
    struct lateness sum = sum_lateness(r->profile);
    char late[160], line[256];

    if (sum.samples == 0)
        return;
    late_text(late, sizeof late, r->profile, &sum);
    (void)snprintf(line, sizeof line, "%s; together %.2f %% of the time.", late,
                   100 * sum.late / sum.time);
    text_wrap(out, "Lateness: ", line);
    if (sum.late > LATE_MIN * sum.time)
        write_late_functions(out, r->view, sum.late);
}

static void write_cost(FILE *out, const struct profile *p)
{
    double cost = 0, ticks = 0, longest = 0;
    size_t cores = 0;
    char each[40], most[40], line[256], share[48] = "", longest_text[64] = "";

    for (size_t i = 0; i < p->core_count; i++) {
        double c = p->cores[i].cost_tsc;

        if (!(c > 0))
            continue;
        cost += c;
        ticks += (double)account_ticks(&p->cores[i].account);
        cores++;
        if ((double)p->cores[i].stats.cost_max_tsc > longest)
            longest = (double)p->cores[i].stats.cost_max_tsc;
    }
    if (cores == 0)
        return;
    if (p->tsc_hz != 0 && p->duration_s > 0)
        (void)snprintf(share, sizeof share, "%.2f %% of the cores' time, ",
                       100 * cost /
                           (p->duration_s * (double)p->tsc_hz * (double)cores));
    if (longest > 0)
        (void)snprintf(longest_text, sizeof longest_text, ", %s the longest",
                       ticks_text(most, sizeof most, p, longest));
    (void)snprintf(line, sizeof line, "%s%s a tick%s, by the guest's clock.",
                   share, ticks_text(each, sizeof each, p, cost / ticks),
                   longest_text);
    text_wrap(out, "Cost of the profiler: ", line);
}

static void write_steal(FILE *out, const struct profile *p)
{
    struct steal steal = steal_of(p);
    char line[160];

    if (steal.cores == 0)
        return;
    if (steal.most < STEAL_MIN)
        (void)snprintf(line, sizeof line, "the host took no time away.");
    else if (steal.cores == 1)
        (void)snprintf(line, sizeof line,
                       "the host took %.1f %% of core %" PRIu32 "'s time away.",
                       100 * steal.most, steal.core);
    else
        (void)snprintf(line, sizeof line,
                       "the host took %.1f %% of the cores' time away, most "
                       "from core %" PRIu32 ": %.1f %%.",
                       100 * steal.mean, steal.core, 100 * steal.most);
    text_wrap(out, "Stolen time: ", line);
}

static void write_uncertain(FILE *out, const struct view_scope *scope)
{
    char line[400];

    if (scope->uncertain.samples == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "%.1f %% of the busy samples hit a prologue, an epilogue "
                   "or a function without a frame (leaf functions often are), "
                   "where the direct caller may be missing: [caller?] stands "
                   "in its place. \"n?\" beside a function: so many percent "
                   "of its own samples.",
                   100 * share_of(&scope->uncertain, &scope->busy).p);
    text_wrap(out, "Caller uncertain: ", line);
}

void table_footer(FILE *out, const struct report *r)
{
    write_accounts(out, r->profile);
    write_lateness(out, r);
    write_steal(out, r->profile);
    write_cost(out, r->profile);
    write_uncertain(out, &r->view->total);
    if (r->all && r->profile->has_guest)
        table_details(out, r->profile);
    if (r->view->total.all.samples != 0)
        text_wrap(out, "Ranges: ",
                  "the true share of this run is within its range in 95 of 100 "
                  "cases. A range covers the sampling error of this run only, "
                  "not how another run would differ.");
    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].warning)
            text_wrap(out, "Note: ", r->remarks->list[i].text);
    }
}
