/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds paths up: a row per function, a node per chain of callers. */
#include "view/scope.h"

#include <stdlib.h>

#include "util/vec.h"

void amount_add(struct amount *a, const struct amount *b)
{
    a->samples += b->samples;
    a->weight += b->weight;
    a->time += b->time;
    a->time_sq += b->time_sq;
}

static struct view_row *row_of(struct scope *s, uint32_t function)
{
    struct view_scope *scope = &s->scope;
    uint32_t *number = map_put(&s->rows, function, 0);

    if (number == NULL || vec_grow(&scope->rows, &s->row_room, scope->row_count,
                                   sizeof *scope->rows) != 0)
        return NULL;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)scope->row_count++;
        scope->rows[*number] = (struct view_row){.function = function};
    }
    return &scope->rows[*number];
}

static int add_rows(struct scope *s, const struct path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        const struct path_step *step = &path->steps[i];

        if (step->function < VIEW_MARKS || (!step->first && i != path->leaf))
            continue;

        struct view_row *row = row_of(s, step->function);
        if (row == NULL)
            return -1;
        if (step->first)
            amount_add(&row->total, &path->amount);
        if (i == path->leaf)
            amount_add(&row->self, &path->amount);
        if (i == path->leaf && path->uncertain)
            amount_add(&row->uncertain, &path->amount);
    }
    return 0;
}

static int add_node(struct view_tree *tree, size_t *room, struct view_node node)
{
    if (vec_grow(&tree->nodes, room, tree->node_count, sizeof *tree->nodes) !=
        0)
        return -1;
    tree->nodes[tree->node_count++] = node;
    return 0;
}

/* The node of (step) below (parent); 0 if there is no memory. */
static uint32_t child_of(struct view_tree *tree, size_t *room,
                         struct map *children, uint32_t parent,
                         const struct path_step *step)
{
    uint64_t key = (uint64_t)step->function << 1 | step->inlined;
    uint32_t *number = map_put(children, parent, key);

    if (number == NULL)
        return 0;
    if (*number == MAP_NOTHING) {
        struct view_node node = {.function = step->function,
                                 .inlined = step->inlined,
                                 .next = tree->nodes[parent].child};

        if (add_node(tree, room, node) != 0)
            return 0;
        *number = (uint32_t)tree->node_count - 1;
        tree->nodes[parent].child = *number;
    }
    return *number;
}

static int add_branch(struct scope *s, const struct path *path)
{
    struct view_tree *tree = path->idle ? &s->scope.idle_tree : &s->scope.tree;
    size_t *room = path->idle ? &s->idle_room : &s->node_room;
    struct map *children = path->idle ? &s->idle_children : &s->children;
    uint32_t at = 0;

    if (tree->node_count == 0 &&
        add_node(tree, room, (struct view_node){.function = 0}) != 0)
        return -1;
    amount_add(&tree->nodes[0].total, &path->amount);
    for (size_t i = 0; i < path->count; i++) {
        at = child_of(tree, room, children, at, &path->steps[i]);
        if (at == 0)
            return -1;
        amount_add(&tree->nodes[at].total, &path->amount);
    }
    amount_add(&tree->nodes[at].self, &path->amount);
    return 0;
}

int scope_add(struct scope *s, const struct path *path)
{
    amount_add(&s->scope.all, &path->amount);
    if (add_branch(s, path) != 0)
        return -1;
    if (path->idle) {
        amount_add(&s->scope.idle, &path->amount);
        return 0;
    }
    amount_add(&s->scope.busy, &path->amount);
    if (path->uncertain)
        amount_add(&s->scope.uncertain, &path->amount);
    return add_rows(s, path);
}

/* Falling time; equal ones by function, and so by name. */
static int compare(double a_time, double b_time, uint32_t a, uint32_t b)
{
    if (a_time != b_time)
        return a_time < b_time ? 1 : -1;
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;

    if (left->self.time != right->self.time)
        return left->self.time < right->self.time ? 1 : -1;
    return compare(left->total.time, right->total.time, left->function,
                   right->function);
}

/* A child while its siblings are being sorted. */
struct child {
    uint32_t number;
    uint32_t key; /* function, then inlined */
    double time;
};

static int compare_children(const void *a, const void *b)
{
    const struct child *left = a, *right = b;

    return compare(left->time, right->time, left->key, right->key);
}

/* Sort the children of one node; (room) holds all nodes. */
static void sort_children(struct view_node *nodes, struct view_node *parent,
                          struct child *room)
{
    size_t n = 0;

    for (uint32_t i = parent->child; i != 0; i = nodes[i].next)
        room[n++] = (struct child){i, nodes[i].function << 1 | nodes[i].inlined,
                                   nodes[i].total.time};
    qsort(room, n, sizeof *room, compare_children);
    parent->child = 0;
    while (n-- > 0) {
        nodes[room[n].number].next = parent->child;
        parent->child = room[n].number;
    }
}

static int sort_tree(struct view_tree *tree)
{
    struct child *room = calloc(tree->node_count + 1, sizeof *room);

    if (room == NULL)
        return -1;
    for (size_t i = 0; i < tree->node_count; i++)
        sort_children(tree->nodes, &tree->nodes[i], room);
    free(room);
    return 0;
}

int scope_finish(struct scope *s)
{
    if (s->scope.row_count != 0)
        qsort(s->scope.rows, s->scope.row_count, sizeof *s->scope.rows,
              compare_rows);
    if (sort_tree(&s->scope.tree) != 0)
        return -1;
    return sort_tree(&s->scope.idle_tree);
}

void scope_fini(struct scope *s)
{
    map_fini(&s->rows);
    map_fini(&s->children);
    map_fini(&s->idle_children);
    free(s->scope.rows);
    free(s->scope.tree.nodes);
    free(s->scope.idle_tree.nodes);
}
