/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Abstract interpretation (frame_flow.h) of one function of an image. A cold
 * part of another function is entered from the jumps of that function. Any
 * other function is entered at its first instruction.
 */
#ifndef TPROF_IMAGE_CODE_FUNCTION_FLOW_H
#define TPROF_IMAGE_CODE_FUNCTION_FLOW_H

#include <stdbool.h>

#include "image/code/frame_flow.h"

struct image;
struct image_function;

struct function_flow {
    struct frame_flow flow;
    /* Stack depths are counted from the return address. False if the symbol
     * is a label without size, unless the code from the label on shows where
     * the return address is: every return to a caller uses the return
     * address where it was at the label. */
    bool depth_known;
};

/*
 * Interpret function (f) of (img). function_flow_fini() must follow, even after
 * a failure.
 *
 * Returns:
 * - 0
 * - -1 if the code of (f) is missing, or there is no memory
 */
int function_flow_init(struct function_flow *o, const struct image *img,
                       const struct image_function *f);
void function_flow_fini(struct function_flow *o);

/* Is (f) the cold part of another function? */
bool function_flow_is_part(const struct image_function *f);

#endif
