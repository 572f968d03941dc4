/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain of callers, as the guest's frame walk found it. Leaf. */
#ifndef TPROF_MODEL_STACK_H
#define TPROF_MODEL_STACK_H

#include <stdint.h>

#include "tprof_wire.h"

/*
 * Stacks are known by number: equal stacks have equal numbers. STACK_UNKNOWN
 * is that of a sample whose stack was lost in transport, or for which there
 * was no memory. As a struct stack it has no frames and ends with
 * WIRE_END_REASONS.
 */
#define STACK_UNKNOWN 0u

struct stack {
    /* Return addresses at run time, innermost first; the leaf is not among
     * them. What is called lies before a return address. */
    const uint64_t *frames;
    uint32_t depth;    /* of frames, at most WIRE_STACK_FRAMES_MAX */
    uint8_t end;       /* enum wire_end; WIRE_END_REASONS: not known */
    uint8_t slot_mask; /* bit i: words[i] is there and lies in text */
    uint64_t words[WIRE_STACK_SLOTS]; /* at interrupted RSP + 8 x i, else 0 */
};

#endif
