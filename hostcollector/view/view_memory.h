/* SPDX-License-Identifier: BSD-2-Clause */
/* A view with the memory behind it, for the files that build views and make
 * paths. */
#ifndef TPROF_VIEW_VIEW_MEMORY_H
#define TPROF_VIEW_VIEW_MEMORY_H

#include <stdint.h>

#include "model/view.h"
#include "view/edges.h"
#include "view/scopes.h"

struct code_frames;
struct displaced;
struct image_map;

/* Object that view_free() releases. The view is its first member. */
struct view_memory {
    struct view view;
    const struct image_map *image_map;
    struct code_frames *frames;
    struct displaced *displaced;
    struct scopes scopes; /* one for each core of the profile */
    struct edges edges;
    struct budget budget; /* of names, nodes, rows and edges */
};

/* Prepare view_path_of(); for view_new() alone. Returns 0; -1 if there is no
 * memory. */
int paths_init(struct view_memory *memory, const struct profile *p);
void paths_free(struct view_paths *paths);

#endif
