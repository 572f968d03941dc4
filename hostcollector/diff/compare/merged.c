/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the call trees of several runs, by functions that pairs.h matched. */
#include "diff/compare/merged.h"

#include <stdlib.h>

#include "diff/compare/compare.h"
#include "util/vec.h"

#define NONE UINT32_MAX

struct merged_sum {
    uint32_t run, node;
    struct amount amount;
};

size_t merged_node_bytes(size_t runs)
{
    /* factors: an array or the map has up to twice the room that it needs,
     * while it grows its old room exists, too, and the tree is made twice */
    const size_t slot = 24, judged = 24;
    size_t node = 3 * sizeof(struct merged_node) + 6 * slot;

    return 2 * node + 6 * sizeof(uint32_t) +
           2 * (sizeof(struct compare_row) + judged) +
           runs * (3 * sizeof(struct merged_sum) + 4 * sizeof(struct amount));
}

/* The child of node (parent) for (function), added if necessary. (parent)
 * itself if there is no room. NONE if there is no memory. */
static uint32_t child_of(struct merged *m, uint32_t parent, uint32_t function)
{
    if (m->count >= m->nodes_max &&
        map_get(&m->numbers, parent, function) == MAP_NOTHING)
        return parent;
    uint32_t *number = map_put(&m->numbers, parent, function);

    if (number == NULL || *number != MAP_NOTHING)
        return number == NULL ? NONE : *number;
    if (vec_grow(&m->nodes, &m->room, m->count, sizeof *m->nodes) != 0)
        return NONE;
    m->nodes[m->count] = (struct merged_node){parent, function};
    return *number = (uint32_t)m->count++;
}

/* Make the root. */
static int begin(struct merged *m)
{
    if (m->count != 0)
        return 0;
    if (vec_grow(&m->nodes, &m->room, 0, sizeof *m->nodes) != 0)
        return -1;
    m->nodes[m->count++] = (struct merged_node){0, MERGED_NAMELESS};
    return 0;
}

static int add_sum(struct merged *m, uint32_t run, uint32_t node,
                   const struct amount *amount)
{
    if (amount->samples == 0)
        return 0;
    if (vec_grow(&m->sums, &m->sum_room, m->sum_count, sizeof *m->sums) != 0)
        return -1;
    m->sums[m->sum_count++] = (struct merged_sum){run, node, *amount};
    return 0;
}

/* Store in (number) the node of (m) for each node of (tree). */
static int place_nodes(struct merged *m, const struct view_tree *tree,
                       const uint32_t *functions, uint32_t *number)
{
    number[0] = 0;
    for (size_t i = 1; i < tree->node_count; i++) {
        const struct view_node *n = &tree->nodes[i];
        uint32_t parent = number[n->parent];

        number[i] = child_of(m, parent, functions[n->function]);
        if (number[i] == NONE)
            return -1;
        if (number[i] == parent)
            m->folded += n->self.samples;
    }
    return 0;
}

int merged_add(struct merged *m, uint32_t run, const struct view_tree *tree,
               const uint32_t *functions)
{
    uint32_t *number = calloc(tree->node_count + 1, sizeof *number);
    int result = -1;

    if (number == NULL || begin(m) != 0 ||
        place_nodes(m, tree, functions, number) != 0)
        goto out;
    for (size_t i = 0; i < tree->node_count; i++)
        if (add_sum(m, run, number[i], &tree->nodes[i].self) != 0)
            goto out;
    result = 0;
out:
    free(number);
    return result;
}

/* Make the tree anew in (to), with joined functions. Stores in (number) the
 * node of (to) for each node of (from). */
static int join(struct merged *to, const struct merged *from,
                const struct pairs *p, uint32_t *number)
{
    if (begin(to) != 0)
        return -1;
    for (size_t i = 1; i < from->count; i++) {
        const struct merged_node *n = &from->nodes[i];
        uint32_t function = n->function == MERGED_NAMELESS
                                ? MERGED_NAMELESS
                                : pairs_number(p, n->function);

        number[i] = child_of(to, number[n->parent], function);
        if (number[i] == NONE)
            return -1;
    }
    return 0;
}

/* Number the parts. Stores in (part) the part that has the own time of each
 * node. */
static int part_numbers(struct merged *m, const struct merged *from,
                        const uint32_t *number, uint32_t *part)
{
    size_t own = 0;

    m->own = calloc(m->count, sizeof *m->own);
    m->inside = calloc(2 * m->count, sizeof *m->inside);
    if (m->own == NULL || m->inside == NULL)
        return -1;
    for (uint32_t i = 1; i < m->count; i++) {
        uint32_t parent = m->nodes[i].parent;

        part[i] = i - 1;
        m->inside[i - 1] = parent == 0 ? COMPARE_TOP : parent - 1;
        part[parent] = NONE; /* has children */
    }
    for (size_t i = 0; i < from->sum_count; i++) {
        uint32_t node = number[from->sums[i].node];

        if (node == 0 || part[node] != NONE)
            continue;
        part[node] = (uint32_t)(m->count - 1 + own);
        m->inside[part[node]] = node - 1;
        m->own[own++] = node;
    }
    m->parts = m->count - 1 + own;
    part[0] = (uint32_t)m->parts; /* time without a function */
    return 0;
}

static int sum_up(struct merged *m, const struct merged *from,
                  const uint32_t *number, const uint32_t *part, size_t runs)
{
    m->amounts = calloc(runs * (m->parts + 1), sizeof *m->amounts);
    if (m->amounts == NULL)
        return -1;
    for (size_t i = 0; i < from->sum_count; i++) {
        const struct merged_sum *s = &from->sums[i];
        struct amount *to =
            &m->amounts[s->run * (m->parts + 1) + part[number[s->node]]];

        to->samples += s->amount.samples;
        to->weight += s->amount.weight;
        to->time += s->amount.time;
        to->time_sq += s->amount.time_sq;
    }
    return 0;
}

int merged_finish(struct merged *m, const struct pairs *p, size_t runs)
{
    struct merged from = *m;
    uint32_t *number = calloc(from.count + 1, sizeof *number);
    uint32_t *of = calloc(from.count + 1, sizeof *of); /* part by node */
    int result = -1;

    *m = (struct merged){.nodes_max = from.nodes_max, .folded = from.folded};
    if (number != NULL && of != NULL && join(m, &from, p, number) == 0 &&
        part_numbers(m, &from, number, of) == 0 &&
        sum_up(m, &from, number, of, runs) == 0)
        result = 0;
    free(number);
    free(of);
    merged_fini(&from);
    return result;
}

void merged_fini(struct merged *m)
{
    map_fini(&m->numbers);
    free(m->nodes);
    free(m->sums);
    free(m->own);
    free(m->amounts);
    free(m->inside);
    *m = (struct merged){0};
}
