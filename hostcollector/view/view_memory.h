/* SPDX-License-Identifier: BSD-2-Clause */
/* A view with the memory behind it, for the files that build views and make
 * paths. */
#ifndef TPROF_VIEW_VIEW_MEMORY_H
#define TPROF_VIEW_VIEW_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/scopes.h"
#include "view/smallest_first.h"

/* edges.c: call graph: one sum for each pair of caller and callee. */

/* Zeroed: empty. */
struct edges {
    struct view_edge *list;
    size_t count, room;
    uint32_t *seen; /* by edge: the last path that has the edge */
    size_t seen_room;
    struct budget_table table; /* of edges, which count from 1 */
};

/* Make room for the edges of (path). Returns 0; -1 if (b) or memory does not
 * allow it. */
int edges_make_room(struct edges *e, const struct path *path, struct budget *b);

/* Add the edges of (path), for which room was made, each edge once. (number)
 * counts paths from 1. */
void edges_add(struct edges *e, const struct path *path, uint32_t number);

/* Keep at most half of the edges: those with the most time. */
void edges_fold(struct edges *e, struct smallest_first *f, struct budget *b);

/* Sort the edges, and link them into (v) by caller and by callee. The edges
 * still belong to (e). Returns 0; -1 if there is no memory. */
int edges_finish(struct edges *e, struct view *v);

/* Give back the room that the edges do not use. */
void edges_trim(struct edges *e, struct budget *b);

void edges_fini(struct edges *e);

struct code_frames;
struct displaced;
struct image_map;
struct walk;

/* Object that view_free() releases. The view is its first member. */
struct view_memory {
    struct view view;
    const struct image_map *image_map;
    struct code_frames *frames;
    struct displaced *displaced;
    struct scopes scopes; /* one for each core of the profile */
    struct edges edges;
    struct budget budget; /* of names, nodes, rows and edges */
    struct view_wait *waits;
    struct view_lock *locks;
    uint32_t *wait_functions;
};

/* Fill the waits of the view, by the walk (w). Returns 0; -1 if there is no
 * memory. */
int paths_of_waits(struct view_memory *memory, struct walk *w);

/* wanted.c: estimate the bytes that the view would take if nothing were folded,
 * by walking over all entries again. The estimate is rather too high. 0 if
 * there is no memory. */
uint64_t wanted_bytes(const struct view_memory *m, struct walk *walk);

/* Prepare view_path_of(). Called by view_new() only. Returns 0; -1 if there is
 * no memory. */
int paths_init(struct view_memory *memory, const struct profile *p);
void paths_free(struct view_paths *paths);

#endif
