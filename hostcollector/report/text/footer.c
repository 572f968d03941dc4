/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the text report: accounts, lateness, cost, notes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/core_list.h"
#include "diagnose/cost.h"
#include "diagnose/lateness.h"
#include "diagnose/selected.h"
#include "diagnose/share.h"
#include "report/table.h"
#include "util/text.h"

/* If a larger share of the busy time is late, late functions are listed. */
#define LATE_MIN     .01
#define LATE_SHOWN   3
/* A smaller share of stolen time is not shown. */
#define STEAL_MIN    .0005
/* Seconds. A longer time is described without a number. */
#define HOUR         3600
/* Columns of the account if its numbers are as wide as they may be. */
#define ACCOUNT_WIDE 97

static void write_account(FILE *out, int width, const char *name,
                          const struct account *a)
{
    const uint64_t columns[] = {
        account_deadlines(a), a->missed, account_ticks(a),
        a->samples,           a->lost,   a->ring_full,
        a->reentered};
    char count[TEXT_NUMBER];

    (void)fprintf(out, "%6s", name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        (void)fprintf(out, " %*s", width, text_count(count, columns[i]));
    (void)putc('\n', out);
}

static void write_account_rows(FILE *out, int width, const struct profile *p)
{
    struct account sum = {0};
    size_t rows = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account a = selected_rest(p, &p->cores[i]);
        char name[16];

        if (account_deadlines(&a) == 0)
            continue;
        (void)snprintf(name, sizeof name, "%" PRIu32, p->cores[i].core);
        write_account(out, width, name, &a);
        account_sum(&sum, &a);
        rows++;
    }
    if (rows > 1)
        write_account(out, width, "all", &sum);
}

/* With samples by NMI: compare the kicks that the senders have counted since
 * boot with those that the cores have taken. */
static void write_kicks(FILE *out, const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++) {
        const struct core_stats *s = &p->cores[i].stats;
        char sent[TEXT_NUMBER], taken[TEXT_NUMBER], merged[TEXT_NUMBER];
        char lost[TEXT_NUMBER];

        if (!(p->guest.features & WIRE_FEATURE_NMI) || !p->cores[i].has_stats ||
            !p->cores[i].selected)
            continue;
        (void)fprintf(out,
                      "  NMIs of core %" PRIu32 ": %s kicks sent, %s taken, of "
                      "these %s merged, %s lost\n",
                      p->cores[i].core, text_count(sent, s->kicks),
                      text_count(taken, s->ticks + s->missed),
                      text_count(merged, s->missed),
                      text_count(lost, s->ring_full + s->reentered));
    }
}

/* Does (core) have deadlines in the account? */
static bool is_active(const struct profile_core *core)
{
    return core->selected && account_deadlines(&core->account) != 0;
}

static bool ends_open(const struct profile_core *core)
{
    return is_active(core) && !core->account.complete;
}

static bool was_cut(const struct profile_core *core)
{
    return core->selected && core->account.cut != 0;
}

static bool begins_open(const struct profile_core *core)
{
    return core->selected && core->account.begin_unknown != 0;
}

/* Did nothing arrive from (core), not even a count of 0? */
static bool is_unheard(const struct profile_core *core)
{
    return core->selected && !core->absent && !is_active(core) &&
           !core->account.complete && !was_cut(core) && !begins_open(core);
}

/* Say in what the account is not exact. */
static void write_exactness(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    const struct stream_health *h = &p->health;
    char list[CORE_LIST_SIZE], line[CORE_LIST_SIZE + 200];

    if (core_list_any(p, ends_open))
        text_wrap(out, "  ",
                  "These numbers are exact up to the last frame from each "
                  "core. What the guest did after that frame is unknown, "
                  "because no final count arrived.",
                  table_columns(r));
    if (core_list_find(p, was_cut, list) != 0) {
        (void)snprintf(line, sizeof line,
                       "An earlier boot or session ended without a final "
                       "count from core %s. What happened there after the "
                       "last frame is unknown.",
                       list);
        text_wrap(out, "  ", line, table_columns(r));
    }
    if (core_list_find(p, begins_open, list) != 0) {
        (void)snprintf(line, sizeof line,
                       "Frames are missing before the first frame from core "
                       "%s: the number of samples in them is unknown.",
                       list);
        text_wrap(out, "  ", line, table_columns(r));
    }
    if ((h->lost_frames != 0 || h->damaged != 0) &&
        core_list_find(p, is_unheard, list) != 0) {
        (void)snprintf(line, sizeof line,
                       "Nothing arrived from core %s. Whether it sampled is "
                       "unknown, because frames were lost.",
                       list);
        text_wrap(out, "  ", line, table_columns(r));
    }
}

void table_accounts(FILE *out, const struct report *r)
{
    static const char *const heads[] = {
        "DEADLINES", "MISSED", "TICKS", "SAMPLES", "LOST", "FULL", "REENTERED"};
    const struct profile *p = r->profile;
    int width = table_columns(r) < ACCOUNT_WIDE ? 9 : 12;

    if (!core_list_any(p, is_active) && !core_list_any(p, begins_open))
        return;
    (void)putc('\n', out);
    text_wrap(
        out, "Accounting: ",
        "deadlines = missed + ticks, ticks = samples + lost + full + reentered",
        table_columns(r));
    (void)fputs("  CORE", out);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        (void)fprintf(out, " %*s", width, heads[i]);
    (void)putc('\n', out);
    write_account_rows(out, width, p);
    write_kicks(out, p);
    if (core_list_any(p, selected_has_less))
        text_wrap(out, "  ",
                  "SAMPLES and MISSED are without excluded samples. Lost "
                  "samples may be of any function.",
                  table_columns(r));
    if (selected_span(p).part)
        text_wrap(out, "  ",
                  "LOST counts all ticks without a sample, for any reason, in "
                  "each second that is at least partly selected.",
                  table_columns(r));
    else
        write_exactness(out, r);
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
    else if (s < HOUR)
        (void)snprintf(buf, size, "%.3g s", s);
    else
        (void)snprintf(buf, size, "hours");
    return buf;
}

/* Lateness of all selected samples. */
struct late_sums {
    uint64_t samples;
    uint64_t classes[LATE_CLASSES];
};

static struct late_sums sum_lateness(const struct profile *p)
{
    struct late_sums sum = {0};

    for (size_t i = 0; i < p->core_count; i++) {
        const struct tally *t = &p->cores[i].total;

        sum.samples += t->samples;
        for (size_t j = 0; j < LATE_CLASSES; j++)
            sum.classes[j] += t->late_class[j];
    }
    return sum;
}

/* The class of the sample at the quantile (share). */
static size_t late_class(const struct late_sums *sum, double share)
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

/* Write "half of the samples came under 1 us after their deadline, 99 of 100
 * under 4 us". The last class has no upper end. */
static void late_text(char *buf, size_t size, const struct profile *p,
                      const struct late_sums *sum)
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

static int compare_late(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;

    if (left->late != right->late)
        return left->late < right->late ? 1 : -1;
    return (left->function > right->function) -
           (left->function < right->function);
}

/* Append "request 29.9 % (99 % of its own)" to (text). Returns whether it
 * fit. */
static bool append_late(char *text, size_t size, const struct report *r,
                        const struct view_row *row, bool first)
{
    size_t used = strlen(text);
    int n =
        snprintf(text + used, size - used, "%s %s %.1f %% (%.0f %% of its own)",
                 first ? ":" : ",", r->view->functions[row->function].name,
                 100 * lateness_part(row->late, r->view->total.busy.time),
                 100 * lateness_part(row->late, row->self.time));

    if (n >= 0 && (size_t)n < size - used)
        return true;
    text[used] = '\0'; /* remove a name that did not fit */
    return false;
}

/* Write the functions with late samples. Late samples land after code that had
 * interrupts off, or where the host took the core away. */
static void write_late_functions(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    size_t bytes = scope->row_count * sizeof *scope->rows;
    struct view_row *rows = malloc(bytes + 1);
    char text[768], limit[40];

    if (rows == NULL)
        return;
    if (scope->row_count != 0)
        memcpy(rows, scope->rows, bytes);
    qsort(rows, scope->row_count, sizeof *rows, compare_late);
    (void)snprintf(
        text, sizeof text, "%.1f %% of the busy time, by %s or more",
        100 * lateness_part(scope->late, scope->busy.time),
        ticks_text(limit, sizeof limit, r->profile, (double)LATE_TICKS));
    for (size_t i = 0;
         i < LATE_SHOWN && i < scope->row_count && rows[i].late > 0; i++)
        if (!append_late(text, sizeof text, r, &rows[i], i == 0))
            break;
    free(rows);
    text_wrap(out, "Late: ", text, table_columns(r));
    text_wrap(out, "      ",
              "A late sample lands where interrupts came on again, or where "
              "the host resumed the core.",
              table_columns(r));
}

static void write_lateness(FILE *out, const struct report *r)
{
    struct late_sums sum = sum_lateness(r->profile);
    char late[160], line[256];

    if (sum.samples == 0)
        return;
    late_text(late, sizeof late, r->profile, &sum);
    (void)snprintf(line, sizeof line, "%s.", late);
    text_wrap(out, "Lateness: ", line, table_columns(r));
    if (r->view->total.late > LATE_MIN * r->view->total.busy.time &&
        (r->profile->guest.features & WIRE_FEATURE_OUTSIDE) == 0)
        write_late_functions(out, r);
}

/* Write the cost of sampling from outside. */
static void write_stops(FILE *out, const struct report *r,
                        const struct cost *cost)
{
    const struct profile *p = r->profile;
    char each[40], most[40], line[256];

    (void)snprintf(
        line, sizeof line,
        "the guest was stopped for %.2f %% of the time, %s for a sample of all "
        "cores, %s for the longest. Its clock here was stopped, too.",
        100 * fmax(cost->share, 0),
        ticks_text(each, sizeof each, p, cost->tick),
        ticks_text(most, sizeof most, p, cost->longest));
    text_wrap(out, "From outside: ", line, table_columns(r));
}

static void write_cost(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    struct cost cost = cost_of(p);
    char each[40], most[40], line[256], share[48] = "", longest_text[64] = "";

    if (cost.cores == 0 || cost.senseless)
        return;
    if (cost.stood) {
        write_stops(out, r, &cost);
        return;
    }
    if (cost.share >= 0)
        (void)snprintf(share, sizeof share, "%.2f %% of the cores' time, ",
                       100 * cost.share);
    if (cost.longest > 0)
        (void)snprintf(longest_text, sizeof longest_text, ", %s the longest",
                       ticks_text(most, sizeof most, p, cost.longest));
    (void)snprintf(line, sizeof line, "%s%s a tick%s, by the guest's clock.",
                   share, ticks_text(each, sizeof each, p, cost.tick),
                   longest_text);
    text_wrap(out, "Cost of the profiler: ", line, table_columns(r));
}

static void write_steal(FILE *out, const struct report *r)
{
    struct steal steal = cost_steal_of(r->profile);
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
    text_wrap(out, "Stolen time: ", line, table_columns(r));
}

static void write_uncertain(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    char line[400];

    if (scope->uncertain.samples == 0)
        return;
    (void)snprintf(
        line, sizeof line,
        "%.1f %% of the busy samples hit a prologue, an epilogue or a function "
        "without a frame (leaf functions often are), where the direct caller "
        "may be missing: [caller?] stands for this caller. \"n?\" after a "
        "function: n percent of its own samples.",
        100 * share_of(&scope->uncertain, &scope->busy).p);
    text_wrap(out, "Caller uncertain: ", line, table_columns(r));
}

void table_footer(FILE *out, const struct report *r)
{
    table_accounts(out, r);
    (void)putc('\n', out);
    write_lateness(out, r);
    write_steal(out, r);
    write_cost(out, r);
    write_uncertain(out, r);
    if (r->profile->has_guest)
        table_details(out, r);
    if (r->view->total.all.samples != 0)
        text_wrap(out, "Ranges: ",
                  "the true share of this run is within its range in 95 of 100 "
                  "cases. A range covers the sampling error of this run only, "
                  "not how another run would differ.",
                  table_columns(r));
    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].warning)
            text_wrap(out, "Note: ", r->remarks->list[i].text,
                      table_columns(r));
    }
}
