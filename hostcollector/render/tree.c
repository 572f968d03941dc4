/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees, and the callers and callees of single functions, as text. */
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "render/name.h"
#include "render/table.h"
#include "util/text.h"

/* Branches below this share of busy time are left out, unless asked for. */
#define BRANCH_MIN  .01
/* Deeper nodes would leave no room for names. */
#define LEVELS_MAX  20
/* Functions whose callers and callees are shown. */
#define CALLS_SHOWN 5
/* ... if they have this share of the time themselves. */
#define CALLS_MIN   .01
/* Columns for a name among them. */
#define CALL_WIDTH  50
/* Callers and callees below this share of the function are left out. */
#define CALL_MIN    .01

struct writer {
    FILE *out;
    const struct view *view;
    const struct view_scope *scope;
    double least;          /* share of busy time that a node must have */
    bool more[LEVELS_MAX]; /* by level: a sibling follows further down */
};

static double busy_share(const struct writer *w, const struct amount *a)
{
    return w->scope->busy.time > 0 ? a->time / w->scope->busy.time : 0;
}

/* The first sibling from (node) on that is large enough; 0 if none is. They
 * are sorted, so none behind it is larger. */
static uint32_t kept(const struct writer *w, uint32_t node)
{
    const struct view_node *nodes = w->scope->tree.nodes;

    return node != 0 && busy_share(w, &nodes[node].total) >= w->least ? node
                                                                      : 0;
}

/* The child that (node) may be joined with on one line: all time of (node)
 * was in it, as far as a report shows. 0 if there is none. */
static uint32_t only_child(const struct writer *w, const struct view_node *node)
{
    const struct view_node *nodes = w->scope->tree.nodes;
    uint32_t child = kept(w, node->child);

    if (child == 0)
        return 0;
    return busy_share(w, &node->total) - busy_share(w, &nodes[child].total) <
                   .0005
               ? child
               : 0;
}

static const char inlined[] = " (inlined)";
static const char joint[] = " > ";

static const char *name_of(const struct writer *w, const struct view_node *node)
{
    return w->view->functions[node->function].name;
}

static size_t name_width(const struct writer *w, const struct view_node *node)
{
    return text_width(name_of(w, node)) + (node->inlined ? strlen(inlined) : 0);
}

/* The name of (node) from (column) on, all of it if there is room. */
static void write_name(const struct writer *w, const struct view_node *node,
                       size_t column)
{
    const char *mark = node->inlined ? inlined : "";
    size_t room = TEXT_COLUMNS - column - strlen(mark);
    char buf[NAME_SHORT];

    (void)fprintf(w->out, "%s%s", name_short(buf, name_of(w, node), room),
                  mark);
}

static void write_guides(struct writer *w, size_t level)
{
    if (level == 0)
        return;
    for (size_t i = 1; i < level; i++)
        (void)fputs(w->more[i] ? "|  " : "   ", w->out);
    (void)fputs(w->more[level] ? "|- " : "`- ", w->out);
}

/* The child that joins (node) on its line, where that one's name is at
 * (*column); this then is where the child's is. 0: there is none, or no room.
 */
static uint32_t joined(const struct writer *w, const struct view_node *node,
                       size_t *column)
{
    size_t next = *column + name_width(w, node) + strlen(joint);
    uint32_t child = only_child(w, node);

    if (child == 0 ||
        next + name_width(w, &w->scope->tree.nodes[child]) > TEXT_COLUMNS)
        return 0;
    *column = next;
    return child;
}

/* Write (node) with those that join it; returns the last. */
static const struct view_node *
write_node(struct writer *w, const struct view_node *node, size_t level)
{
    const struct view_node *nodes = w->scope->tree.nodes, *last = node;
    size_t first = 15 + 3 * level, column = first;
    double own;

    /* the line's numbers come before its names: find the last one first */
    for (uint32_t i; (i = joined(w, last, &column)) != 0;)
        last = &nodes[i];
    own = busy_share(w, &last->self);
    (void)fprintf(w->out, "%6.1f ", 100 * busy_share(w, &node->total));
    if (own >= .0005)
        (void)fprintf(w->out, "%6.1f  ", 100 * own);
    else
        (void)fputs("        ", w->out);
    write_guides(w, level);
    write_name(w, node, first);
    for (uint32_t i; (i = joined(w, node, &first)) != 0;) {
        node = &nodes[i];
        (void)fputs(joint, w->out);
        write_name(w, node, first);
    }
    (void)putc('\n', w->out);
    return last;
}

/* Depth first, without recursion: at[] is the node of each level. */
static void write_nodes(struct writer *w)
{
    const struct view_node *nodes = w->scope->tree.nodes;
    uint32_t at[LEVELS_MAX];
    uint32_t node = kept(w, nodes[0].child);
    size_t level = 0;

    for (;;) {
        if (node != 0 && level == LEVELS_MAX) {
            (void)fprintf(w->out, "%*s... (deeper ones are in -o F.folded)\n",
                          15 + 3 * LEVELS_MAX, "");
            node = 0;
        }
        while (node == 0 && level > 0)
            node = kept(w, nodes[at[--level]].next);
        if (node == 0)
            return;
        at[level] = node;
        w->more[level] = kept(w, nodes[node].next) != 0;
        node = kept(w, write_node(w, &nodes[node], level)->child);
        level++;
    }
}

void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope)
{
    struct writer w = {.out = out,
                       .view = r->view,
                       .scope = scope,
                       .least = r->all ? 0 : BRANCH_MIN};
    char name[24];

    if (scope->busy.samples == 0)
        return;
    (void)fprintf(out,
                  "\nCall tree of %s, from the outermost caller; %% of "
                  "busy time%s\n",
                  name_of_scope(name, sizeof name, r->view, scope),
                  r->all ? "" : "; branches below 1 % left out");
    (void)fputs(" TOTAL   SELF\n", out);
    write_nodes(&w);
}

/* Append "name 12.3 %" to (list), of (size) bytes. Returns whether it fit. */
static bool append_call(char *list, size_t size, const char *name, double p)
{
    size_t used = strlen(list);
    int n = snprintf(list + used, size - used, "%s%s %.1f %%",
                     used == 0 ? "" : ", ", name, 100 * p);

    if (n >= 0 && (size_t)n < size - used)
        return true;
    list[used] = '\0';
    return false;
}

/* The callers of (row)'s function, or its callees, with their shares of it. */
static void write_calls(FILE *out, const struct report *r,
                        const struct view_row *row, bool callers)
{
    const struct view *v = r->view;
    char list[1024] = "";
    bool fits = true;
    uint32_t i = callers ? v->callers[row->function] : v->calls[row->function];

    while (i != VIEW_NO_EDGE && fits) {
        const struct view_edge *edge = &v->edges[i];
        uint32_t other = callers ? edge->caller : edge->callee;
        double p = share_of(&edge->amount, &row->total).p;
        char name[NAME_SHORT];

        if (r->all || p >= CALL_MIN)
            fits = append_call(
                list, sizeof list,
                name_short(name, v->functions[other].name, CALL_WIDTH), p);
        i = callers ? edge->next_of_callee : edge->next_of_caller;
    }
    if (list[0] != '\0')
        text_wrap(out,
                  callers ? "                from  " : "                to    ",
                  list);
}

/* How many of the first rows are worth their callers and callees. */
static size_t calls_shown(const struct report *r,
                          const struct view_scope *scope)
{
    size_t n = 0, most = r->top != 0 ? r->top : CALLS_SHOWN;

    if (r->all || r->top != 0)
        return r->all || most > scope->row_count ? scope->row_count : most;
    while (n < scope->row_count && n < most &&
           share_of(&scope->rows[n].self, &scope->busy).p >= CALLS_MIN)
        n++;
    return n;
}

void table_calls(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    size_t n = calls_shown(r, scope);

    if (n == 0)
        return;
    (void)fputs("\nCallers and callees, % of the function's total\n"
                "  SELF  TOTAL\n",
                out);
    for (size_t i = 0; i < n; i++) {
        const struct view_row *row = &scope->rows[i];

        (void)fprintf(out, "%6.1f %6.1f  %s\n",
                      100 * share_of(&row->self, &scope->busy).p,
                      100 * share_of(&row->total, &scope->busy).p,
                      r->view->functions[row->function].name);
        write_calls(out, r, row, true);
        write_calls(out, r, row, false);
    }
}
