/* SPDX-License-Identifier: BSD-2-Clause */
/* A path: the functions of one leaf and its stack, with the sum of their
 * samples. Leaf. */
#ifndef TPROF_VIEW_PATH_H
#define TPROF_VIEW_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/holdup.h"
#include "model/view.h"

struct path_step {
    uint32_t function;
    uint32_t line; /* as in code_frames_charge(); marks have no line */
    uint64_t pc;   /* address in the function, or of its call; 0 for marks */
    bool inlined;
    bool first; /* no earlier step has the same function */
};

/* A pair of leaf and stack as functions, and the sum of its samples. */
struct path {
    struct path_step *steps; /* outermost first */
    size_t count;
    /* Number of steps that are in trees. The steps from the first step without
     * room on are not. */
    size_t branch;
    /* Index of the innermost step that is not a mark; or of the mark, if the
     * path has no other step. */
    size_t leaf;
    bool unseen; /* (leaf) is step 0, a mark; the other steps only show the
                  * place */
    bool idle;
    bool uncertain;
    /* The samples stand at the first instruction of the function (moved_from),
     * and are charged to the call of this function (displaced.h). */
    bool moved;
    uint32_t moved_from;
    /* Kind of the instruction before the leaf that is the reason why the
     * samples stand there */
    enum code_holdup holdup;
    struct amount amount;
    double late; /* part of amount.time whose samples came late */
};

#endif
