/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls whom: a sum for each pair of functions. */
#ifndef TPROF_VIEW_EDGES_H
#define TPROF_VIEW_EDGES_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/smallest_first.h"

/* Zeroed: none. Its user bounds the edges, by edges_fold(). */
struct edges {
    struct view_edge *list;
    size_t count, room;
    uint32_t *seen; /* by edge: the last path that has it */
    size_t seen_room;
    struct budget_table table; /* of edges, from 1 on */
};

/* Bytes that an edge takes at most. */
#define EDGES_EDGE_BYTES 176u

/* Add the edges of (path), which is the (number)th, from 1 on: each once.
 * Returns 0; -1 if there is no memory. */
int edges_add(struct edges *e, const struct path *path, uint32_t number);

/* Leave only what edges took most of the time: (most) at most. */
void edges_fold(struct edges *e, struct smallest_first *f, size_t most);

/* Sort the edges into (v), chained for each of its functions. They stay (e)'s.
 * Returns 0; -1 if there is no memory. */
int edges_finish(struct edges *e, struct view *v);

void edges_fini(struct edges *e);

#endif
