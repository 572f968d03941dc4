/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds callers that a walk along frame pointers missed, because a function has
 * no frame at that point. There are two sources. The first is the words on top
 * of the interrupted stack: instructions show how far SP is below the return
 * address. The second is the code, if only one place calls the function.
 *
 * Only certain callers are found. A word counts if all paths through the code
 * lead to the same depth, and if the word points to the end of a call.
 */
#ifndef TPROF_IMAGE_NAMES_HIDDEN_CALLERS_H
#define TPROF_IMAGE_NAMES_HIDDEN_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

struct image_map;

#define HIDDEN_CALLERS_MAX 16u

struct hidden_callers {
    /* return addresses, innermost first */
    uint64_t address[HIDDEN_CALLERS_MAX];
    uint32_t count;
    bool missing; /* more callers may be missing after the last */
};

/* Returns the missed callers between the interrupted instruction at (leaf) and
 * the first frame of (stack), which the walk has found. */
struct hidden_callers hidden_callers_of_leaf(const struct image_map *image_map,
                                             uint64_t leaf,
                                             const struct stack *stack);

/* Returns the missed callers between the frame of return address (frame) and
 * the next frame that the walk has found. */
struct hidden_callers hidden_callers_of_frame(const struct image_map *image_map,
                                              uint64_t frame);

#endif
