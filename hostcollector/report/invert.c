/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees from the inside out: callers are children. */
#include "report/invert.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/* Callers further outside are left out. */
#define DEPTH_MAX     64u
/* Share that no report shows. Chains with less time would only take memory. */
#define SHARE_NOTHING .0005

struct inverter {
    const struct view *view;
    const struct view_tree *from;
    struct view_tree *to;
    size_t room;
};

static void add(struct amount *a, const struct amount *b)
{
    a->samples += b->samples;
    a->weight += b->weight;
    a->time += b->time;
    a->time_sq += b->time_sq;
}

/* The child of node (parent) that is (function), made if it is missing. 0 if
 * there is no memory. */
static uint32_t child_of(struct inverter *v, uint32_t parent, uint32_t function)
{
    struct view_tree *to = v->to;
    uint32_t i = to->node_count != 0 ? to->nodes[parent].child : 0;

    while (i != 0 && to->nodes[i].function != function)
        i = to->nodes[i].next;
    if (i != 0)
        return i;
    if (vec_grow(&to->nodes, &v->room, to->node_count, sizeof *to->nodes) != 0)
        return 0;
    i = (uint32_t)to->node_count++;
    to->nodes[i] = (struct view_node){.function = function,
                                      .parent = parent,
                                      .next = to->nodes[parent].child};
    to->nodes[parent].child = i;
    return i;
}

/* Add (amount) to the chain from (node) outwards. Returns 0; -1 if there is no
 * memory. */
static int add_chain(struct inverter *v, uint32_t node,
                     const struct amount *amount)
{
    const struct view_node *nodes = v->from->nodes;
    uint32_t at = 0;

    add(&v->to->nodes[0].total, amount);
    for (unsigned depth = 0; node != 0 && depth < DEPTH_MAX; depth++) {
        at = child_of(v, at, nodes[node].function);
        if (at == 0)
            return -1;
        add(&v->to->nodes[at].total, amount);
        node = nodes[node].parent;
    }
    return 0;
}

/* Is (node) the outermost node on its path whose function's name contains
 * (name)? */
static bool is_outermost(const struct inverter *v, uint32_t node,
                         const char *name)
{
    const struct view_node *nodes = v->from->nodes;

    if (strstr(v->view->functions[nodes[node].function].name, name) == NULL)
        return false;
    while ((node = nodes[node].parent) != 0)
        if (strstr(v->view->functions[nodes[node].function].name, name) != NULL)
            return false;
    return true;
}

/* Sort the children of (parent) by falling time, then by function. */
static void sort_children(struct view_node *nodes, uint32_t parent)
{
    uint32_t sorted = 0, i = nodes[parent].child;

    while (i != 0) {
        uint32_t next = nodes[i].next, *at = &sorted;

        while (*at != 0 && (nodes[*at].total.time > nodes[i].total.time ||
                            (nodes[*at].total.time == nodes[i].total.time &&
                             nodes[*at].function < nodes[i].function)))
            at = &nodes[*at].next;
        nodes[i].next = *at;
        *at = i;
        i = next;
    }
    nodes[parent].child = sorted;
}

int invert_tree(const struct view *view, const struct view_tree *from,
                const char *callers_of, struct view_tree *to)
{
    struct inverter v = {.view = view, .from = from, .to = to};
    double least =
        from->node_count != 0 ? SHARE_NOTHING * from->nodes[0].total.time : 0;

    *to = (struct view_tree){0};
    if (vec_grow(&to->nodes, &v.room, 0, sizeof *to->nodes) != 0)
        return -1;
    to->nodes[0] = (struct view_node){0};
    to->node_count = 1;
    for (uint32_t i = 1; i < from->node_count; i++) {
        const struct view_node *node = &from->nodes[i];
        const struct amount *amount =
            callers_of != NULL ? &node->total : &node->self;

        if (amount->samples == 0 || amount->time < least ||
            (callers_of != NULL && !is_outermost(&v, i, callers_of)))
            continue;
        if (add_chain(&v, i, amount) != 0) {
            free(to->nodes);
            *to = (struct view_tree){0};
            return -1;
        }
    }
    for (uint32_t i = 0; i < to->node_count; i++)
        sort_children(to->nodes, i);
    return 0;
}
