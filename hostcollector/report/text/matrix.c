/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions by cores, in one table. */
#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/lateness.h"
#include "diagnose/share.h"
#include "report/groups.h"
#include "report/ink.h"
#include "report/name.h"
#include "util/text.h"
#include "view/time/latency.h"

/* Default number of rows, and the smallest share of a row. */
#define ROWS         8
#define SHARE_MIN    .01
/* Columns of "  39.0  1.4   39.1", and of latency before them. */
#define LEFT         19
#define LATENCY      8
/* Least columns of a name beside cores, and beside lines. */
#define NAME_LEAST   20
#define NAME_LIKED   20
#define NAME_MOST    60
#define LINE_WIDTH   16
/* Rows whose names are bold. */
#define BOLD_ROWS    3
/* Least uncertain part of the own time that gets a mark beside the name. Also
 * the least part that was moved here, or away. */
#define UNSURE_MIN   .005
#define MOVED_MIN    .1
/* Least part after sti or popf that gets a mark. The part after an instruction
 * that takes long must be larger, because such an instruction is one of few in
 * a short loop. */
#define OFF_MIN      .2
#define SLOW_MIN     .5
#define MARKS        48
/* Columns of a name beside marks; further marks are left out. */
#define MARKED_LEAST 12
#define LINES_BELOW  80 /* with fewer columns, no lines are shown */

struct matrix {
    FILE *out;
    const struct report *r;
    const struct amount *whole;    /* stands for 100 % */
    struct groups groups;          /* cores, or threads and the like */
    size_t active;                 /* number of groups with samples */
    size_t cores[TABLE_CORES_ALL]; /* indices of groups that are shown */
    size_t core_count;
    struct view_row *list; /* of all cores, in the order of --sort */
    uint32_t *rows;        /* by core and function: 1 + the row; 0: none */
    size_t left, name_width, line_width;
    struct latency *latency; /* NULL: not asked for, or no memory */
};

/* Fill m->rows. Returns 0; -1 if there is no memory. */
static int find_rows(struct matrix *m)
{
    const struct view *v = m->r->view;
    size_t n = v->function_count;

    m->rows = calloc(m->core_count * n + 1, sizeof *m->rows);
    if (m->rows == NULL)
        return -1;
    for (size_t i = 0; i < m->core_count; i++) {
        const struct view_scope *scope = &m->groups.scopes[m->cores[i]];

        for (uint32_t j = 0; j < scope->row_count; j++)
            m->rows[i * n + scope->rows[j].function] = j + 1;
    }
    return 0;
}

/* Choose the busiest groups, up to (most). */
static int choose_busiest(struct matrix *m, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < m->groups.count; i++) {
        if (m->groups.scopes[i].busy.samples == 0)
            continue;
        if (n < most)
            m->cores[n++] = i;
        m->active++;
    }
    return (int)n;
}

static int choose_cores(struct matrix *m, size_t most)
{
    m->active = table_active_cores(m->r->view);
    if (m->active > TABLE_CORES_ALL && most > TABLE_CORES_SOME)
        most = TABLE_CORES_SOME;
    return m->active > 1 && most > 0
               ? table_choose_cores(m->r->view, most, m->cores)
               : 0;
}

/* Compute the widths of columns, and choose the cores, or threads, that fit. */
static int divide(struct matrix *m)
{
    size_t columns = table_columns(m->r);

    size_t room = columns > m->left + 2 + NAME_LEAST
                      ? (columns - m->left - 2 - NAME_LEAST) / m->groups.width
                      : 0;
    size_t most = room < TABLE_CORES_ALL ? room : TABLE_CORES_ALL;
    int n = m->groups.by == VIEW_BY_CORE ? choose_cores(m, most)
                                         : choose_busiest(m, most);

    if (n < 0)
        return -1;
    m->core_count = (size_t)n;
    m->name_width = columns - m->left - 2 - m->groups.width * m->core_count;
    m->line_width = 0;
    if (columns >= LINES_BELOW && m->name_width >= NAME_LIKED + 2 + LINE_WIDTH)
        m->line_width = LINE_WIDTH;
    if (m->line_width != 0)
        m->name_width -= m->line_width + 2;
    if (m->name_width > NAME_MOST)
        m->name_width = NAME_MOST;
    return 0;
}

/* Latency of the function of (row). */
static const struct amount *latency_of(const struct matrix *m,
                                       const struct view_row *row)
{
    return &m->latency->functions[row->function].self;
}

/* Are the rows in the order of latency? */
static bool is_by_latency(const struct matrix *m)
{
    return m->latency != NULL && m->r->sort == SORT_SELF;
}

static int by_latency(const void *a, const void *b, void *context)
{
    const struct view_row *left = a, *right = b;

    double x = latency_of(context, left)->time;
    double y = latency_of(context, right)->time;

    return x != y ? (x < y ? 1 : -1)
                  : (left->function > right->function) -
                        (left->function < right->function);
}

/* Write the head of the column of (scope): the number of a core, or a name. */
static void write_column(const struct matrix *m, const struct view_scope *scope)
{
    int cell = (int)m->groups.width;
    char name[NAME_PLAIN];

    if (m->groups.by == VIEW_BY_CORE) {
        (void)fprintf(m->out, "%*" PRIu32, cell, scope->core);
        return;
    }
    groups_name(name, &m->groups, m->r, scope);
    int width = (int)text_width(name);
    bool by_id = strstr(name, " 0x") != NULL; /* other threads have this name */

    (void)fprintf(m->out, "%*s", width < cell ? cell - width : 1, "");
    (by_id ? text_tail : text_cut)(m->out, name, m->groups.width - 1);
}

static void write_head(const struct matrix *m)
{
    if (m->latency != NULL)
        (void)fprintf(m->out, "\n%7s %5s %6s %6s", "LATENCY", "+-", "SELF",
                      "TOTAL");
    else
        (void)fprintf(m->out, "\n%6s %5s %6s", "SELF", "+-", "TOTAL");
    for (size_t i = 0; i < m->core_count; i++)
        write_column(m, &m->groups.scopes[m->cores[i]]);
    (void)fputs("  ", m->out);
    if (m->line_width == 0)
        (void)fputs("FUNCTION\n", m->out);
    else
        (void)fprintf(m->out, "%-*s  LINE\n", (int)m->name_width, "FUNCTION");
}

/* Write the share of (function) on one core; a dot if it has no samples
 * there. */
static void write_cell(const struct matrix *m, size_t i, uint32_t function)
{
    const struct view *v = m->r->view;
    const struct view_scope *scope = &m->groups.scopes[m->cores[i]];
    uint32_t row = m->rows[i * v->function_count + function];

    if (row == 0 || scope->rows[row - 1].self.samples == 0)
        (void)fprintf(m->out, "%*s", (int)m->groups.width, ".");
    else
        (void)fprintf(
            m->out, "%*.0f", (int)m->groups.width,
            100 * share_of(&scope->rows[row - 1].self, table_whole(m->r, scope))
                      .p);
}

double table_late_part(const struct report *r, double late, double time)
{
    double own = lateness_part(late, time);

    return own >= lateness_least(r->profile, r->view, r->remarks->host_short)
               ? own
               : 0;
}

/* The late part of (row)'s own time. */
static double late_part(const struct matrix *m, const struct view_row *row)
{
    return table_late_part(m->r, row->late, row->self.time);
}

bool table_is_moved(const struct view *v, const struct view_row *row)
{
    uint64_t gave = v->functions[row->function].gave;

    return (row->moved > 0 && row->moved >= MOVED_MIN * row->self.time) ||
           (gave != 0 &&
            (double)gave >= MOVED_MIN * (double)(gave + row->self.samples));
}

static bool is_off(const struct view_row *row)
{
    return row->off > OFF_MIN * row->self.time;
}

static bool is_slow(const struct view_row *row)
{
    return !is_off(row) && row->slow > SLOW_MIN * row->self.time;
}

/* Write the marks of (row) to (mark): " ?, moved, irqs off 82 %". */
static void write_marks(char mark[MARKS], const struct matrix *m,
                        const struct view_row *row)
{
    bool unsure = share_of(&row->uncertain, &row->self).p >= UNSURE_MIN;
    double late = late_part(m, row), own = row->self.time;
    size_t used =
        (size_t)snprintf(mark, MARKS, "%s%s", unsure ? " ?" : "",
                         table_is_moved(m->r->view, row) ? ", moved" : "");

    if (is_off(row))
        (void)snprintf(mark + used, MARKS - used, ", irqs off %.0f %%",
                       100 * row->off / own);
    else if (is_slow(row))
        (void)snprintf(mark + used, MARKS - used, ", %s %.0f %%",
                       row->after_votes > row->slow / 2 ? row->after : "device",
                       100 * row->slow / own);
    else if (late > 0)
        (void)snprintf(mark + used, MARKS - used, ", late %.0f %%", 100 * late);
    while (mark[0] != '\0' && strlen(mark) + MARKED_LEAST > m->name_width)
        *(strrchr(mark, ',') != NULL ? strrchr(mark, ',') : mark) = '\0';
}

/* Write the name with its marks, as "memcpy ?". */
static void write_name(const struct matrix *m, const struct view_row *row,
                       bool bold)
{
    const struct view_function *f = &m->r->view->functions[row->function];
    char mark[MARKS], name[NAME_SHORT];

    write_marks(mark, m, row);

    const char *shown = name_short(name, f->name, m->name_width - strlen(mark));
    size_t width = text_width(shown) + strlen(mark);

    if (bold)
        ink_set(m->out, m->r, INK_BOLD);
    (void)fputs(shown, m->out);
    if (bold)
        ink_set(m->out, m->r, INK_PLAIN);
    (void)fputs(mark, m->out);
    if (m->line_width == 0 || f->file == NULL)
        return;

    char where[512];

    (void)snprintf(where, sizeof where, "%s:%" PRIu32, text_base_name(f->file),
                   f->line);
    (void)fprintf(m->out, "%*s",
                  (int)(m->name_width + 2 -
                        (width < m->name_width ? width : m->name_width)),
                  "");
    text_tail(m->out, where, m->line_width);
}

static void write_row(const struct matrix *m, const struct view_row *row,
                      bool bold)
{
    struct share self = share_of(&row->self, m->whole);
    double total = share_of(&row->total, m->whole).p;
    char error[SHARE_TEXT];

    if (m->latency != NULL) {
        struct share l = share_of(latency_of(m, row), &m->latency->whole);

        (void)fprintf(m->out, "%7.1f %5s %6.1f %6.1f", 100 * l.p,
                      share_error(error, l), 100 * self.p, 100 * total);
    } else {
        (void)fprintf(m->out, "%6.1f %5s %6.1f", 100 * self.p,
                      share_error(error, self), 100 * total);
    }
    for (size_t i = 0; i < m->core_count; i++)
        write_cell(m, i, row->function);
    (void)fputs("  ", m->out);
    write_name(m, row, bold);
    (void)putc('\n', m->out);
}

/* Part of (row) in the column by which the rows are sorted. */
static double part_of(const struct matrix *m, const struct view_row *row)
{
    return is_by_latency(m) ? share_of(latency_of(m, row), &m->latency->whole).p
                            : share_of(&row->self, m->whole).p;
}

/* Number of rows to show: the first rows whose share is large enough. */
static size_t rows_shown(const struct matrix *m)
{
    const struct view_scope *scope = &m->r->view->total;
    size_t most = m->r->top != 0 ? m->r->top
                  : m->r->whole  ? scope->row_count
                                 : ROWS;
    size_t n;

    n = m->r->all || scope->row_count < most ? scope->row_count : most;
    if (m->r->all || m->r->top != 0)
        return n;
    while (n > 1 && m->r->sort == SORT_SELF &&
           part_of(m, &m->list[n - 1]) < SHARE_MIN)
        n--;
    return n;
}

/* Write one line with the sum of the rows from (shown) on. */
static void write_rest(const struct matrix *m, size_t shown)
{
    const struct view_scope *scope = &m->r->view->total;
    double rest = 0;

    if (shown == scope->row_count)
        return;
    for (size_t i = shown; i < scope->row_count; i++)
        rest += part_of(m, &m->list[i]);
    (void)fprintf(m->out, "%*.1f%*s%zu more: --all\n", is_by_latency(m) ? 7 : 6,
                  100 * rest,
                  (int)(m->left - (is_by_latency(m) ? 7 : 6) +
                        m->groups.width * m->core_count + 2),
                  "", scope->row_count - shown);
}

/* Write what stands for 100 %, and explain the marks. */
static void write_base(const struct matrix *m, bool any_late)
{
    const struct report *r = m->r;
    char line[400], some[64] = "", columns[96] = "";

    if (m->core_count < m->active)
        (void)snprintf(some, sizeof some, " (%zu of %zu)", m->core_count,
                       m->active);
    if (m->core_count != 0)
        (void)snprintf(columns, sizeof columns, "; %s%s: of that %s's",
                       m->groups.several, some, m->groups.one);
    (void)snprintf(line, sizeof line, "%% of %s time%s%s",
                   r->of_all || r->view->idle_unknown ? "all" : "busy",
                   r->view->idle_unknown ? ""
                   : r->of_all           ? " (--of busy: of busy time)"
                                         : " (--of all: of all time)",
                   columns);
    if (r->view->total.uncertain.samples != 0)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line),
                       ". ? caller unsure");
    if (m->latency != NULL)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line),
                       ". LATENCY: a sample counts 1/n while n cores are "
                       "busy%s",
                       m->latency->cut ? " (--memory ended it early)" : "");
    if (any_late)
        (void)snprintf(
            line + strlen(line), sizeof line - strlen(line),
            ". late: interrupts were off before, or the host was away");
    if (r->view->moved != 0)
        (void)snprintf(
            line + strlen(line), sizeof line - strlen(line),
            ". moved: QEMU's TCG takes samples late; %.0f %% of the samples "
            "stood at the start of the next function and count for its caller "
            "(--raw: as they came)",
            100 * (double)r->view->moved / (double)r->view->total.busy.samples);
    text_wrap_at(m->out, 0, line, table_columns(r));
}

/* Explain the marks of instructions in the first (shown) rows: who had switched
 * interrupts off, and which instructions take long. */
static void write_holdups(const struct matrix *m, size_t shown)
{
    char *text = NULL, name[NAME_SHORT];
    const struct view_function *functions = m->r->view->functions;
    size_t size, off = 0, slow = 0;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL)
        return;
    for (size_t i = 0; i < shown; i++) {
        const struct view_row *row = &m->list[i];

        if (is_off(row)) {
            (void)fprintf(line, "%s%s",
                          off++ == 0
                              ? "irqs off: the samples came when interrupts "
                                "were switched on again, in "
                              : ", ",
                          name_short(name, functions[row->function].name, 40));
            if (row->off_by >= VIEW_MARKS && row->off_by_votes > row->off / 2)
                (void)fprintf(
                    line, " (called by %s)",
                    name_short(name, functions[row->off_by].name, 40));
        }
        slow += is_slow(row);
    }
    if (slow != 0)
        (void)fprintf(line,
                      "%sAn instruction beside a name: samples right "
                      "behind it, which it held up",
                      off != 0 ? ". " : "");
    if (fclose(line) == 0 && off + slow != 0)
        text_wrap_at(m->out, 0, text, table_columns(m->r));
    free(text);
}

static void write_matrix(const struct matrix *m)
{
    size_t shown = rows_shown(m);
    bool any_late = false;

    write_head(m);
    for (size_t i = 0; i < shown; i++) {
        write_row(m, &m->list[i], i < BOLD_ROWS);
        any_late |= late_part(m, &m->list[i]) > 0 && !is_off(&m->list[i]) &&
                    !is_slow(&m->list[i]);
    }
    write_rest(m, shown);
    write_base(m, any_late);
    write_holdups(m, shown);
}

void table_matrix(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    struct matrix m = {.out = out, .r = r, .whole = table_whole(r, scope)};

    groups_init(&m.groups, r);
    if (r->latency)
        m.latency = latency_new(r->profile, r->view);
    m.left = m.latency != NULL ? LEFT + LATENCY : LEFT;
    if (scope->row_count != 0 && divide(&m) == 0 && find_rows(&m) == 0 &&
        (m.list = table_sorted(r)) != NULL) {
        if (is_by_latency(&m))
            qsort_r(m.list, scope->row_count, sizeof *m.list, by_latency, &m);
        write_matrix(&m);
    }
    groups_fini(&m.groups);
    latency_free(m.latency);
    free(m.list);
    free(m.rows);
}
