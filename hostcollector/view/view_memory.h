/* SPDX-License-Identifier: BSD-2-Clause */
/* What a view is made of, for those that build and walk it. */
#ifndef TPROF_VIEW_VIEW_MEMORY_H
#define TPROF_VIEW_VIEW_MEMORY_H

#include <stdint.h>

#include "model/view.h"
#include "view/edges.h"
#include "view/scopes.h"

struct code_frames;
struct image_map;

/* What view_free() releases; the view is its first member. */
struct view_memory {
    struct view view;
    const struct image_map *image_map;
    struct code_frames *frames;
    struct scopes scopes; /* of as many cores as the profile has */
    struct edges edges;
    uint64_t bytes; /* that all may take */
};

#endif
