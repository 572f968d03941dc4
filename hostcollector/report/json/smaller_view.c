/* SPDX-License-Identifier: BSD-2-Clause */
/* A smaller view: finds the least time that is kept, then copies the view. */
#include "report/json/json_scope.h"

#include <stdlib.h>

#include "view/smallest_first.h"

#define NONE UINT32_MAX

/* Least times that are kept. Smaller parts are folded. */
struct least_times {
    double node, row, edge, line;
};

struct smaller {
    struct view view; /* first, because callers have a pointer to it */
    const struct view *from;
    struct least_times least;
    uint32_t *numbers; /* of functions; 0: nothing refers to it yet */
    bool failed;       /* no memory */
};

static void add(struct amount *sum, const struct amount *a)
{
    sum->samples += a->samples;
    sum->weight += a->weight;
    sum->time += a->time;
    sum->time_sq += a->time_sq;
}

/* Scope (i) of (v). Scope 0 is the total. */
static const struct view_scope *scope_of(const struct view *v, size_t i)
{
    return i == 0 ? &v->total : &v->cores[i - 1];
}

/* Find the least times. */

static void count_tree(const struct view_tree *t, struct smallest_first *f)
{
    for (size_t i = 1; i < t->node_count; i++)
        smallest_first_count(f, t->nodes[i].total.time);
}

static double least_node(const struct view *v, struct smallest_first *f)
{
    for (size_t i = 0; i <= v->core_count; i++) {
        count_tree(&scope_of(v, i)->tree, f);
        count_tree(&scope_of(v, i)->idle_tree, f);
    }
    return smallest_first_least(f, SMALLER_NODES);
}

static double least_row(const struct view *v, struct smallest_first *f)
{
    for (size_t i = 0; i <= v->core_count; i++)
        for (size_t k = 0; k < scope_of(v, i)->row_count; k++)
            smallest_first_count(f, scope_of(v, i)->rows[k].total.time);
    return smallest_first_least(f, SMALLER_ROWS);
}

static double least_edge(const struct view *v, struct smallest_first *f)
{
    for (size_t i = 0; i < v->edge_count; i++)
        smallest_first_count(f, v->edges[i].amount.time);
    return smallest_first_least(f, SMALLER_EDGES);
}

static double least_line(const struct view *v, struct smallest_first *f)
{
    for (size_t i = 0; i < v->line_count; i++)
        smallest_first_count(f, v->lines[i].self);
    return smallest_first_least(f, SMALLER_LINES);
}

/* Returns whether anything is to be folded. */
static bool find_least(struct smaller *s)
{
    struct smallest_first *f = calloc(1, sizeof *f);

    s->failed |= f == NULL;
    if (f == NULL)
        return false;
    s->least = (struct least_times){.node = least_node(s->from, f),
                                    .row = least_row(s->from, f),
                                    .edge = least_edge(s->from, f),
                                    .line = least_line(s->from, f)};
    free(f);
    return s->least.node > 0 || s->least.row > 0 || s->least.edge > 0 ||
           s->least.line > 0;
}

/* Copy the parts that are kept. Copied parts use the old numbers of functions.
 * s->numbers marks each function that a copied part uses. */

static void *take_room(struct smaller *s, size_t count, size_t size)
{
    void *list = calloc(count + 1, size);

    s->failed |= list == NULL;
    return list;
}

static void name(struct smaller *s, uint32_t function)
{
    s->numbers[function] = 1;
}

/* New place of node (i) of (from) in (to), and place of the mark below the
 * node. */
struct place {
    uint32_t at, mark;
};

static struct view_node *put_node(struct view_tree *to, uint32_t function,
                                  uint32_t parent)
{
    struct view_node *node = &to->nodes[to->node_count++];

    *node = (struct view_node){.function = function, .parent = parent};
    return node;
}

/* Fold (node) into (mark) below its parent. (p) is the place of the parent. */
static void fold_node(struct view_tree *to, struct place *p,
                      const struct view_node *node, enum view_mark mark)
{
    if (p->mark == 0) {
        p->mark = (uint32_t)to->node_count;
        (void)put_node(to, mark, p->at);
    }
    add(&to->nodes[p->mark].total, &node->total);
    add(&to->nodes[p->mark].self, &node->total);
}

static void copy_node(struct smaller *s, struct view_tree *to,
                      struct place *places, uint32_t i,
                      const struct view_node *node)
{
    struct view_node *copy;

    places[i].at = (uint32_t)to->node_count;
    copy = put_node(to, node->function, places[node->parent].at);
    copy->inlined = node->inlined;
    copy->total = node->total;
    copy->self = node->self;
    name(s, node->function);
}

static void copy_tree(struct smaller *s, struct view_tree *to,
                      const struct view_tree *from, enum view_mark mark)
{
    struct place *places = take_room(s, from->node_count, sizeof *places);

    /* each node may get a mark as a child */
    *to = (struct view_tree){
        take_room(s, 2 * from->node_count, sizeof *to->nodes),
        from->node_count != 0};
    if (s->failed || from->node_count == 0) {
        free(places);
        return;
    }
    to->nodes[0] = from->nodes[0];
    for (uint32_t i = 1; i < from->node_count; i++) {
        const struct view_node *node = &from->nodes[i];
        struct place *parent = &places[node->parent];
        bool small = node->total.time < s->least.node;

        if (parent->at == NONE)
            places[i].at = NONE; /* its parent's */
        else if (small || (node->function == mark && parent->mark != 0)) {
            places[i].at = NONE;
            fold_node(to, parent, node, mark);
        } else {
            copy_node(s, to, places, i, node);
            if (node->function == mark)
                parent->mark = places[i].at;
        }
        s->view.folded += places[i].at == NONE;
    }
    free(places);
}

/* Insert the row (others) at its place by falling (self). */
static void put_others(struct view_scope *to, struct view_row *others)
{
    size_t at = to->row_count++;

    for (; at > 0 && to->rows[at - 1].self.time < others->self.time; at--)
        to->rows[at] = to->rows[at - 1];
    to->rows[at] = *others;
}

static void copy_rows(struct smaller *s, struct view_scope *to,
                      const struct view_scope *from)
{
    struct view_row others = {.function = VIEW_OTHERS};

    to->rows = take_room(s, from->row_count + 1, sizeof *to->rows);
    to->row_count = 0;
    for (size_t i = 0; !s->failed && i < from->row_count; i++) {
        const struct view_row *row = &from->rows[i];

        if (row->total.time >= s->least.row && row->function != VIEW_OTHERS) {
            to->rows[to->row_count++] = *row;
            name(s, row->function);
            continue;
        }
        add(&others.self, &row->self);
        add(&others.total, &row->self);
        add(&others.uncertain, &row->uncertain);
        others.late += row->late;
        others.moved += row->moved;
        s->view.folded += row->function != VIEW_OTHERS;
    }
    if (!s->failed && others.self.samples != 0)
        put_others(to, &others);
}

static void copy_scope(struct smaller *s, struct view_scope *to,
                       const struct view_scope *from)
{
    *to = *from;
    copy_rows(s, to, from);
    copy_tree(s, &to->tree, &from->tree, VIEW_OTHERS);
    copy_tree(s, &to->idle_tree, &from->idle_tree, VIEW_IDLE);
}

static void copy_edges(struct smaller *s)
{
    const struct view *from = s->from;

    s->view.edges = take_room(s, from->edge_count, sizeof *s->view.edges);
    s->view.edge_count = 0;
    for (size_t i = 0; !s->failed && i < from->edge_count; i++) {
        const struct view_edge *edge = &from->edges[i];

        if (edge->amount.time < s->least.edge) {
            s->view.folded++;
            continue;
        }
        s->view.edges[s->view.edge_count++] = *edge;
        name(s, edge->caller);
        name(s, edge->callee);
    }
}

/* Give functions new numbers. */

static void copy_functions(struct smaller *s)
{
    const struct view *from = s->from;
    struct view_function *list =
        take_room(s, from->function_count, sizeof *list);
    uint32_t count = 0;

    for (size_t i = 0; list != NULL && i < from->function_count; i++) {
        bool stays = i < VIEW_MARKS || s->numbers[i] != 0;

        s->numbers[i] = stays ? count : NONE;
        if (stays)
            list[count++] = from->functions[i];
    }
    s->view.functions = list;
    s->view.function_count = count;
}

static void number_scope(const struct smaller *s, struct view_scope *scope)
{
    for (size_t i = 0; i < scope->row_count; i++)
        scope->rows[i].function = s->numbers[scope->rows[i].function];
    for (size_t i = 1; i < scope->tree.node_count; i++)
        scope->tree.nodes[i].function =
            s->numbers[scope->tree.nodes[i].function];
    for (size_t i = 1; i < scope->idle_tree.node_count; i++)
        scope->idle_tree.nodes[i].function =
            s->numbers[scope->idle_tree.nodes[i].function];
}

static void copy_lines(struct smaller *s)
{
    const struct view *from = s->from;
    struct view_line *list = take_room(s, from->line_count, sizeof *list);

    s->view.line_count = 0;
    for (size_t i = 0; list != NULL && i < from->line_count; i++) {
        uint32_t number = s->numbers[from->lines[i].function];

        if (number == NONE || from->lines[i].self < s->least.line) {
            s->view.folded += number != NONE;
            continue;
        }
        list[s->view.line_count] = from->lines[i];
        list[s->view.line_count++].function = number;
    }
    s->view.lines = list;
}

static void number_anew(struct smaller *s)
{
    copy_functions(s);
    copy_lines(s);
    if (s->failed)
        return;
    number_scope(s, &s->view.total);
    for (size_t i = 0; i < s->view.core_count; i++)
        number_scope(s, &s->view.cores[i]);
    for (size_t i = 0; i < s->view.edge_count; i++) {
        s->view.edges[i].caller = s->numbers[s->view.edges[i].caller];
        s->view.edges[i].callee = s->numbers[s->view.edges[i].callee];
    }
}

/* Copy everything that the copy must own. */
static void copy(struct smaller *s)
{
    const struct view *from = s->from;

    s->numbers = take_room(s, from->function_count, sizeof *s->numbers);
    if (s->numbers == NULL)
        return;
    s->view.functions = NULL;
    s->view.lines = NULL;
    s->view.edges = NULL;
    s->view.total = (struct view_scope){0};
    s->view.cores = take_room(s, from->core_count, sizeof *s->view.cores);
    if (s->view.cores == NULL)
        return;
    copy_scope(s, &s->view.total, &from->total);
    for (size_t i = 0; i < from->core_count; i++)
        copy_scope(s, &s->view.cores[i], &from->cores[i]);
    copy_edges(s);
    number_anew(s);
}

struct view *smaller_view_new(const struct view *v)
{
    struct smaller *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->from = v;
    s->view = *v;
    /* threads and waits keep the numbers of (v)'s functions */
    s->view.threads = NULL;
    s->view.waits = NULL;
    s->view.thread_count = 0;
    if (find_least(s))
        copy(s);
    if (!s->failed)
        return &s->view;
    smaller_view_free(&s->view);
    return NULL;
}

static void free_scope(const struct view_scope *scope)
{
    free(scope->rows);
    free(scope->tree.nodes);
    free(scope->idle_tree.nodes);
}

void smaller_view_free(struct view *v)
{
    struct smaller *s = (struct smaller *)v;

    if (s == NULL)
        return;
    if (s->numbers != NULL) {
        free_scope(&v->total);
        for (size_t i = 0; v->cores != NULL && i < v->core_count; i++)
            free_scope(&v->cores[i]);
        free(v->cores);
        free((void *)(uintptr_t)v->functions);
        free((void *)(uintptr_t)v->lines);
        free(v->edges);
        free(s->numbers);
    }
    free(s);
}
