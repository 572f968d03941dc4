/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the call trees of several runs, by the functions that pairs.h has
 * matched. Inlined calls count as calls, because builds inline differently. */
#ifndef TPROF_DIFF_COMPARE_MERGED_H
#define TPROF_DIFF_COMPARE_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diff/compare/pairs.h"
#include "model/view.h"
#include "util/pair_map.h"

/* Number of all functions without a name, which count as one function. */
#define MERGED_NAMELESS UINT32_MAX

struct merged_node {
    uint32_t parent;   /* has a smaller index than the node; 0 for the root,
                        * too */
    uint32_t function; /* of pairs.functions, or MERGED_NAMELESS */
};

struct merged_sum;

/* Zeroed, with (nodes_max): none. Node 0 is the root and stands for no
 * function. */
struct merged {
    size_t nodes_max;
    struct merged_node *nodes;
    size_t count, room;
    struct pair_map numbers; /* (parent, function) -> node */
    struct merged_sum *sums;
    size_t sum_count, sum_room;
    uint64_t folded; /* samples of branches that had no room */
    /*
     * After merged_finish(): the parts of the tree, as the functions of struct
     * compare_input. Part i < count - 1 is node i + 1 with all nodes below it.
     * The remaining parts exist for nodes that have both children and own time:
     * part i is the own time of node own[i - count + 1].
     */
    size_t parts;
    uint32_t *own;
    struct amount *amounts;
    uint32_t *inside;
};

/* merged_node_of() returns the node of part (part). merged_is_own() returns
 * true if the part is only the node's own time. */
static inline uint32_t merged_node_of(const struct merged *m, size_t part)
{
    return part + 1 < m->count ? (uint32_t)part + 1
                               : m->own[part + 1 - m->count];
}

static inline bool merged_is_own(const struct merged *m, size_t part)
{
    return part + 1 >= m->count;
}

/* Returns the bytes of memory for one node with (runs) runs, including computed
 * data. */
size_t merged_node_bytes(size_t runs);

/*
 * Add (tree) of run (run). Function i of the tree is (functions[i]), a number
 * of pairs_know() or MERGED_NAMELESS. Branches beyond (nodes_max) are cut, and
 * their samples go to the last node that is kept.
 * Returns 0; -1 if there is no memory.
 */
int merged_add(struct merged *m, uint32_t run, const struct view_tree *tree,
               const uint32_t *functions);

/* Join nodes of equal functions, after all (runs) were added and (p) is
 * finished.
 * Returns 0; -1 if there is no memory. */
int merged_finish(struct merged *m, const struct pairs *p, size_t runs);

/* Release what (m) holds. */
void merged_fini(struct merged *m);

#endif
