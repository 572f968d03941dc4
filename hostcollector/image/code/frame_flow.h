/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Abstract interpretation of one function. A state says how deep the stack is,
 * where the caller's RBP was saved, and what RBP holds. States flow along jumps
 * and are joined where paths meet, until none changes. Pure. Time and memory
 * are in proportion to the function's size. frame_place.h says why.
 */
#ifndef TPROF_IMAGE_CODE_FRAME_FLOW_H
#define TPROF_IMAGE_CODE_FRAME_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"

enum frame_rbp {
    RBP_CALLER, /* the caller's frame: still, or restored */
    RBP_FRAME,  /* the function's own frame */
    RBP_OTHER,  /* another value, or different values on different paths */
};

/* What is true before an instruction, whichever path led to it. */
struct frame_state {
    int32_t depth; /* bytes pushed since entry, or FRAME_DEPTH_UNKNOWN */
    int32_t saved; /* the depth at which the caller's RBP was pushed, or 0 */
    enum frame_rbp rbp;
    bool done; /* every path to here has taken the frame down */
};

#define FRAME_DEPTH_UNKNOWN INT32_MIN

/* About the instruction at an offset. */
enum frame_flag {
    FRAME_REACHED = 1,  /* a path leads to it: it has a state */
    FRAME_QUEUED = 2,   /* its state must still be passed on */
    FRAME_PENDING = 4,  /* a call of which it is not known whether it returns */
    FRAME_RETURNED = 8, /* reached since the call before it returns */
    FRAME_IDLE = 16,    /* follows hlt or mwait */
    FRAME_CALLED = 32,  /* follows a call */
};

/* States of a part of a function by offset, which starts at (from). */
struct frame_part {
    uint64_t from; /* modulo 2^64 */
    size_t size;
    struct frame_state *states;
    uint8_t *flags;
};

struct frame_flow {
    const uint8_t *code;
    struct frame_part own;   /* the function itself, from 0 on */
    struct frame_part *cold; /* where jumps to elsewhere are noted, or NULL */
    uint32_t *queue, *calls; /* offsets with FRAME_QUEUED, FRAME_PENDING */
    size_t queued, pending;
    struct frame_state away; /* joined states of all jumps through a table */
    bool has_away, has_frame, has_call;
    bool other_rbp; /* RBP is used for other values */
    bool lost;      /* met bytes that are no instruction */
    /* clears RBP without having saved it, or returns by iret: stacks begin here
     */
    bool outermost;
    bool interrupt; /* returns by iret */
    bool new_stack; /* moves RSP to another stack */
    bool ends;      /* may return, or jump to other code */
};

/* A part of (size) bytes without any state. -1 if there is no memory;
 * frame_part_fini() must follow in both cases. */
int frame_part_init(struct frame_part *p, size_t size);
void frame_part_fini(struct frame_part *p);

/* A function of (size) bytes at (code), which stays the caller's. -1 if there
 * is no memory; frame_flow_fini() must follow in both cases. */
int frame_flow_init(struct frame_flow *f, const uint8_t *code, size_t size);
void frame_flow_fini(struct frame_flow *f);

/* State (s) holds at offset (to), in the function or in its cold part. */
void frame_flow_to(struct frame_flow *f, uint64_t to,
                   const struct frame_state *s);

/* Pass on all states until none changes any more. */
void frame_flow_run(struct frame_flow *f);

/* After frame_flow_run(): the place of offset (at) of the function. */
enum code_place frame_flow_place(const struct frame_flow *f, size_t at);

/* After frame_flow_run(): the way out of the function from offset (at). */
struct code_exit frame_flow_exit(const struct frame_flow *f, size_t at);

#endif
