/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of one leaf and stack, as functions. Leaf. */
#ifndef TPROF_VIEW_PATH_H
#define TPROF_VIEW_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct path_step {
    uint32_t function;
    uint32_t line; /* for code_frames_charge(); not of marks */
    uint64_t pc;   /* in the function, or in its call; 0 of marks */
    bool inlined;
    bool first; /* no step before it has the same function */
};

/* A pair of leaf and stack, as functions, and the sum of its samples. */
struct path {
    struct path_step *steps; /* outermost first */
    size_t count;
    size_t branch; /* so many of them are in trees: up to the first that had no
                      room */
    size_t leaf; /* index of the innermost step that is no mark, or all that is
                    known of it */
    bool unseen; /* (leaf) is the first step, a mark; the others are a hint */
    bool idle;
    bool uncertain;
    struct amount amount;
    double late; /* of amount.time: samples that came late */
};

/* Add (b) to (a). */
static inline void amount_add(struct amount *a, const struct amount *b)
{
    a->samples += b->samples;
    a->weight += b->weight;
    a->time += b->time;
    a->time_sq += b->time_sq;
}

#endif
