/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a line for each core: busy, idle, late and lost time, its function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "diagnose/lateness.h"
#include "diagnose/share.h"
#include "report/name.h"
#include "top/draw.h"

#define FIGURES  31u /* columns: "core    busy   idle   late   lost" */
#define CELL_MIN 50u /* width of a core if cores are drawn side by side */
#define NAME_MIN 16u
#define BAR_MAX  40u

/* Parts of the time of a core, 0 to 1. */
struct parts {
    double busy, idle, late, lost;
    bool known; /* samples came */
};

static double part(double of, double all)
{
    double p = all > 0 ? of / all : 0;

    return p > 1 ? 1 : p;
}

static struct parts parts_of(const struct top *t, const struct view_scope *v)
{
    uint64_t ticks = 0, samples = 0;

    for (size_t i = 0; i < t->profile->core_count; i++) {
        const struct profile_core *c = &t->profile->cores[i];

        if (v->core != VIEW_ALL_CORES && c->core != v->core)
            continue;
        ticks += account_ticks(&c->account);
        samples += c->account.samples;
    }
    return (struct parts){
        .busy = share_of(&v->busy, &v->all).p,
        .idle = share_of(&v->idle, &v->all).p,
        .late = t->late_least < LATENESS_NEVER ? part(v->late, v->all.time) : 0,
        .lost = part((double)(ticks - samples), (double)ticks),
        .known = v->all.samples != 0 || ticks != 0};
}

static void put_part(struct screen *s, enum screen_style style, double p)
{
    screen_put(s, p >= .0005 ? style : SCREEN_DIM, " %5.1f", 100 * p);
    screen_put(s, SCREEN_PLAIN, " ");
}

/* Draw busy time as "|", and the rest as blanks. */
static void put_bar(struct screen *s, double busy, unsigned width)
{
    char bar[BAR_MAX + 1];
    unsigned n = (unsigned)(busy * width + .5);

    for (unsigned i = 0; i < width; i++)
        bar[i] = i < n ? '|' : ' ';
    bar[width] = '\0';
    screen_put(s, SCREEN_DIM, " [");
    screen_put(s, SCREEN_BUSY, "%s", bar);
    screen_put(s, SCREEN_DIM, "] ");
}

/* Write the function with most of the core's busy or idle time. */
static void put_most(const struct top *t, struct screen *s,
                     const struct view_scope *v, unsigned width)
{
    char text[NAME_SHORT];
    const struct view_row *row = v->row_count != 0 ? &v->rows[0] : NULL;

    if (row == NULL || width < NAME_MIN || v->busy.time <= 0)
        return;
    screen_put(s, SCREEN_PLAIN, "%3.0f %% ",
               100 * share_of(&row->self, t->of_busy ? &v->busy : &v->all).p);
    screen_cell(
        s, SCREEN_PLAIN, width - 6,
        name_short(text, t->view->functions[row->function].name, width - 6));
}

/* Draw one core, or all cores, in (width) columns. */
static void draw_cell(const struct top *t, struct screen *s,
                      const struct view_scope *v, unsigned width)
{
    struct parts p = parts_of(t, v);
    unsigned end = (unsigned)s->rows[s->count - 1].columns + width;
    unsigned room = width > FIGURES + 4 ? width - FIGURES - 4 : 0;
    unsigned bar = room / 2 < BAR_MAX ? room / 2 : BAR_MAX;
    enum screen_style style = v->core == t->core ? SCREEN_BOLD : SCREEN_PLAIN;

    if (bar + NAME_MIN + 4 > room)
        bar = room < BAR_MAX ? room : BAR_MAX;
    screen_put(s, style, "%s", v->core == t->core ? ">" : " ");
    if (v->core == VIEW_ALL_CORES)
        screen_put(s, style, "all");
    else
        screen_put(s, style, "%3" PRIu32, v->core);
    if (!p.known) {
        screen_put(s, SCREEN_DIM, "  no samples");
        screen_to(s, end);
        return;
    }
    put_part(s, SCREEN_BUSY, p.busy);
    put_part(s, SCREEN_IDLE, p.idle);
    put_part(s, SCREEN_LATE, p.late);
    put_part(s, SCREEN_LOST, p.lost);
    if (bar >= 4)
        put_bar(s, p.busy, bar);
    put_most(t, s, v, bar + 4 < room ? room - bar : 0);
    screen_to(s, end);
}

/* A core that is drawn. */
struct shown {
    const struct view_scope *scope;
};

static int compare_number(const void *a, const void *b)
{
    const struct shown *left = a, *right = b;

    return left->scope->core < right->scope->core ? -1 : 1;
}

static int compare_busy(const void *a, const void *b)
{
    const struct shown *left = a, *right = b;
    double l = left->scope->busy.time, r = right->scope->busy.time;

    return l != r ? (l < r ? 1 : -1) : compare_number(a, b);
}

/* Choose the cores to show, by number: the busiest ones, and the selected one.
 * Sets (*count) to the number of cores that fit. NULL if there is no memory. */
static struct shown *choose(const struct top *t, size_t *count)
{
    const struct view *v = t->view;
    struct shown *list = calloc(v->core_count + 1, sizeof *list);
    size_t all = 0;

    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < v->core_count; i++)
        if (top_has_core(t, i))
            list[all++].scope = &v->cores[i];
    if (*count >= all) {
        *count = all;
        return list;
    }
    qsort(list, all, sizeof *list, compare_busy);
    for (size_t i = *count; i < all; i++)
        if (list[i].scope->core == t->core && *count != 0)
            list[*count - 1] = list[i];
    qsort(list, *count, sizeof *list, compare_number);
    return list;
}

static void draw_heading(struct screen *s, unsigned columns, unsigned width,
                         size_t shown, size_t there)
{
    (void)screen_row(s);
    for (unsigned i = 0; i < columns; i++) {
        screen_to(s, i * width);
        screen_put(s, SCREEN_HEAD, "core   busy   idle   late   lost");
    }
    screen_put(s, SCREEN_HEAD, " %%");
    if (shown < there)
        screen_put(s, SCREEN_HEAD, "   the busiest %zu of %zu", shown, there);
    screen_mark_row(s, SCREEN_HEAD);
}

void cores_draw(const struct top *t, struct screen *s, unsigned rows)
{
    const struct view *v = t->view;

    if (v == NULL || t->profile == NULL)
        return;
    size_t there = top_cores(t);
    unsigned most = s->width / CELL_MIN > 1 ? s->width / CELL_MIN : 1;
    unsigned wanted = (unsigned)((there + rows - 1) / rows);
    unsigned columns = wanted == 0 ? 1 : wanted < most ? wanted : most;
    unsigned width = s->width / columns;
    size_t count = (size_t)rows * columns;
    struct shown *list = choose(t, &count);
    size_t lines = (count + columns - 1) / columns;

    draw_heading(s, columns, width, count, there);
    for (size_t i = 0; list != NULL && i < lines; i++) {
        (void)screen_row(s);
        for (size_t j = i; j < count; j += lines)
            draw_cell(t, s, list[j].scope, width);
    }
    free(list);
    if (there <= 1)
        return;
    (void)screen_row(s);
    draw_cell(t, s, &v->total, width);
}
