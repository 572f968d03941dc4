/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the comparison as text. */
#include "diff/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/core_list.h"
#include "diff/diff_text_parts.h"
#include "report/ink.h"
#include "report/markdown_text.h"
#include "report/name.h"
#include "report/ranked.h"
#include "report/table.h"
#include "util/text.h"

/* Without --top and --all: the rows of each kind, and the least share of a
 * row. */
#define ROWS_CHANGED 20
#define ROWS_SAME    10
#define SHARE_MIN    .01
#define WARNINGS_MAX 3 /* without --all */
#define RENAMED_MAX  3 /* without --all: functions with another file */
#define WIDTH        80
#define LEFT         49 /* columns before the function */

static size_t columns_of(const struct report *look)
{
    return look->columns != 0 ? look->columns : WIDTH;
}

/* Write "a.tprof", or "3 runs: a.tprof, b.tprof, c.tprof". */
static void write_files(FILE *line, const struct diff_side *side)
{
    char name[256];

    if (side->runs > 1)
        (void)fprintf(line, "%zu runs: ", side->runs);
    for (size_t i = 0; i < side->runs; i++)
        (void)fprintf(line, "%s%s", i != 0 ? ", " : "",
                      text_escape(name, sizeof name, side->files[i]));
}

static void write_side(FILE *out, const struct report *look, const char *which,
                       const struct diff_side *side)
{
    char *text = NULL, count[TEXT_NUMBER];
    size_t size;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL)
        return;
    write_files(line, side);
    (void)fprintf(line, ": %s samples", text_count(count, side->samples));
    if (side->seconds > 0)
        (void)fprintf(line, " in %.1f s", side->seconds);
    if (side->busy >= 0)
        (void)fprintf(line, ", busy %.1f %%", 100 * side->busy);
    if (fclose(line) == 0) {
        (void)fprintf(out, "%-8s", which);
        text_wrap_at(out, 8, text, columns_of(look));
    }
    free(text);
}

/* Write the warnings. Recordings of one host often have the same warnings, so
 * each is written once. */
static void write_warnings(FILE *out, const struct report *look,
                           const struct diff *d)
{
    size_t shown = d->all || d->warning_count <= WARNINGS_MAX + 1
                       ? d->warning_count
                       : WARNINGS_MAX;

    for (size_t i = 0; i < shown; i++) {
        ink_set(out, look, INK_RED);
        (void)putc('!', out);
        ink_set(out, look, INK_PLAIN);
        (void)putc(' ', out);
        text_wrap_at(out, 2, d->warnings[i], columns_of(look));
    }
    if (shown < d->warning_count)
        (void)fprintf(out, "  %zu more warnings: --all\n",
                      d->warning_count - shown);
}

static void write_heading(FILE *out, const struct report *look,
                          const struct diff *d)
{
    write_side(out, look, "before", &d->sides[0]);
    write_side(out, look, "after", &d->sides[1]);
    if (d->selected[0] != '\0') {
        (void)fprintf(out, "%-8s", "only");
        text_wrap_at(out, 8, d->selected, columns_of(look));
    }
    diff_units_lines(out, columns_of(look), d);
    write_warnings(out, look, d);
}

static double largest_share(const struct compare_row *row)
{
    return fmax(row->all.before, row->all.after);
}

/* Fill (list) with the functions of (verdict): changed functions by the size of
 * the change, others by their share. Returns their number. */
static size_t choose(const struct diff *d, enum compare_verdict verdict,
                     struct ranked *list)
{
    size_t n = 0;

    for (size_t i = 0; i < d->count; i++) {
        const struct compare_row *row = &d->rows[i];

        if (row->verdict == verdict)
            list[n++] =
                (struct ranked){(uint32_t)i, verdict == COMPARE_CHANGED
                                                 ? fabs(row->rest.of.change)
                                                 : largest_share(row)};
    }
    ranked_sort(list, n);
    return n;
}

/* Returns how many of the (n) functions in (list) are shown: at most (usual),
 * and of unchanged functions only those with a large enough share. */
static size_t worth(const struct diff *d, const struct ranked *list, size_t n,
                    size_t usual)
{
    size_t most = d->all ? n : d->top != 0 ? d->top : usual;

    n = n < most ? n : most;
    while (!d->all && d->top == 0 && usual == ROWS_SAME && n > 1 &&
           list[n - 1].key < SHARE_MIN)
        n--;
    return n;
}

static double margin(const struct two_proportions_change *c)
{
    return fmax(c->high - c->change, c->change - c->low);
}

static void write_row(FILE *out, const struct report *look,
                      const struct diff *d, uint32_t function)
{
    const struct compare_row *row = &d->rows[function];
    const struct pair *f = &d->functions[function];
    bool changed = row->verdict == COMPARE_CHANGED;
    size_t width = columns_of(look) > LEFT + 8 ? columns_of(look) - LEFT : 8;
    char name[NAME_SHORT];

    ink_set(out, look, changed ? INK_BOLD : INK_FAINT);
    (void)fprintf(out, "%6.1f %6.1f  %6.1f %6.1f  %+6.1f %5.1f ",
                  100 * row->all.before, 100 * row->all.after,
                  100 * row->rest.before, 100 * row->rest.after,
                  100 * row->rest.of.change, 100 * margin(&row->rest.of));
    if (row->verdict == COMPARE_SAME)
        (void)fprintf(out, "%5.1f  ", 100 * row->detectable);
    else
        (void)fprintf(out, "%5s  ", changed ? "" : "few");
    text_cut(out, name_short(name, f->name, width), width);
    ink_set(out, look, INK_PLAIN);
    (void)putc('\n', out);
}

static void write_head(FILE *out, const char *where)
{
    (void)fprintf(
        out,
        "\n  OF ALL BUSY     OF THE REST\n"
        "BEFORE  AFTER  BEFORE  AFTER  CHANGE    +- LEAST  FUNCTION%s\n",
        where);
}

/* Write the functions of (verdict) under (title). */
static void write_kind(FILE *out, const struct report *look,
                       const struct diff *d, enum compare_verdict verdict,
                       struct ranked *list)
{
    static const char *const titles[] = {
        [COMPARE_SAME] = "did not change",
        [COMPARE_CHANGED] = "changed",
        [COMPARE_RARE] = "with too few samples",
    };
    size_t n = choose(d, verdict, list);
    size_t rows = worth(d, list, n,
                        verdict == COMPARE_CHANGED ? ROWS_CHANGED : ROWS_SAME);

    if (verdict == COMPARE_RARE && !d->all)
        rows = 0;
    for (size_t i = 0; i < rows; i++)
        write_row(out, look, d, list[i].index);
    if (n == 0 && verdict == COMPARE_CHANGED)
        (void)fprintf(out, "%*snothing changed beyond chance\n", LEFT, "");
    if (n > rows)
        (void)fprintf(out, "%*s%zu %s%s: --all\n", LEFT, "", n - rows,
                      rows != 0 ? "more " : "", titles[verdict]);
}

static void write_table(FILE *out, const struct report *look,
                        const struct diff *d)
{
    struct ranked *list = calloc(d->count + 1, sizeof *list);

    if (list == NULL)
        return;
    write_head(out, "");
    write_kind(out, look, d, COMPARE_CHANGED, list);
    write_kind(out, look, d, COMPARE_SAME, list);
    write_kind(out, look, d, COMPARE_RARE, list);
    free(list);
}

static void write_paragraph(FILE *out, const struct report *look,
                            const char *text)
{
    text_wrap_at(out, 0, text, columns_of(look));
}

/* Write the changes in (group), like those of all cores. */
static void write_group(FILE *out, const struct report *look,
                        const struct diff *d, const struct diff_group *group)
{
    struct ranked *list = calloc(group->count + 1, sizeof *list);
    struct diff part = *d;
    char where[NAME_PLAIN + 8];

    if (list == NULL)
        return;
    part.functions = group->functions;
    part.rows = group->rows;
    part.count = group->count;
    if (d->by == VIEW_BY_CORE)
        (void)snprintf(where, sizeof where, " ON CORE %" PRIu32, group->core);
    else
        (void)snprintf(where, sizeof where, " IN %s", group->name);
    write_head(out, where);
    write_kind(out, look, &part, COMPARE_CHANGED, list);
    free(list);
}

/* Write the changes of each thread or image, and the names of those without
 * changes. */
static void write_named(FILE *out, const struct report *look,
                        const struct diff *d)
{
    char text[640] = "Nothing changed beyond chance in ";
    size_t used = strlen(text), without = 0;

    for (size_t i = 0; i < d->group_count; i++) {
        const struct diff_group *g = &d->groups[i];

        if (g->result.changed != 0) {
            write_group(out, look, d, g);
            continue;
        }
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     without != 0 ? ", " : "", g->name);
        without++;
    }
    if (d->group_count == 0)
        (void)snprintf(text, sizeof text,
                       "No %s has busy samples in every recording",
                       d->by == VIEW_BY_THREAD ? "thread" : "image");
    if (without == 0 && d->group_count != 0)
        return;
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), ".");
    (void)putc('\n', out);
    write_paragraph(out, look, text);
}

static void write_cores(FILE *out, const struct report *look,
                        const struct diff *d)
{
    char list[CORE_LIST_SIZE] = "", text[CORE_LIST_SIZE + 64];

    if (d->groups == NULL)
        return;
    if (d->by != VIEW_BY_CORE) {
        write_named(out, look, d);
        return;
    }
    for (size_t i = 0, end; i < d->group_count; i = end) {
        const struct diff_group *c = d->groups;

        for (end = i; end < d->group_count && c[end].result.changed == 0 &&
                      c[end].core == c[i].core + (end - i);
             end++)
            continue;
        if (end > i)
            core_list_span(list, c[i].core, c[end - 1].core);
        else
            write_group(out, look, d, &c[end++]);
    }
    if (list[0] == '\0')
        return;
    (void)snprintf(text, sizeof text,
                   "Nothing changed beyond chance on core %s.", list);
    (void)putc('\n', out);
    write_paragraph(out, look, text);
}

/* Explain the columns and their errors. */
static void write_legend(FILE *out, const struct report *look,
                         const struct diff *d)
{
    const struct compare_result *r = &d->result;
    char text[640];

    (void)snprintf(
        text, sizeof text,
        "Shares in %%, changes in points. The rest is all functions that did "
        "not change: %.1f %% of before and %.1f %% of after. OF THE REST: the "
        "function's share of the rest and itself, so that it does not grow "
        "only because another function shrank. +-: the true change is within "
        "this distance in 95 of 100 cases. LEAST: the smallest growth that "
        "would be found in 80 of 100 cases.",
        100 * r->rest[0], 100 * r->rest[1]);
    (void)putc('\n', out);
    write_paragraph(out, look, text);
    if (fmin(r->rest[0], r->rest[1]) < .5 && r->changed != 0)
        write_paragraph(
            out, look,
            "More than half of the time is in functions that changed. Shares "
            "cannot show whether these grew or the rest shrank.");
    if (d->sides[0].runs + d->sides[1].runs == 2 && !d->of_requests)
        write_paragraph(
            out, look,
            "One run on each side: two runs of one build may differ as much. "
            "Compare several runs: collector diff BEFORE... -- AFTER...");
}

/* Write which functions were paired although their file has another name. */
static void write_renamed(FILE *out, const struct report *look,
                          const struct diff *d)
{
    char *text = NULL, name[NAME_SHORT], files[2][64];
    size_t size, n = 0, most = d->all ? SIZE_MAX : RENAMED_MAX;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL)
        return;
    for (size_t i = 0; i < d->count; i++) {
        const struct pair *f = &d->functions[i];

        if (f->file_before == NULL || n++ >= most)
            continue;
        (void)fprintf(
            line, "%s%s (%s, now %s)",
            n == 1 ? "Paired by name, from another file: " : ", ",
            name_short(name, f->name, 60),
            text_escape(files[0], sizeof files[0],
                        text_base_name(f->file_before)),
            text_escape(files[1], sizeof files[1], text_base_name(f->file)));
    }
    if (n > most)
        (void)fprintf(line, ", %zu more (--all)", n - most);
    if (fclose(line) == 0 && n != 0)
        write_paragraph(out, look, text);
    free(text);
}

/* Write the names of functions with uncertain matches or without a match. */
static void write_pairs(FILE *out, const struct report *look,
                        const struct diff *d)
{
    char text[512], name[NAME_SHORT];
    size_t unsure = 0;

    for (size_t i = 0; i < d->count; i++) {
        const struct pair *f = &d->functions[i];

        unsure += f->unsure;
        if (f->joined == NULL || (d->rows[i].verdict != COMPARE_CHANGED &&
                                  largest_share(&d->rows[i]) < SHARE_MIN))
            continue;
        (void)snprintf(text, sizeof text, "%s: with its parts %.300s.",
                       name_short(name, f->name, 60), f->joined);
        write_paragraph(out, look, text);
    }
    if (unsure == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "%zu functions are not paired: the other side has several "
                   "functions of that name.",
                   unsure);
    write_paragraph(out, look, text);
}

static void write_no_name(FILE *out, const struct report *look,
                          const struct diff *d)
{
    char text[160];

    if (fmax(d->sides[0].no_name, d->sides[1].no_name) < SHARE_MIN)
        return;
    (void)snprintf(text, sizeof text,
                   "%.1f %% of before and %.1f %% of after have no known "
                   "function, and count as part of the rest.",
                   100 * d->sides[0].no_name, 100 * d->sides[1].no_name);
    write_paragraph(out, look, text);
}

/* Write the next command: a closer look at the function that changed most. */
static void write_next(FILE *out, const struct report *look,
                       const struct diff *d)
{
    const struct diff_side *after = &d->sides[1];
    const struct report next = {.recording = after->files[after->runs - 1],
                                .windows = after->windows,
                                .columns = (uint32_t)columns_of(look)};
    const char *name = NULL;
    double most = 0;

    for (size_t i = 0; i < d->count; i++) {
        double change = fabs(d->rows[i].rest.of.change);

        if (d->rows[i].verdict != COMPARE_CHANGED || change <= most ||
            !d->functions[i].has[1])
            continue;
        most = change;
        name = d->functions[i].name;
    }
    (void)putc('\n', out);
    table_next_function(out, &next, name);
}

void diff_text(FILE *out, const struct report *look, const struct diff *d)
{
    write_heading(out, look, d);
    write_table(out, look, d);
    write_cores(out, look, d);
    if (d->show_tree)
        diff_tree(out, look, columns_of(look), d);
    if (d->waits != NULL)
        (void)fputs(d->waits, out);
    diff_units_tables(out, look, columns_of(look), d);
    diff_sums_tables(out, columns_of(look), d);
    write_legend(out, look, d);
    write_renamed(out, look, d);
    write_pairs(out, look, d);
    write_no_name(out, look, d);
    if (!d->of_requests)
        write_next(out, look, d);
}

void diff_markdown(struct render *to, const struct report *look,
                   const struct diff *d)
{
    struct report plain = *look;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    plain.colour = false;
    if (memory != NULL) {
        diff_text(memory, &plain, d);
        to->no_memory |= fclose(memory) != 0;
    }
    to->no_memory |= text == NULL;
    (void)fprintf(to->out,
                  RENDER_MARKDOWN_MARK
                  "### %zu function%s changed beyond chance\n",
                  d->result.changed, text_plural(d->result.changed));
    if (text != NULL)
        markdown_text_block(to->out, text);
    free(text);
}
