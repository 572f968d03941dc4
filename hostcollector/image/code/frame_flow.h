/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Abstract interpretation of one function (frame_place.h gives the reason). A
 * state holds the depth of the stack, the place where the caller's FP was
 * saved, and the contents of FP. States flow along jumps and are joined where
 * paths meet, until no state changes. Time and memory are proportional to the
 * function's size. Nothing outside the arguments is read or changed.
 */
#ifndef TPROF_IMAGE_CODE_FRAME_FLOW_H
#define TPROF_IMAGE_CODE_FRAME_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"

struct cpu;

enum frame_fp {
    FP_CALLER, /* the value that the caller left in FP */
    FP_FRAME,  /* the address of the function's own frame */
    FP_OTHER,  /* another value, or different values on different paths */
};

/* State before an instruction. It is true for every path that leads there.
 * Depths are counted in bytes from SP at the function's entry. */
struct frame_state {
    int32_t depth; /* bytes pushed since entry, or FRAME_DEPTH_UNKNOWN */
    int32_t saved; /* depth at which the caller's FP was pushed, or 0 */
    int32_t back;  /* depth of the return address, or FRAME_BACK_* */
    int32_t frame; /* depth to which FP points, for FP_FRAME */
    enum frame_fp fp;
    bool done; /* every path to here has removed the frame */
};

#define FRAME_DEPTH_UNKNOWN INT32_MIN
#define FRAME_BACK_IN_LINK  (-1) /* in the link register, since the call */
#define FRAME_BACK_LOST     (-2)

/* Flags of the offset of an instruction. */
enum frame_flag {
    FRAME_REACHED = 1,  /* a path leads here, so the state is valid */
    FRAME_QUEUED = 2,   /* the state must still be passed on */
    FRAME_PENDING = 4,  /* a call that may or may not return */
    FRAME_RETURNED = 8, /* reached because the call before it returns */
    FRAME_IDLE = 16,    /* follows an instruction that sleeps */
    FRAME_CALLED = 32,  /* follows a call */
};

/* States of a part of a function. The first state is that of offset (from). */
struct frame_part {
    uint64_t from; /* modulo 2^64 */
    size_t size;
    struct frame_state *states;
    uint8_t *flags;
};

struct frame_flow {
    const struct cpu *cpu;
    const uint8_t *code;
    struct frame_part own; /* the function itself, from 0 on */
    /* states of jumps out of (own) into this part, or NULL */
    struct frame_part *cold;
    uint32_t *queue, *calls; /* offsets with FRAME_QUEUED, FRAME_PENDING */
    size_t queued, pending;
    struct frame_state away; /* joined state of all jumps through a table */
    bool has_away, has_frame, has_call;
    bool other_fp; /* FP is used for other values */
    bool lost;     /* bytes that are no known instruction were reached */
    /* Clears FP without saving it, or returns from an interrupt: no callers. */
    bool outermost;
    bool interrupt; /* returns from an interrupt */
    bool new_stack; /* moves SP to another stack */
    bool ends;      /* some path returns, or jumps to other code */
    /* a return to the caller uses the return address where it was at the entry;
     * or elsewhere, or at an unknown place */
    bool returns_level, returns_uneven;
};

/*
 * Initialize a part of (size) bytes without any state. frame_part_fini() must
 * follow, even after a failure.
 *
 * Returns:
 * - 0
 * - -1 if there is no memory
 */
int frame_part_init(struct frame_part *p, size_t size);
void frame_part_fini(struct frame_part *p);

/*
 * Initialize the flow of a function of (size) bytes at (code), which are for
 * (cpu). The caller keeps ownership of (code). frame_flow_fini() must follow,
 * even after a failure.
 *
 * Returns:
 * - 0
 * - -1 if there is no memory
 */
int frame_flow_init(struct frame_flow *f, const struct cpu *cpu,
                    const uint8_t *code, size_t size);
void frame_flow_fini(struct frame_flow *f);

/* Join state (s) into the state of offset (to), in the function or in its cold
 * part. */
void frame_flow_to(struct frame_flow *f, uint64_t to,
                   const struct frame_state *s);

/* Pass on all states until no state changes. */
void frame_flow_run(struct frame_flow *f);

/* Returns the place of offset (at) of the function. Call frame_flow_run()
 * first. */
enum code_place frame_flow_place(const struct frame_flow *f, size_t at);

/* Returns the way out of the function from offset (at). Call frame_flow_run()
 * first. */
struct code_exit frame_flow_exit(const struct frame_flow *f, size_t at);

#endif
