/* SPDX-License-Identifier: BSD-2-Clause */
/* A line for each core: how busy it is, with what, and its waits. */
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "diagnose/core_list.h"
#include "diagnose/share.h"
#include "report/name.h"
#include "util/text.h"

/* Columns up to the time line: "  12  100.0 %  ". */
#define LEFT          15
#define APIC          7 /* columns: " (APIC)" */
#define STRIP_LEAST   9 /* columns: "2.2 cores" */
/* Least widths. Names are most important: a narrower terminal has no time line,
 * and if there is no room for both lists, the list of waits is left out. */
#define STRIP_COLUMNS 60
#define WAITS_COLUMNS 30
/* Width to which names are cut before the second name is left out. */
#define NAME_MOST     24
/* Functions with a smaller share are not named. */
#define SHARE_MIN     .01
#define LIST_SIZE     512

/* Data of all lines. */
struct summary {
    FILE *out;
    const struct report *r;
    struct timeline *strip; /* NULL: unknown */
    char each[32];          /* its head */
    bool apic;              /* show APIC ids beside the cores' numbers */
    /* Columns of time line and lists. 0: not shown. */
    size_t strip_width, busy, waits;
};

/* Append "name 12" to (list), of LIST_SIZE bytes, if (list) then has at most
 * (width) columns. Returns whether it does. */
static bool append(char *list, size_t width, const char *name, double share)
{
    size_t used = strlen(list), bytes;
    char piece[NAME_SHORT + 16], cut[NAME_SHORT];
    size_t room = width > 6 ? width - 6 : width;

    if (used == 0)
        name = name_short(cut, name, room < NAME_MOST ? room : NAME_MOST);
    else
        name = name_short(cut, name, NAME_MOST);
    (void)snprintf(piece, sizeof piece, "%s%s %.0f", used != 0 ? ", " : "",
                   name, 100 * share);
    bytes = strlen(piece);
    if (text_width(list) + text_width(piece) > width ||
        used + bytes >= LIST_SIZE)
        return false;
    memcpy(list + used, piece, bytes + 1);
    return true;
}

/* List the busiest functions of (scope). */
static void list_busy(char *list, const struct view *v,
                      const struct view_scope *scope, size_t width)
{
    list[0] = '\0';
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        double p = share_of(&row->self, &scope->busy).p;

        if (p < SHARE_MIN ||
            !append(list, width, v->functions[row->function].name, p))
            return;
    }
}

/* The child of (parent) that is (function). 0 if there is none. */
static uint32_t child_of(const struct view_tree *tree, uint32_t parent,
                         uint32_t function)
{
    uint32_t i = tree->nodes[parent].child;

    while (i != 0 && tree->nodes[i].function != function)
        i = tree->nodes[i].next;
    return i;
}

/* Returns the node of (tree) that has the same path as node (root) of the tree
 * of (all). (root) is reached by first children only. 0 if there is no such
 * node. */
static uint32_t same_node(const struct view_tree *tree,
                          const struct view_tree *all, uint32_t root)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i != root;) {
        i = all->nodes[i].child;
        found = child_of(tree, found, all->nodes[i].function);
        if (found == 0)
            return 0;
    }
    return found;
}

/* List the waits of (scope): the functions below the root that all waits
 * share. */
static void list_waits(char *list, const struct view *v,
                       const struct view_scope *scope, size_t width)
{
    const struct view_tree *tree = &scope->idle_tree;
    const struct view_tree *all = &v->total.idle_tree;
    uint32_t i;

    list[0] = '\0';
    if (scope->idle.samples == 0)
        return;
    i = tree->nodes[same_node(tree, all, table_common_root(all))].child;
    for (; i != 0; i = tree->nodes[i].next) {
        double p = share_of(&tree->nodes[i].total, &scope->idle).p;

        if (p < SHARE_MIN ||
            !append(list, width, v->functions[tree->nodes[i].function].name, p))
            return;
    }
}

/* Mean number of busy cores. Samples that --exclude removed do not count as
 * busy. */
static double busy_cores(const struct report *r)
{
    double all = r->view->total.all.time, with = all;

    for (size_t i = 0; i < r->profile->core_count; i++)
        with += r->profile->cores[i].left_out.time;
    return share_of(&r->view->total.busy, &r->view->total.all).p *
           (double)table_active_cores(r->view) * (with > 0 ? all / with : 1);
}

/* Write the time line of (scope); for all cores, the number of busy cores. */
static void write_strip(const struct summary *s, const struct view_scope *scope)
{
    const struct view *v = s->r->view;
    char cores[24] = "";
    size_t i = 0;

    if (s->strip == NULL)
        return;
    if (scope->core == VIEW_ALL_CORES) {
        (void)snprintf(cores, sizeof cores, "%.1f cores", busy_cores(s->r));
        (void)fprintf(s->out, "%-*s  ", (int)s->strip_width, cores);
        return;
    }
    while (v->cores[i].core != scope->core)
        i++;
    table_strip(s->out, s->strip, i);
    (void)fprintf(s->out, "%*s", (int)(s->strip_width - s->strip->count + 2),
                  "");
}

/* Does (core), which is shown, have an APIC id that differs from its number? */
static bool has_other_id(const struct profile_core *core)
{
    return core->total.samples != 0 && core->stats.has_apic_id &&
           core->stats.apic_id != core->core;
}

/* "   1", or "   1 (4)   ". */
static void write_number(const struct summary *s,
                         const struct view_scope *scope)
{
    const struct core_stats *stats;
    char number[16] = "all", apic[16] = "";

    if (scope->core != VIEW_ALL_CORES) {
        stats = &s->r->profile->cores[scope->core].stats;
        (void)snprintf(number, sizeof number, "%" PRIu32, scope->core);
        if (stats->has_apic_id)
            (void)snprintf(apic, sizeof apic, " (%" PRIu32 ")", stats->apic_id);
    }
    (void)fprintf(s->out, "%4s", number);
    if (s->apic)
        (void)fprintf(s->out, "%-*s", APIC, apic);
}

static void write_line(const struct summary *s, const struct view_scope *scope)
{
    const struct view *v = s->r->view;
    char busy[LIST_SIZE], waits[LIST_SIZE];

    write_number(s, scope);
    if (v->idle_unknown)
        (void)fputs("        ?  ", s->out);
    else
        (void)fprintf(s->out, "  %5.1f %%  ",
                      100 * share_of(&scope->busy, &scope->all).p);
    write_strip(s, scope);
    list_busy(busy, v, scope, s->busy);
    list_waits(waits, v, scope, s->waits);
    if (waits[0] == '\0' || s->waits == 0) {
        (void)fprintf(s->out, "%s\n", busy);
        return;
    }
    text_left(s->out, busy, s->busy);
    (void)fprintf(s->out, "  %s\n", waits);
}

/* Divide the remaining columns: three parts for busy functions, two for
 * waits. */
static void divide(struct summary *s)
{
    size_t left = table_columns(s->r) - LEFT - (s->apic ? APIC : 0);

    if (s->strip != NULL) {
        (void)snprintf(s->each, sizeof s->each, "EACH %g s", s->strip->slice_s);
        s->strip_width = s->strip->count;
        if (s->strip_width < strlen(s->each))
            s->strip_width = strlen(s->each);
        if (s->strip_width < STRIP_LEAST)
            s->strip_width = STRIP_LEAST;
        left -= s->strip_width + 2;
    }
    s->busy = left;
    s->waits = 0;
    if (s->r->view->total.idle.samples == 0 || left < WAITS_COLUMNS)
        return;
    s->busy = left * 3 / 5 - 2;
    s->waits = left - left * 3 / 5;
}

static void write_head(const struct summary *s)
{
    (void)fprintf(s->out, "\nCORE%s     BUSY  ", s->apic ? " (APIC)" : "");
    if (s->strip != NULL)
        (void)fprintf(s->out, "%-*s  ", (int)s->strip_width, s->each);
    if (s->waits == 0)
        (void)fputs("MOST TIME IN\n", s->out);
    else
        (void)fprintf(s->out, "%-*s  WAITS IN\n", (int)s->busy, "MOST TIME IN");
}

/* Say which cores are shown, if not all. */
static void write_choice(FILE *out, size_t shown, size_t all)
{
    if (shown < all)
        (void)fprintf(out,
                      "%zu of %zu cores: the busiest, and those that differ "
                      "most (--all: each)\n",
                      shown, all);
}

void table_summary(FILE *out, const struct report *r)
{
    const struct view *v = r->view;
    size_t active = table_active_cores(v);
    size_t most = r->all || active <= TABLE_CORES_ALL ? TABLE_CORES_MAX
                                                      : TABLE_CORES_SOME;
    size_t list[TABLE_CORES_MAX];
    bool wide = table_columns(r) >= STRIP_COLUMNS;
    struct summary s = {.out = out,
                        .r = r,
                        .strip = wide ? table_strip_new(r) : NULL,
                        .apic = core_list_any(r->profile, has_other_id)};
    int n = table_choose_cores(v, most, list);

    divide(&s);
    write_head(&s);
    for (int i = 0; i < n; i++)
        write_line(&s, &v->cores[list[i]]);
    if (active > 1)
        write_line(&s, &v->total);
    write_choice(out, n > 0 ? (size_t)n : 0, active);
    timeline_free(s.strip);
}
