/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the list of functions, in as many columns as fit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/lateness.h"
#include "diagnose/share.h"
#include "report/groups.h"
#include "report/name.h"
#include "top/draw.h"
#include "util/text.h"

/* Least width of the screen, in columns, that shows each column of the
 * table. */
#define WITH_TOTAL 72u
#define WITH_LATE  80u
#define WITH_LINE  100u
#define WITH_CORES 120u
#define WITH_NAMES 80u /* columns of threads or images */

#define LINE_WIDTH   24u
#define BESIDE_CORES 30u /* columns of a function's name, beside cores */
#define BESIDE_NAMES 20u /* and beside threads or images */
#define SMALL_SHARE  .0005

struct layout {
    bool total, late, line;
    struct groups groups;
    size_t columns; /* number of groups that have a column */
    unsigned name;  /* columns */
};

/* Has group (i) of (g) something to show? */
static bool is_there(const struct top *t, const struct groups *g, size_t i)
{
    return g->by == VIEW_BY_CORE ? top_has_core(t, i)
                                 : g->scopes[i].busy.samples != 0;
}

/* Number of groups that get a column if there is room for (most) columns: all
 * cores or none, or the busiest of other groups. */
static size_t choose_columns(const struct top *t, const struct groups *g,
                             size_t most)
{
    size_t there = 0;

    for (size_t i = 0; i < g->count; i++)
        there += is_there(t, g, i);
    if (g->by == VIEW_BY_CORE)
        return there > 1 && there <= most ? there : 0;
    return there < most ? there : most;
}

/* Call groups_fini() for the groups of the result. */
static struct layout lay_out(const struct top *t, const struct screen *s)
{
    const struct report r = {
        .view = t->view, .profile = t->profile, .by = t->by};
    struct layout l = {.total = s->width >= WITH_TOTAL,
                       .late = s->width >= WITH_LATE &&
                               t->late_least < LATENESS_NEVER,
                       .line = s->width >= WITH_LINE};
    unsigned used = 21 + (l.total ? 7u : 0u) + (l.late ? 6u : 0u);

    groups_init(&l.groups, &r);
    if (l.line)
        used += LINE_WIDTH + 1;
    bool cores = l.groups.by == VIEW_BY_CORE;
    unsigned name = cores ? BESIDE_CORES : BESIDE_NAMES;

    if (s->width >= (cores ? WITH_CORES : WITH_NAMES) && !t->idle &&
        t->core == VIEW_ALL_CORES && used + name <= s->width)
        l.columns = choose_columns(t, &l.groups,
                                   (s->width - used - name) / l.groups.width);
    used += (unsigned)(l.columns * l.groups.width);
    l.name = s->width > used + 8 ? s->width - used : 8;
    return l;
}

/* Write the head of the column of (scope). */
static void put_column(const struct top *t, struct screen *s,
                       const struct groups *g, const struct view_scope *scope)
{
    const struct report r = {
        .view = t->view, .profile = t->profile, .by = g->by};
    unsigned width = (unsigned)g->width - 1;
    char name[NAME_PLAIN];

    if (g->by == VIEW_BY_CORE) {
        screen_put(s, SCREEN_HEAD, " %*" PRIu32, (int)width, scope->core);
        return;
    }
    groups_name(name, g, &r, scope);
    const char *shown = strstr(name, " 0x"); /* the id alone is unique */
    unsigned used;

    shown = shown != NULL ? shown + 1 : name;
    used = screen_width_of(shown);

    screen_put(s, SCREEN_HEAD, " %*s", used < width ? (int)(width - used) : 0,
               "");
    screen_cell(s, SCREEN_HEAD, used < width ? used : width, shown);
}

static void draw_heading(const struct top *t, struct screen *s,
                         const struct layout *l)
{
    char heading[64];

    (void)screen_row(s);
    screen_put(s, SCREEN_HEAD, " self%%  +-  change");
    if (l->total)
        screen_put(s, SCREEN_HEAD, " total%%");
    if (l->late)
        screen_put(s, SCREEN_HEAD, " late%%");
    for (size_t i = 0, n = 0; n < l->columns; i++) {
        if (!is_there(t, &l->groups, i))
            continue;
        put_column(t, s, &l->groups, &l->groups.scopes[i]);
        n++;
    }
    const char *of = !t->of_busy ? "" : t->idle ? "idle " : "busy ";
    const char *what = t->idle ? "waits in" : "function";

    if (t->core == VIEW_ALL_CORES)
        (void)snprintf(heading, sizeof heading, "%s (%% of %stime)", what,
                       t->of_busy ? of : "all ");
    else
        (void)snprintf(heading, sizeof heading,
                       "%s (%% of core %" PRIu32 "'s %stime)", what, t->core,
                       of);
    screen_put(s, SCREEN_HEAD, "   ");
    screen_cell(s, SCREEN_HEAD, l->name - 2, heading);
    if (l->line)
        screen_put(s, SCREEN_HEAD, " hottest line");
    screen_mark_row(s, SCREEN_HEAD);
}

/* Write a change. The change is bright if chance alone would seldom cause
 * it. */
static void put_change(struct screen *s, const struct top_item *item,
                       double half)
{
    double change = item->change;
    enum screen_style style = change > half    ? SCREEN_MORE
                              : change < -half ? SCREEN_LESS
                                               : SCREEN_DIM;

    if (!item->has_change)
        screen_put(s, SCREEN_DIM, "       ");
    else if (change < SMALL_SHARE && change > -SMALL_SHARE)
        screen_put(s, SCREEN_DIM, "     0 ");
    else
        screen_put(s, style, " %+5.1f ", 100 * change);
}

/* Draw the source line with the most time. A long path loses its beginning. */
static void put_line(struct screen *s, const struct view_function *f)
{
    char where[512], tail[sizeof where + 2];
    const char *from = where;

    if (f->file == NULL)
        return;
    (void)snprintf(where, sizeof where, "%s:%" PRIu32, text_base_name(f->file),
                   f->line);
    while (screen_width_of(from) > LINE_WIDTH - 2 &&
           screen_width_of(where) > LINE_WIDTH) {
        size_t n = text_character(from);

        from += n != 0 ? n : 1;
    }
    (void)snprintf(tail, sizeof tail, "%s%s", from != where ? ".." : "", from);
    screen_put(s, SCREEN_DIM, " ");
    screen_cell(s, SCREEN_DIM, LINE_WIDTH, tail);
}

/* Write the share of (function) in each column. */
static void put_shares(const struct top *t, struct screen *s,
                       const struct layout *l, uint32_t function)
{
    int width = (int)l->groups.width - 1;

    for (size_t i = 0, n = 0; n < l->columns; i++) {
        const struct view_scope *c = &l->groups.scopes[i];
        double p = 0;

        if (!is_there(t, &l->groups, i))
            continue;
        n++;
        for (size_t j = 0; j < c->row_count; j++)
            if (c->rows[j].function == function)
                p = share_of(&c->rows[j].self, top_whole(t, c)).p;
        if (p >= .005)
            screen_put(s, SCREEN_PLAIN, " %*.0f", width, 100 * p);
        else
            screen_put(s, SCREEN_DIM, " %*s", width, p > 0 ? "." : "");
    }
}

static void draw_function(const struct top *t, struct screen *s,
                          const struct layout *l, const struct top_item *item)
{
    const struct view_function *f = &t->view->functions[item->function];
    const struct amount *whole = top_whole(t, top_scope(t));
    struct share self = share_of(&item->self, whole);
    double half = (self.high - self.low) / 2;
    char name[NAME_SHORT], error[SHARE_TEXT];

    screen_put(s, self.p >= .01 ? SCREEN_BOLD : SCREEN_PLAIN, "%6.1f",
               100 * self.p);
    screen_put(s, SCREEN_DIM, "%5s", share_error(error, self));
    put_change(s, item, half);
    if (l->total)
        screen_put(s, SCREEN_PLAIN, " %6.1f",
                   100 * share_of(&item->total, whole).p);
    if (l->late)
        screen_put(s, item->late >= t->late_least ? SCREEN_LATE : SCREEN_DIM,
                   " %5.1f", 100 * item->late);
    put_shares(t, s, l, item->function);
    screen_put(s, SCREEN_PLAIN, "%s", item->open ? " - " : "   ");
    screen_cell(s, SCREEN_PLAIN, l->name - 2,
                name_short(name, f->name, l->name - 2));
    if (l->line)
        put_line(s, f);
}

/* Draw a caller: the part of its callee's time that this caller caused. */
static void draw_caller(const struct top *t, struct screen *s,
                        const struct layout *l, const struct top_item *item)
{
    const struct view_function *f = &t->view->functions[item->function];
    struct share p = share_of(&item->total, top_whole(t, top_scope(t)));
    unsigned left = s->width - l->name - (l->line ? LINE_WIDTH + 1 : 0);
    unsigned indent = 2 + 2 * item->depth;
    char name[NAME_SHORT];

    if (indent > l->name - 8)
        indent = l->name - 8;
    screen_put(s, SCREEN_DIM, "%6s %4s       ", "", "");
    if (l->total)
        screen_put(s, SCREEN_DIM, " %6.1f", 100 * p.p);
    screen_to(s, left + indent - 2);
    screen_put(s, SCREEN_DIM, "%s ", item->open ? "-" : "^");
    if (!l->total)
        screen_put(s, SCREEN_DIM, "%.1f ", 100 * p.p);
    unsigned used = (unsigned)s->rows[s->count - 1].columns;
    unsigned room = left + l->name > used + 8 ? left + l->name - used : 8;

    screen_cell(s, SCREEN_PLAIN, room, name_short(name, f->name, room));
}

static void draw_item(const struct top *t, struct screen *s,
                      const struct layout *l, size_t i)
{
    (void)screen_row(s);
    if (t->items[i].depth == 0)
        draw_function(t, s, l, &t->items[i]);
    else
        draw_caller(t, s, l, &t->items[i]);
    if (i == t->at && (t->selected != 0 || t->items[i].open)) {
        screen_to(s, s->width);
        screen_mark_row(s, SCREEN_SELECTED);
    }
}

/* Write the reason for an empty list. */
static void draw_nothing(const struct top *t, struct screen *s)
{
    const char *why = t->idle ? "No core was idle." : "Nothing was busy.";

    if (t->view == NULL)
        why = t->player ? "" : "Waiting for the guest ...";
    else if (t->filter[0] != '\0' || t->typing)
        why = "No function has the filter in its name.";
    else if (top_scope(t)->all.samples == 0)
        why = "No samples came.";
    (void)screen_row(s);
    screen_put(s, SCREEN_DIM, "  %s", why);
}

void table_draw(struct top *t, struct screen *s, unsigned keep)
{
    struct layout l = {0};

    if (t->view != NULL && screen_left(s) > keep + 1) {
        l = lay_out(t, s);
        draw_heading(t, s, &l);
    }
    if (t->item_count == 0 && screen_left(s) > keep) {
        draw_nothing(t, s);
        groups_fini(&l.groups);
        return;
    }
    t->page = screen_left(s) > keep ? screen_left(s) - keep : 0;
    if (t->at < t->first)
        t->first = t->at;
    if (t->page != 0 && t->at >= t->first + t->page)
        t->first = t->at - t->page + 1;
    if (t->first + t->page > t->item_count)
        t->first = t->item_count > t->page ? t->item_count - t->page : 0;
    for (size_t i = t->first;
         t->view != NULL && i < t->item_count && screen_left(s) > keep; i++)
        draw_item(t, s, &l, i);
    groups_fini(&l.groups);
}
