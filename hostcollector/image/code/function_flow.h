/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The abstract interpretation (frame_flow.h) of one function of an image, from
 * wherever it is entered: a cold part of another function from the jumps of
 * that one, all others from their first instruction.
 */
#ifndef TPROF_IMAGE_CODE_FUNCTION_FLOW_H
#define TPROF_IMAGE_CODE_FUNCTION_FLOW_H

#include <stdbool.h>

#include "image/code/frame_flow.h"

struct image;
struct image_function;

struct function_flow {
    struct frame_flow flow;
    /* Depths are counted from where the function was called. False where a
     * label may stand in the midst of code. */
    bool depth_known;
};

/* Interpret function (f) of (img). -1 if its code is not at hand, or there is
 * no memory; function_flow_fini() must follow in both cases. */
int function_flow_init(struct function_flow *o, const struct image *img,
                       const struct image_function *f);
void function_flow_fini(struct function_flow *o);

/* Is (f) the cold part of another function? */
bool function_flow_is_part(const struct image_function *f);

#endif
