/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees as text: names on the left, numbers on the right. */
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "report/invert.h"
#include "report/name.h"
#include "report/table.h"
#include "util/text.h"

/* Deeper nodes would leave no room for names. */
#define LEVELS_MAX    20
/* Columns of a level, and of the two numbers. */
#define INDENT        2
#define NUMBERS       14
#define HEAD_LINES    2
/* Columns of a name in the head. */
#define NAME_WIDTH    40
/* A smaller share is not shown. */
#define SHARE_NOTHING .0005

/* Part of the least share of a branch. If the time of a node outside its child
 * is less, the node joins its child on one line. */
#define LEAST_JOINING .2

/* Branches with a smaller share are left out. The first share that leaves few
 * enough lines is used. */
static const double least_shares[] = {.01, .02, .03, .04, .05, .06, .08,
                                      .1,  .12, .15, .2,  .25, .3,  .5};

struct writer {
    FILE *out; /* NULL: lines are only counted */
    const struct view *view;
    const char *name; /* of the scope; NULL: the head has no name */
    const struct view_tree *tree;
    const struct amount *whole; /* stands for 100 % */
    double least;               /* least share of a node */
    double joining; /* largest share outside a child that is joined */
    size_t columns;
    size_t lines; /* written, or counted */
};

static double share_of_whole(const struct writer *w, const struct amount *a)
{
    return w->whole->time > 0 ? a->time / w->whole->time : 0;
}

/*
 * The first sibling from (node) on that is large enough; 0 if none is. Siblings
 * are sorted, so all siblings after a small one are small. The mark VIEW_IDLE
 * is skipped: its parent is the function that waits.
 */
static uint32_t kept_sibling(const struct writer *w, uint32_t node)
{
    const struct view_node *nodes = w->tree->nodes;

    if (node != 0 && nodes[node].function == VIEW_IDLE)
        node = nodes[node].next;
    return node != 0 && share_of_whole(w, &nodes[node].total) >= w->least ? node
                                                                          : 0;
}

/* The share of samples that end in (node). */
static double own_share(const struct writer *w, const struct view_node *node)
{
    const struct view_node *nodes = w->tree->nodes;
    double own = share_of_whole(w, &node->self);

    for (uint32_t i = node->child; i != 0; i = nodes[i].next)
        if (nodes[i].function == VIEW_IDLE)
            own += share_of_whole(w, &nodes[i].total);
    return own;
}

/* The child that has nearly all time of (node), so that both fit on one line. 0
 * if there is none. */
static uint32_t only_child(const struct writer *w, const struct view_node *node)
{
    const struct view_node *nodes = w->tree->nodes;
    uint32_t child = kept_sibling(w, node->child);

    if (child == 0)
        return 0;
    return share_of_whole(w, &node->total) -
                       share_of_whole(w, &nodes[child].total) <
                   w->joining
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

/* Columns for names, without those for numbers. */
static size_t room_left(const struct writer *w)
{
    return w->columns - NUMBERS;
}

/* Write the name of (node) from (column) on, shortened if there is no room.
 * Returns the column after it. */
static size_t write_name(const struct writer *w, const struct view_node *node,
                         size_t column)
{
    const char *mark = node->inlined ? inlined : "";
    size_t width = room_left(w) - column;
    char buf[NAME_SHORT];
    const char *name = name_short(
        buf, name_of(w, node), width > strlen(mark) ? width - strlen(mark) : 8);

    (void)fprintf(w->out, "%s%s", name, mark);
    return column + text_width(name) + strlen(mark);
}

/*
 * Returns the child that joins (node) on its line; 0 if there is no such child,
 * or no room. (*column) is the column of (node)'s name. Stores in (*column) the
 * column of the child's name.
 */
static uint32_t joined(const struct writer *w, const struct view_node *node,
                       size_t *column)
{
    size_t next = *column + name_width(w, node) + strlen(joint);
    uint32_t child = only_child(w, node);

    if (child == 0 ||
        next + name_width(w, &w->tree->nodes[child]) > room_left(w))
        return 0;
    *column = next;
    return child;
}

/* Write (node), at (level), with the nodes that join it. */
static void write_line(const struct writer *w, const struct view_node *node,
                       size_t level)
{
    size_t column = INDENT * (level + 1), end;
    double total = share_of_whole(w, &node->total), own;

    (void)fprintf(w->out, "%*s", (int)column, "");
    end = write_name(w, node, column);
    for (uint32_t i; (i = joined(w, node, &column)) != 0;) {
        node = &w->tree->nodes[i];
        (void)fputs(joint, w->out);
        end = write_name(w, node, column);
    }
    (void)fprintf(w->out, "%*s %6.1f",
                  (int)(room_left(w) > end ? room_left(w) - end : 0), "",
                  100 * total);
    own = own_share(w, node);
    if (own >= SHARE_NOTHING)
        (void)fprintf(w->out, " %6.1f\n", 100 * own);
    else
        (void)putc('\n', w->out);
}

/* Write (node) with the nodes that join it. Returns the last of these nodes. */
static const struct view_node *
write_node(struct writer *w, const struct view_node *node, size_t level)
{
    size_t column = INDENT * (level + 1);

    w->lines++;
    if (w->out != NULL)
        write_line(w, node, level);
    for (uint32_t i; (i = joined(w, node, &column)) != 0;)
        node = &w->tree->nodes[i];
    return node;
}

/* Write all nodes below (root), depth first, without recursion. at[] has the
 * node of each level. */
static void write_nodes(struct writer *w, uint32_t root)
{
    const struct view_node *nodes = w->tree->nodes;
    uint32_t at[LEVELS_MAX];
    uint32_t node = kept_sibling(w, nodes[root].child);
    size_t level = 0;

    w->lines = 0;
    for (;;) {
        if (node != 0 && level == LEVELS_MAX) {
            if (w->out != NULL)
                (void)fprintf(w->out,
                              "%*s... (deeper ones are in -o F.folded)\n",
                              INDENT * (LEVELS_MAX + 1), "");
            w->lines++;
            node = 0;
        }
        while (node == 0 && level > 0)
            node = kept_sibling(w, nodes[at[--level]].next);
        if (node == 0)
            return;
        at[level] = node;
        node = kept_sibling(w, write_node(w, &nodes[node], level)->child);
        level++;
    }
}

uint32_t table_common_root(const struct view_tree *tree)
{
    const struct view_node *nodes = tree->nodes;
    uint32_t node = 0, child;

    while (tree->node_count != 0 && (child = nodes[node].child) != 0 &&
           nodes[node].total.time - nodes[child].total.time <
               SHARE_NOTHING * nodes[0].total.time &&
           nodes[child].child != 0 &&
           nodes[nodes[child].child].function != VIEW_IDLE &&
           nodes[child].self.time < SHARE_NOTHING * nodes[0].total.time)
        node = child;
    return node;
}

/* "TREE of all cores below main, % of busy time, from 1 %". */
static void write_head(const struct writer *w, const struct report *r,
                       uint32_t root)
{
    char path[NAME_PATH], left[NAME_PATH + NAME_PLAIN + 100], least[32] = "";
    const char *kind = r->idle                 ? "idle"
                       : r->of_all             ? "all"
                       : w->view->idle_unknown ? "all"
                                               : "busy";

    if (w->least > 0)
        (void)snprintf(least, sizeof least, ", from %.0f %%", 100 * w->least);
    (void)snprintf(left, sizeof left, "TREE%s%s%s%s%s, %% of %s time%s",
                   r->inverted || r->callers_of != NULL ? " of callers" : "",
                   w->name != NULL ? " of " : "",
                   w->name != NULL ? w->name : "", root != 0 ? " below " : "",
                   name_of_path(path, w->view, w->tree, 0, root, NAME_WIDTH),
                   kind, least);
    (void)putc('\n', w->out);
    text_left(w->out, left, room_left(w));
    (void)fprintf(w->out, " %6s %6s\n", "TOTAL", "SELF");
}

/* Choose the least share for which the tree fits into (lines). */
static void choose_least(struct writer *w, uint32_t root, size_t lines)
{
    size_t n = sizeof least_shares / sizeof least_shares[0];

    lines -= lines > HEAD_LINES ? HEAD_LINES : 0;
    for (size_t i = 0; i < n; i++) {
        w->least = least_shares[i];
        w->joining = LEAST_JOINING * w->least;
        write_nodes(w, root);
        if (w->lines <= lines)
            return;
    }
}

/* Limit the width of the tree, so that numbers are near their names. */
static size_t columns_of(const struct report *r)
{
    return table_columns(r) < TEXT_COLUMNS ? table_columns(r) : TEXT_COLUMNS;
}

/* Write the tree that (w) was prepared for. */
static void write_tree(struct writer *w, FILE *out, const struct report *r,
                       uint32_t root, size_t lines)
{
    if (!r->all)
        choose_least(w, root, lines);
    w->out = out;
    write_head(w, r, root);
    write_nodes(w, root);
}

void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope, const char *name, size_t lines)
{
    const struct view_tree *tree = r->idle ? &scope->idle_tree : &scope->tree;
    struct view_tree inverted = {0};
    struct writer w = {.view = r->view,
                       .name = name,
                       .tree = tree,
                       .whole = r->idle ? &scope->idle : table_whole(r, scope),
                       .joining = SHARE_NOTHING,
                       .columns = columns_of(r)};

    if ((r->idle ? scope->idle : scope->busy).samples == 0)
        return;
    if (!r->inverted && r->callers_of == NULL) {
        write_tree(&w, out, r, table_common_root(tree), lines);
        return;
    }
    if (invert_tree(r->view, tree, r->callers_of, &inverted) != 0)
        return;
    w.tree = &inverted;
    write_tree(&w, out, r, 0, lines);
    free(inverted.nodes);
}
