/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks under which cores go idle, sorted, for text and JSON. */
#ifndef TPROF_REPORT_WAIT_LIST_H
#define TPROF_REPORT_WAIT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

/* Nodes of an idle tree in which samples end, by falling time. */
struct wait_list {
    uint32_t *nodes;
    size_t count;
};

/* Fill (l) with the nodes of (tree). Returns 0; -1 if there is no memory, and
 * (l) is empty. Call wait_list_fini() in either case. */
int wait_list_init(struct wait_list *l, const struct view_tree *tree);
void wait_list_fini(struct wait_list *l);

/* Returns the node of the function that waits in (node), which is the parent of
 * a mark VIEW_IDLE. 0 if it is unknown. */
static inline uint32_t wait_list_step(const struct view_tree *tree,
                                      uint32_t node)
{
    const struct view_node *n = &tree->nodes[node];

    return n->function == VIEW_IDLE ? n->parent : node;
}

#endif
