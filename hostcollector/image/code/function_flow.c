/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/function_flow.h"

#include <string.h>

#include "image/file/image.h"
#include "util/cpu/cpu.h"

/* Limit of a function's size. A longer function is only the code between two
 * distant labels. */
#define MAX_FUNCTION_BYTES (1u << 20)

/* Limit of the code from a label on, the next labels included. */
#define MAX_LABEL_BYTES 4096u

static bool code_of(const struct image *img, const struct image_function *f,
                    const uint8_t **code)
{
    size_t have;

    *code = image_code(img, f->start, &have);
    return *code != NULL && f->size != 0 && f->size <= have &&
           f->size <= MAX_FUNCTION_BYTES;
}

static void enter_flow(struct frame_flow *flow)
{
    const struct frame_state called = {
        .fp = FP_CALLER, .back = flow->cpu->has_link ? FRAME_BACK_IN_LINK : 0};

    frame_flow_to(flow, 0, &called);
}

/* Note the states in which function (f) jumps into (cold) at (start). Returns
 * whether (f) sets up a frame. */
static bool enter_from(const struct image *img, const struct image_function *f,
                       struct frame_part *cold, uint64_t start)
{
    struct frame_flow flow;
    const uint8_t *code;
    bool has_frame;

    if (!code_of(img, f, &code))
        return false;
    if (frame_flow_init(&flow, image_cpu(img), code, (size_t)f->size) == 0) {
        cold->from = start - f->start;
        flow.cold = cold;
        enter_flow(&flow);
        frame_flow_run(&flow);
    }
    has_frame = flow.has_frame;
    frame_flow_fini(&flow);
    return has_frame;
}

/* Length of the parent function's name in (name), the name of a cold part.
 * Returns 0 if (name) is not the name of a cold part. */
static size_t parent_length(const char *name)
{
    const char *suffix = strstr(name, ".cold");

    return suffix != NULL && (suffix[5] == '\0' || suffix[5] == '.')
               ? (size_t)(suffix - name)
               : 0;
}

/* Enter a cold part in the states in which its function jumps there. Several
 * static functions may have the parent's name, but only the right function has
 * jumps into the part. */
static void enter_cold(const struct image *img, struct frame_flow *flow,
                       const struct image_function *f)
{
    size_t len = parent_length(f->name);
    const struct image_function *parent;
    struct frame_part cold;

    if (frame_part_init(&cold, (size_t)f->size) == 0) {
        for (size_t i = 0; (parent = image_function_at(img, i)); i++) {
            if (strncmp(parent->name, f->name, len) == 0 &&
                parent->name[len] == '\0')
                flow->has_frame |= enter_from(img, parent, &cold, f->start);
        }
        for (size_t at = 0; at < cold.size; at++) {
            if ((cold.flags[at] & FRAME_REACHED) != 0)
                frame_flow_to(flow, at, &cold.states[at]);
        }
    }
    frame_part_fini(&cold);
}

/* Bytes from label (f) on: the code of (f) and of the labels that follow (f).
 * Assembly uses such labels as targets of jumps inside a function. */
static uint64_t label_bytes(const struct image *img,
                            const struct image_function *f)
{
    const struct image_function *next = f;
    uint64_t size = 0;

    do
        size += next->size;
    while (size < MAX_LABEL_BYTES &&
           (next = image_find_function(img, f->start + size)) != NULL &&
           !next->sized && next->start == f->start + size);
    return size;
}

/*
 * Does the code from label (f) on show that the return address is where a call
 * leaves it? What a return to a caller uses is the return address, whoever came
 * to the label, and how.
 */
static bool returns_level(const struct image *img,
                          const struct image_function *f)
{
    const struct image_function code = {.start = f->start,
                                        .size = label_bytes(img, f)};
    const uint8_t *bytes;
    struct frame_flow flow;
    bool level = false;

    if (!code_of(img, &code, &bytes))
        return false;
    if (frame_flow_init(&flow, image_cpu(img), bytes, (size_t)code.size) == 0) {
        enter_flow(&flow);
        frame_flow_run(&flow);
        level = flow.returns_level && !flow.returns_uneven;
    }
    frame_flow_fini(&flow);
    return level;
}

bool function_flow_is_part(const struct image_function *f)
{
    return parent_length(f->name) != 0;
}

int function_flow_init(struct function_flow *o, const struct image *img,
                       const struct image_function *f)
{
    const uint8_t *code;
    bool is_part = function_flow_is_part(f);

    *o = (struct function_flow){.depth_known = f->sized};
    if (!code_of(img, f, &code) ||
        frame_flow_init(&o->flow, image_cpu(img), code, (size_t)f->size) != 0)
        return -1;
    if (is_part)
        enter_cold(img, &o->flow, f);
    if (o->flow.queued == 0) {
        o->depth_known = !is_part && (f->sized || returns_level(img, f));
        enter_flow(&o->flow);
    }
    frame_flow_run(&o->flow);
    return 0;
}

void function_flow_fini(struct function_flow *o)
{
    frame_flow_fini(&o->flow);
}
