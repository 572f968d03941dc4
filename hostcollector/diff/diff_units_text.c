/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the cost of a unit as a whole, and function by function. */
#include "diff/diff_text_parts.h"

#include <math.h>
#include <stdlib.h>

#include "report/ink.h"
#include "report/name.h"
#include "report/ranked.h"
#include "util/text.h"

/* Without --top and --all: the rows of each kind, and the least part of a unit
 * for a row. */
#define ROWS_CHANGED 20
#define ROWS_SAME    10
#define PART_MIN     .01
#define LEFT         49 /* columns before the function */

/* Write "requests: each took 321 us of busy core time before, and takes 250 us
 * now: -22.1 % +- 3.0". */
void diff_units_lines(FILE *out, size_t columns, const struct diff *d)
{
    for (size_t i = 0; i < d->unit_count; i++) {
        const struct unit_change *c = &d->units[i].cost;
        char line[320], name[128], was[TEXT_NUMBER], is[TEXT_NUMBER];

        (void)snprintf(line, sizeof line,
                       "%s: each took %s of busy core time before, and takes "
                       "%s now: %+.1f %% +- %.1f",
                       text_escape(name, sizeof name, d->units[i].name),
                       text_seconds(was, c->before), text_seconds(is, c->after),
                       100 * c->change, 100 * c->margin);
        (void)fputs("work    ", out);
        text_wrap_at(out, 8, line, columns);
    }
}

/* Fill (list) with the functions that have (changed), sorted by the change, or
 * with the others, sorted by their time. Returns their number. */
static size_t choose(const struct diff *d, const struct unit_row *rows,
                     bool changed, struct ranked *list)
{
    size_t n = 0;

    for (size_t i = 0; i < d->count; i++) {
        const struct unit_row *r = &rows[i];
        double most = fmax(r->before, r->after);

        if (r->changed == changed && most > 0)
            list[n++] = (struct ranked){
                (uint32_t)i, changed ? fabs(r->after - r->before) : most};
    }
    ranked_sort(list, n);
    return n;
}

static void write_row(FILE *out, const struct report *look, size_t columns,
                      const char *name, const struct unit_row *r)
{
    size_t width = columns > LEFT + 8 ? columns - LEFT : 8;
    char was[TEXT_NUMBER], is[TEXT_NUMBER], buf[NAME_SHORT];

    ink_set(out, look, r->changed ? INK_BOLD : INK_FAINT);
    (void)fprintf(out, "%9s %9s ", text_seconds(was, r->before),
                  text_seconds(is, r->after));
    if (r->before > 0 && r->after > 0)
        (void)fprintf(out, "%+8.1f  %+7.1f to %+7.1f  ", 100 * r->change,
                      100 * r->low, 100 * r->high);
    else
        (void)fprintf(out, "%8s  %18s  ", r->before > 0 ? "gone" : "new", "");
    text_cut(out, name_short(buf, name, width), width);
    ink_set(out, look, INK_PLAIN);
    (void)putc('\n', out);
}

/* Returns how many of the (n) functions in (list) are shown. Either all of them
 * have (changed), or none has. */
static size_t worth(const struct diff *d, const struct diff_unit *u,
                    const struct ranked *list, size_t n, bool changed)
{
    size_t most = changed ? ROWS_CHANGED : ROWS_SAME;
    double least = PART_MIN * fmax(u->cost.before, u->cost.after);

    if (d->all || (d->top != 0 && n <= d->top))
        return n;
    if (d->top != 0)
        return d->top;
    n = n < most ? n : most;
    while (!changed && n > 0 && list[n - 1].key < least)
        n--;
    return n;
}

static void write_table(FILE *out, const struct report *look, size_t columns,
                        const struct diff *d, const struct diff_unit *u,
                        struct ranked *list)
{
    char name[GUEST_COUNTER_NAME * 4];

    (void)fprintf(out,
                  "\n  EACH OF THE %s\n   BEFORE     AFTER  CHANGE %%       "
                  "95 of 100 cases  FUNCTION\n",
                  text_escape(name, sizeof name, u->name));
    for (int changed = 1; changed >= 0; changed--) {
        size_t n = choose(d, u->rows, changed != 0, list);
        size_t rows = worth(d, u, list, n, changed != 0);

        for (size_t i = 0; i < rows; i++)
            write_row(out, look, columns, d->functions[list[i].index].name,
                      &u->rows[list[i].index]);
        if (n == 0 && changed != 0)
            (void)fprintf(out, "%*snothing changed beyond chance\n", LEFT, "");
        if (n > rows)
            (void)fprintf(out, "%*s%zu %s%s: --all\n", LEFT, "", n - rows,
                          rows != 0 ? "more " : "",
                          changed != 0 ? "changed" : "did not change");
    }
}

void diff_units_tables(FILE *out, const struct report *look, size_t columns,
                       const struct diff *d)
{
    size_t count = d->all || d->unit_count < 1 ? d->unit_count : 1;
    struct ranked *list = calloc(d->count + 1, sizeof *list);

    for (size_t i = 0; list != NULL && i < count; i++)
        write_table(out, look, columns, d, &d->units[i], list);
    if (list != NULL && count < d->unit_count)
        (void)fprintf(out, "%*s%zu more counter%s: --all\n", LEFT, "",
                      d->unit_count - count,
                      text_plural(d->unit_count - count));
    free(list);
}
