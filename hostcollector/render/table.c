/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report as text for a terminal of TEXT_COLUMNS columns: what it is of,
 * what to beware of, a table of functions for all cores and for each, then
 * call tree, callers and callees, and the footer.
 */
#include "render/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diagnose/share.h"
#include "render/name.h"
#include "util/text.h"

/* Rows by default: of all cores, and of each where there are several. */
#define TOP_TOTAL 20
#define TOP_CORE  6
/* Rows below this share are not worth a line, unless asked for. */
#define SHARE_MIN .01

/* Columns of the table: shares and marks take 44 of the 100. */
#define FUNCTION_WIDTH 35
#define LINE_WIDTH     20

/* The cores that samples of this report come from. */
static size_t active_cores(const struct view *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->core_count; i++)
        n += v->cores[i].all.samples != 0;
    return n;
}

/* The core that all samples are of, if it is one; else VIEW_ALL_CORES. */
static uint32_t only_core(const struct view *v)
{
    for (size_t i = 0; i < v->core_count; i++) {
        if (v->cores[i].all.samples == v->total.all.samples)
            return v->cores[i].core;
    }
    return VIEW_ALL_CORES;
}

const char *table_scope_name(char *buf, size_t size, const struct report *r,
                             const struct view_scope *scope)
{
    uint32_t core = scope->core;

    if (core == VIEW_ALL_CORES)
        core = only_core(r->view);
    if (core == VIEW_ALL_CORES)
        (void)snprintf(buf, size, "all cores");
    else
        (void)snprintf(buf, size, "core %" PRIu32, core);
    return buf;
}

static uint32_t asked_rate(const struct profile *p)
{
    return p->has_status && p->status.rate_hz != 0 ? p->status.rate_hz
                                                   : p->guest.rate_hz;
}

/* Samples that (core) delivered per second in which the guest ran; 0 if none
 * came, or time is not known. */
static double core_rate(const struct profile *p,
                        const struct profile_core *core)
{
    double seconds = p->duration_s;

    if (p->tsc_hz != 0)
        seconds -= (double)core->jump_weight * (double)p->period_tsc /
                   (double)p->tsc_hz;
    return seconds > 0 ? (double)core->account.samples / seconds : 0;
}

/* The mean over cores that delivered any. */
static double achieved_rate(const struct profile *p)
{
    double sum = 0;
    size_t cores = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        sum += core_rate(p, &p->cores[i]);
        cores += p->cores[i].account.samples != 0;
    }
    return cores == 0 ? 0 : sum / (double)cores;
}

static void write_when(FILE *out, double wall_start)
{
    char text[48];
    time_t seconds = (time_t)wall_start;
    struct tm utc;

    if (!(wall_start > 0) || gmtime_r(&seconds, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        return;
    (void)fprintf(out, ", begun %s", text);
}

const char *table_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void write_rates(FILE *out, const struct profile *p)
{
    double achieved = achieved_rate(p);

    (void)fprintf(out, "%" PRIu32 " samples/s asked of each core",
                  asked_rate(p));
    if (achieved > 0)
        (void)fprintf(out, ", %.0f achieved", achieved);
}

/* An image that the kernel loaded, or the kernel's own, to be sorted. */
static int compare_images(const void *a, const void *b)
{
    const struct view_image *const *left = a, *const *right = b;

    if ((*left)->busy.time != (*right)->busy.time)
        return (*left)->busy.time < (*right)->busy.time ? 1 : -1;
    return (*left > *right) - (*left < *right);
}

/* "Images: kernel.elf 61.2 %, app 38.8 % of the busy time", where there are
 * several; (kernel) is the first one's name. */
static void write_images(FILE *out, const struct view *v, const char *kernel)
{
    const struct view_image *sorted[GUEST_MAPS_MAX + 1];
    char line[2048] = "";
    size_t n = 0, used = 0;

    while (n < v->image_count && n < sizeof sorted / sizeof sorted[0]) {
        sorted[n] = &v->images[n];
        n++;
    }
    if (n < 2 || v->total.busy.samples == 0)
        return;
    /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(sorted, n, sizeof sorted[0], compare_images);
    for (size_t i = 0; i < n && sorted[i]->busy.samples != 0; i++) {
        const char *name = sorted[i]->name;
        int len = snprintf(line + used, sizeof line - used, "%s%s %.1f %%",
                           i != 0 ? ", " : "", name != NULL ? name : kernel,
                           100 * share_of(&sorted[i]->busy, &v->total.busy).p);

        if (len < 0 || (size_t)len >= sizeof line - used - 32)
            break;
        used += (size_t)len;
    }
    (void)snprintf(line + used, sizeof line - used, " of the busy time");
    text_wrap(out, "Images: ", line);
}

/* What this is a report of: two lines, and one on images. */
static void write_headline(FILE *out, const struct report *r)
{
    const struct profile *p = r->profile;
    size_t cores = active_cores(r->view);
    char name[128], source[128], agent[64], count[TEXT_NUMBER];

    text_escape(name, sizeof name,
                r->elf != NULL ? table_base_name(r->elf)
                               : "guest of unknown image");
    (void)fprintf(out, "%s: ", name);
    if (cores == 0)
        (void)fputs("no samples", out);
    else
        (void)fprintf(out, "%s samples of %zu core%s",
                      text_count(count, r->view->total.all.samples), cores,
                      cores == 1 ? "" : "s");
    if (p->duration_s > 0)
        (void)fprintf(out, " in %.1f s", p->duration_s);
    write_when(out, p->wall_start);
    (void)putc('\n', out);
    write_rates(out, p);
    (void)fprintf(out, "; agent %s",
                  text_escape(agent, sizeof agent, p->guest.agent_version));
    if (r->source != NULL)
        (void)fprintf(out, ", from %s",
                      text_escape(source, sizeof source, r->source));
    (void)putc('\n', out);
    write_images(out, r->view, r->elf != NULL ? name : "kernel");
}

static void write_warnings(FILE *out, const struct remarks *remarks)
{
    bool first = true;

    for (size_t i = 0; i < remarks->count; i++) {
        if (!remarks->list[i].warning)
            continue;
        if (first)
            (void)putc('\n', out);
        first = false;
        text_wrap(out, "  ! ", remarks->list[i].text);
    }
}

/* A share and its range, as "12.3    11.5-13.1". */
static void write_share(FILE *out, int width, struct share s)
{
    char range[24];

    (void)snprintf(range, sizeof range, "%.1f-%.1f", 100 * s.low, 100 * s.high);
    (void)fprintf(out, "%*.1f %11s", width, 100 * s.p, range);
}

static void write_row(FILE *out, const struct report *r,
                      const struct view_scope *scope,
                      const struct view_row *row)
{
    const struct view_function *f = &r->view->functions[row->function];
    double uncertain = share_of(&row->uncertain, &row->self).p;
    char where[512], name[NAME_SHORT];

    write_share(out, 7, share_of(&row->self, &scope->busy));
    write_share(out, 8, share_of(&row->total, &scope->busy));
    if (uncertain >= .005)
        (void)fprintf(out, " %4.0f?  ", 100 * uncertain);
    else
        (void)fputs("        ", out);
    if (f->file == NULL) {
        (void)fprintf(
            out, "%s\n",
            name_short(name, f->name, FUNCTION_WIDTH + 1 + LINE_WIDTH));
        return;
    }
    (void)snprintf(where, sizeof where, "%s:%" PRIu32, table_base_name(f->file),
                   f->line);
    text_left(out, name_short(name, f->name, FUNCTION_WIDTH), FUNCTION_WIDTH);
    (void)putc(' ', out);
    text_tail(out, where, LINE_WIDTH);
    (void)putc('\n', out);
}

/* How many rows to show: the first ones, while they are worth it. */
static size_t rows_shown(const struct report *r, const struct view_scope *scope,
                         size_t top)
{
    size_t n = r->all || scope->row_count < top ? scope->row_count : top;

    if (r->all || r->top != 0)
        return n;
    while (n > 1 &&
           share_of(&scope->rows[n - 1].self, &scope->busy).p < SHARE_MIN)
        n--;
    return n;
}

static void write_rest(FILE *out, const struct view_scope *scope, size_t shown)
{
    struct amount rest = {0};

    if (shown == scope->row_count)
        return;
    for (size_t i = shown; i < scope->row_count; i++)
        rest.time += scope->rows[i].self.time;
    (void)fprintf(out, "%7.1f%37s%zu further function%s (--all)\n",
                  100 * share_of(&rest, &scope->busy).p, "",
                  scope->row_count - shown,
                  scope->row_count - shown == 1 ? "" : "s");
}

/* "Core 2: busy 88.1 % (86.9-89.2), idle 11.9 %, 4,551 samples". */
static void write_scope_line(FILE *out, const struct view_scope *scope)
{
    struct share busy = share_of(&scope->busy, &scope->all);
    char count[TEXT_NUMBER];

    if (scope->core == VIEW_ALL_CORES)
        (void)fputs("\nAll cores", out);
    else
        (void)fprintf(out, "\nCore %" PRIu32, scope->core);
    (void)fprintf(out, ": busy %.1f %% (%.1f-%.1f), idle %.1f %%, %s samples",
                  100 * busy.p, 100 * busy.low, 100 * busy.high,
                  100 * (1 - busy.p), text_count(count, scope->all.samples));
}

/* A loss that deserves a warning is marked at the core that it hit. */
static void write_loss_mark(FILE *out, const struct report *r, size_t core)
{
    const struct account *a = &r->profile->cores[core].account;
    double lost = (double)(account_ticks(a) - a->samples);

    if (lost > .01 * (double)account_ticks(a))
        (void)fprintf(out, "  ! lost %.1f %%",
                      100 * lost / (double)account_ticks(a));
}

static void write_table(FILE *out, const struct report *r,
                        const struct view_scope *scope, size_t top)
{
    size_t shown = rows_shown(r, scope, r->top != 0 ? r->top : top);

    (void)putc('\n', out);
    if (shown == 0)
        return;
    (void)fprintf(out, "%7s %11s %7s %11s        %-*s %s\n", "SELF %",
                  "95 % RANGE", "TOTAL %", "95 % RANGE", FUNCTION_WIDTH,
                  "FUNCTION", "HOTTEST LINE");
    for (size_t i = 0; i < shown; i++)
        write_row(out, r, scope, &scope->rows[i]);
    write_rest(out, scope, shown);
}

void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope)
{
    write_table(out, r, scope, TOP_TOTAL);
}

static void write_tables(FILE *out, const struct report *r)
{
    const struct view *v = r->view;
    bool several = active_cores(v) > 1;

    if (several) {
        write_scope_line(out, &v->total);
        write_table(out, r, &v->total, TOP_TOTAL);
    }
    for (size_t i = 0; i < v->core_count; i++) {
        const struct view_scope *scope = &v->cores[i];

        if (scope->all.samples == 0)
            continue;
        write_scope_line(out, scope);
        write_loss_mark(out, r, i);
        write_table(out, r, scope, several ? TOP_CORE : TOP_TOTAL);
    }
}

/* One tree of everything; of each core when all is wanted. */
static void write_trees(FILE *out, const struct report *r)
{
    const struct view *v = r->view;

    table_tree(out, r, &v->total);
    if (!r->all || active_cores(v) < 2)
        return;
    for (size_t i = 0; i < v->core_count; i++)
        table_tree(out, r, &v->cores[i]);
}

static void write_report(FILE *out, const struct report *r)
{
    if (r->guest != NULL)
        (void)fprintf(out, "==== %s ====\n", r->guest);
    write_headline(out, r);
    write_warnings(out, r->remarks);
    if (r->view->total.all.samples != 0) {
        write_tables(out, r);
        write_trees(out, r);
        table_calls(out, r);
    }
    table_footer(out, r);
    if (r->guest != NULL)
        (void)putc('\n', out);
}

const struct render_ops render_table = {"txt", "txt", write_report,
                                        table_overall};
