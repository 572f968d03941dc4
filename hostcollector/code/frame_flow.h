/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interprets one function over what matters for its frame: how deep the stack
 * is, where the caller's RBP was saved, and what RBP holds. States flow along
 * jumps and are joined where paths meet, until nothing changes. Pure; takes
 * time and memory in proportion to the function's size.
 */
#ifndef TPROF_CODE_FRAME_FLOW_H
#define TPROF_CODE_FRAME_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/frame_place.h"

enum frame_rbp {
    RBP_CALLER, /* still or again the caller's frame */
    RBP_FRAME,  /* our own */
    RBP_OTHER,  /* something else, or not the same on all ways */
};

/* What is true before an instruction, on all ways that lead to it. */
struct frame_state {
    int32_t depth; /* bytes pushed since entry, or FRAME_DEPTH_UNKNOWN */
    int32_t saved; /* the depth at which the caller's RBP was pushed, or 0 */
    enum frame_rbp rbp;
    bool done; /* a frame was taken down on every way here */
};

#define FRAME_DEPTH_UNKNOWN INT32_MIN

/* About the instruction at an offset. */
enum frame_flag {
    FRAME_REACHED = 1,  /* it has a state */
    FRAME_QUEUED = 2,   /* the state is to be passed on */
    FRAME_PENDING = 4,  /* a call that may yet turn out to return */
    FRAME_RETURNED = 8, /* reached by the return of the call before it */
    FRAME_IDLE = 16,    /* follows hlt or mwait */
    FRAME_CALLED = 32,  /* follows a call */
};

/* States by offset, from (from) on, which is relative to some function. */
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
    uint32_t *queue, *calls; /* offsets that are QUEUED, and PENDING */
    size_t queued, pending;
    struct frame_state away; /* joined at the jumps through a table */
    bool has_away, has_frame;
    bool has_call, other_rbp, lost; /* calls; RBP was used; met no code */
    bool outermost; /* clears RBP and has not saved it: stacks begin here */
};

/* All unknown, for (size) bytes. -1 if there is no memory; then fini, too. */
int frame_part_init(struct frame_part *p, size_t size);
void frame_part_fini(struct frame_part *p);

/* A function of (size) bytes at (code), which stays the caller's. Likewise. */
int frame_flow_init(struct frame_flow *f, const uint8_t *code, size_t size);
void frame_flow_fini(struct frame_flow *f);

/* State (s) holds at offset (to), in the function or in its cold part. */
void frame_flow_to(struct frame_flow *f, uint64_t to,
                   const struct frame_state *s);

/* Pass on all states until none changes any more. */
void frame_flow_run(struct frame_flow *f);

/* What that says about offset (at) of the function. */
enum code_place frame_flow_place(const struct frame_flow *f, size_t at);

/* ... about the way out of it. */
struct code_exit frame_flow_exit(const struct frame_flow *f, size_t at);

#endif
