/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds callers that a walk along frame pointers has missed, since a function
 * has no frame, not yet, or not any more. Two things tell such a caller. The
 * first are the words on top of the interrupted stack: the instructions say how
 * far RSP is below the return address. The second is the code, if it calls the
 * function at one place only.
 *
 * Only certain callers are found: a word counts if all paths through the code
 * lead to the same depth, and if the word points behind a call.
 */
#ifndef TPROF_IMAGE_NAMES_HIDDEN_CALLERS_H
#define TPROF_IMAGE_NAMES_HIDDEN_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

struct image_map;

#define HIDDEN_CALLERS_MAX 16u

struct hidden_callers {
    uint64_t
        address[HIDDEN_CALLERS_MAX]; /* return addresses, innermost first */
    uint32_t count;
    bool missing; /* more callers may be missing behind the last of these */
};

/* The missed callers between the interrupted instruction at (leaf) and the
 * first frame of (stack), which the walk has found. */
struct hidden_callers hidden_callers_of_leaf(const struct image_map *image_map,
                                             uint64_t leaf,
                                             const struct stack *stack);

/* The missed callers between the frame of return address (frame) and the next
 * frame that the walk has found. */
struct hidden_callers hidden_callers_of_frame(const struct image_map *image_map,
                                              uint64_t frame);

#endif
