/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers that a walk along frame pointers has missed, where a function has
 * no frame, or none yet, or none any more. Two things tell them: the words on
 * top of the interrupted stack, since instructions say how far below its return
 * address RSP stands; and the code, where a function has but one caller.
 *
 * Only what is certain: a word is taken where all ways through the code lead to
 * the same depth, and a call lies before it.
 */
#ifndef TPROF_SYMBOLIZE_CALLERS_H
#define TPROF_SYMBOLIZE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

struct image_map;

#define CALLERS_MAX 16u

struct callers {
    uint64_t address[CALLERS_MAX]; /* return addresses, innermost first */
    uint32_t count;
    bool missing; /* between these (or the callee) and the walk's may be more */
};

/* Those between the interrupted instruction at (leaf) and the first of (stack),
 * which is its walk. */
struct callers callers_of_leaf(const struct image_map *image_map, uint64_t leaf,
                               const struct stack *stack);

/* Those between return address (frame) of a walk and the next one's. */
struct callers callers_of_frame(const struct image_map *image_map,
                                uint64_t frame);

#endif
