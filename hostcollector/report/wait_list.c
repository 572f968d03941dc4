/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks under which cores go idle, sorted. */
#include "report/wait_list.h"

#include <stdlib.h>

/* qsort() passes no context. */
static const struct view_node *sorted_nodes;

static int compare_nodes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    double x = sorted_nodes[left].self.time, y = sorted_nodes[right].self.time;

    return x != y ? (x < y ? 1 : -1) : (left > right) - (left < right);
}

int wait_list_init(struct wait_list *l, const struct view_tree *tree)
{
    const struct view_node *nodes = tree->nodes;

    *l = (struct wait_list){calloc(tree->node_count + 1, sizeof(uint32_t)), 0};
    if (l->nodes == NULL)
        return -1;
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (nodes[i].self.samples != 0)
            l->nodes[l->count++] = i;
    sorted_nodes = nodes;
    qsort(l->nodes, l->count, sizeof *l->nodes, compare_nodes);
    return 0;
}

void wait_list_fini(struct wait_list *l)
{
    free(l->nodes);
}
