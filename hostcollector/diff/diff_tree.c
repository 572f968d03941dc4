/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the calls that changed, and the calls around them. */
#include "diff/diff_text_parts.h"

#include <math.h>
#include <stdlib.h>

#include "report/ink.h"
#include "report/name.h"
#include "report/ranked.h"
#include "util/text.h"

/* Calls that are shown without --top and --all. */
#define ROWS 20
#define LEFT 44 /* columns before the name */

const char *diff_part_name(const struct diff *d, size_t part)
{
    uint32_t function = d->tree->nodes[merged_node_of(d->tree, part)].function;

    return function == MERGED_NAMELESS ? "[no name]"
                                       : d->functions[function].name;
}

/* Fill (list) with the parts that changed, the largest changes first. Returns
 * their number. */
static size_t choose(const struct diff *d, struct ranked *list)
{
    size_t n = 0;

    for (uint32_t i = 0; i < d->tree->parts; i++)
        if (d->calls[i].verdict == COMPARE_CHANGED)
            list[n++] = (struct ranked){i, fabs(d->calls[i].rest.of.change)};
    ranked_sort(list, n);
    return n;
}

/* A part that is shown: the first part inside of it, and the next part inside
 * of the same part. NONE is the root, the last element of the list. */
struct shown {
    bool is;
    uint32_t child, next, depth;
};
#define NONE COMPARE_TOP

/* Link the first (n) parts of (list) with the parts around them. */
static void link_parts(const struct merged *m, const struct ranked *list,
                       size_t n, struct shown *shown)
{
    struct shown *root = &shown[m->parts];

    root->child = NONE;
    for (size_t i = 0; i < m->parts; i++)
        shown[i].child = NONE;
    for (size_t i = 0; i < n; i++)
        for (uint32_t at = list[i].index; at != NONE && !shown[at].is;
             at = m->inside[at])
            shown[at].is = true;
    for (uint32_t i = (uint32_t)m->parts; i-- > 0;) {
        struct shown *around =
            m->inside[i] == NONE ? root : &shown[m->inside[i]];

        if (!shown[i].is)
            continue;
        shown[i].next = around->child;
        around->child = i;
    }
    for (uint32_t i = 0; i < m->parts; i++)
        shown[i].depth =
            m->inside[i] == NONE ? 0 : shown[m->inside[i]].depth + 1;
}

static void write_name(FILE *out, size_t columns, const struct diff *d,
                       uint32_t part, uint32_t depth)
{
    size_t room = columns > LEFT + 30 ? columns - LEFT : 30;
    size_t indent = depth < (room - 16) / 2 ? 2 * (size_t)depth : room - 16;
    char name[NAME_SHORT];

    (void)fprintf(out, "%*s", (int)indent, "");
    if (merged_is_own(d->tree, part))
        (void)fputs("(itself)", out);
    else
        text_cut(out, name_short(name, diff_part_name(d, part), room - indent),
                 room - indent);
}

static void write_part(FILE *out, const struct report *look, size_t columns,
                       const struct diff *d, uint32_t part, uint32_t depth)
{
    const struct compare_row *row = &d->calls[part];
    const struct two_proportions_change *c = &row->rest.of;
    bool changed = row->verdict == COMPARE_CHANGED;

    ink_set(out, look, changed ? INK_BOLD : INK_FAINT);
    (void)fprintf(out, "%6.1f %6.1f  ", 100 * row->all.before,
                  100 * row->all.after);
    if (changed)
        (void)fprintf(out, "%6.1f %6.1f  %+6.1f %5.1f  ",
                      100 * row->rest.before, 100 * row->rest.after,
                      100 * c->change,
                      100 * fmax(c->high - c->change, c->change - c->low));
    else
        (void)fprintf(out, "%*s", LEFT - 15, "");
    write_name(out, columns, d, part, depth);
    ink_set(out, look, INK_PLAIN);
    (void)putc('\n', out);
}

/* Write the parts depth first. Uses no recursion, since trees may be deep. */
static void write_parts(FILE *out, const struct report *look, size_t columns,
                        const struct diff *d, const struct shown *shown)
{
    for (uint32_t at = shown[d->tree->parts].child; at != NONE;) {
        write_part(out, look, columns, d, at, shown[at].depth);
        if (shown[at].child != NONE) {
            at = shown[at].child;
            continue;
        }
        while (at != NONE && shown[at].next == NONE)
            at = d->tree->inside[at];
        at = at != NONE ? shown[at].next : NONE;
    }
}

void diff_tree(FILE *out, const struct report *look, size_t columns,
               const struct diff *d)
{
    struct ranked *list = calloc(d->tree->parts + 1, sizeof *list);
    struct shown *shown = calloc(d->tree->parts + 1, sizeof *shown);

    if (list != NULL && shown != NULL) {
        size_t n = choose(d, list);
        size_t most = d->all ? n : d->top != 0 ? d->top : ROWS;
        size_t rows = n < most ? n : most;

        (void)fputs("\n  OF ALL BUSY     OF THE REST\n"
                    "BEFORE  AFTER  BEFORE  AFTER  CHANGE    +-  WITH WHAT IT "
                    "CALLS\n",
                    out);
        link_parts(d->tree, list, rows, shown);
        write_parts(out, look, columns, d, shown);
        if (n == 0)
            (void)fprintf(out, "%*sno call path changed\n", LEFT, "");
        if (n > rows)
            (void)fprintf(out, "%*s%zu more changed: --all\n", LEFT, "",
                          n - rows);
    }
    free(list);
    free(shown);
}
