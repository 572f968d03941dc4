/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain of callers, as the guest's frame walk found it. Leaf. */
#ifndef TPROF_MODEL_STACK_H
#define TPROF_MODEL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof_wire.h"

/*
 * Numbers of stacks: equal stacks have equal numbers, different stacks
 * different numbers. STACK_UNKNOWN stands for a stack that was lost in
 * transport, STACK_OTHERS for all stacks that exceeded the memory. Both have no
 * frames and end with WIRE_END_REASONS.
 */
#define STACK_UNKNOWN 0u
#define STACK_OTHERS  UINT32_MAX

struct stack {
    /* Return addresses at run time, innermost first, without the leaf. The
     * call instruction lies before a return address. */
    const uint64_t *frames;
    uint32_t depth;    /* number of frames, at most WIRE_STACK_FRAMES_MAX */
    uint8_t end;       /* enum wire_end; WIRE_END_REASONS: not known */
    uint8_t slot_mask; /* bit i: words[i] was read and lies in text */
    /* 1 + the kind of the thread's request; for slow requests (struct slow_set)
     * that + WIRE_REQUEST_KINDS; 0: none */
    uint8_t request;
    uint64_t words[WIRE_STACK_SLOTS]; /* at interrupted SP + 8 x i; 0 if not in
                                       * (slot_mask) */
    /* SP of one sample whose stack lies outside readable memory, so that it
     * has neither frames nor words. 0: inside readable memory, or not sent. */
    uint64_t sp;
    /* The leaf lies in a loaded image, not in the kernel's. */
    bool loaded;
    /* The generation of images (WIRE.md 8) in which the stack was defined.
     * GENERATION_NONE: not known; taken for the newest. 0 in a finished
     * profile. */
    uint32_t generation;
    uint32_t thread; /* number in profile.threads, from 1 on; 0: not known */
};

#endif
