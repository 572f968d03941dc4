/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the times of threads, requests and locks, before and after. */
#include "diff/diff_text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/name.h"
#include "report/ranked.h"
#include "util/text.h"

#define ROWS 10 /* of each kind, without --top and --all */
#define LEFT 50 /* columns before the name */

static const struct {
    const char *title;
    const char *heads[DIFF_FIGURES];
} kinds[DIFF_KINDS] = {
    [DIFF_THREAD] = {"THREADS", {"RUN %", "READY %", "BLOCK %"}},
    [DIFF_REQUEST] = {"REQUESTS", {"A SECOND", "P50", "P99"}},
    [DIFF_LOCK] = {"LOCKS", {"WAITED %", "CONTENDED %", "HELD %"}},
};

/* Format figure (k) of (item), before or after. */
static const char *figure_text(char buf[TEXT_NUMBER],
                               const struct diff_item *item, size_t side,
                               size_t k)
{
    double figure = item->figure[side][k];

    if (item->kind != DIFF_REQUEST)
        (void)snprintf(buf, TEXT_NUMBER, "%.1f", 100 * figure);
    else if (k == 0)
        (void)snprintf(buf, TEXT_NUMBER, figure < 10 ? "%.1f" : "%.0f", figure);
    else
        (void)text_seconds(buf, figure);
    return buf;
}

static void write_row(FILE *out, size_t columns, const struct diff_item *item)
{
    char was[TEXT_NUMBER], is[TEXT_NUMBER];

    for (size_t k = 0; k < DIFF_FIGURES; k++)
        (void)fprintf(out, "%7s %7s ", figure_text(was, item, 0, k),
                      figure_text(is, item, 1, k));
    (void)fputs("  ", out);
    text_cut(out, item->name, columns > LEFT + 8 ? columns - LEFT : 8);
    (void)putc('\n', out);
}

/* The largest change of the item: in points, or relative for requests. */
static double change_of(const struct diff_item *item)
{
    double most = 0;

    for (size_t k = 0; k < DIFF_FIGURES; k++) {
        double was = item->figure[0][k], is = item->figure[1][k];
        double of = item->kind == DIFF_REQUEST ? fmax(was, is) : 1;

        most = fmax(most, of > 0 ? fabs(is - was) / of : 0);
    }
    return most;
}

static void write_heads(FILE *out, enum diff_kind kind)
{
    (void)putc('\n', out);
    for (size_t k = 0; k < DIFF_FIGURES; k++)
        (void)fprintf(out, "%15s%s", kinds[kind].heads[k],
                      k + 1 < DIFF_FIGURES ? " " : "\n");
    for (size_t k = 0; k < DIFF_FIGURES; k++)
        (void)fputs(" BEFORE   AFTER ", out);
    (void)fprintf(out, "  %s\n", kinds[kind].title);
}

/* Write the items of (kind), by falling change. Returns their number. */
static size_t write_kind(FILE *out, size_t columns, const struct diff *d,
                         enum diff_kind kind, struct ranked *list)
{
    size_t most = d->all ? SIZE_MAX : d->top != 0 ? d->top : ROWS, n = 0;

    for (size_t i = 0; i < d->item_count; i++)
        if (d->items[i].kind == kind)
            list[n++] = (struct ranked){(uint32_t)i, change_of(&d->items[i])};
    if (n == 0)
        return 0;
    ranked_sort(list, n);
    write_heads(out, kind);
    for (size_t i = 0; i < n && i < most; i++)
        write_row(out, columns, &d->items[list[i].index]);
    if (n > most)
        (void)fprintf(out, "%*s%zu more: --all\n", LEFT, "", n - most);
    return n;
}

void diff_sums_tables(FILE *out, size_t columns, const struct diff *d)
{
    struct ranked *list = calloc(d->item_count + 1, sizeof *list);
    char text[160];
    size_t n = 0;

    for (unsigned kind = 0; list != NULL && kind < DIFF_KINDS; kind++)
        n += write_kind(out, columns, d, (enum diff_kind)kind, list);
    free(list);
    if (n == 0)
        return;
    text_wrap_at(out, 0,
                 "Sums that the guest reports, of the whole run, by the "
                 "largest change. It is not known whether a change is chance.",
                 columns);
    if (d->items_refused == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "%" PRIu64 " threads, requests or locks of all runs had no "
                   "room and are left out.",
                   d->items_refused);
    text_wrap_at(out, 0, text, columns);
}
