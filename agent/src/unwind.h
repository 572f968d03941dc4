/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame chain: who called whom, from RBP upwards.
 *
 * Memory is looked at only inside the ranges that the kernel calls readable,
 * and each frame must lie above the one before. That is checked before the
 * read, so a wild RBP costs frames and nothing else.
 *
 * Two walks over the same chain. tprof_unwind_hash() only names it: most
 * stacks were seen before, and then nothing else is needed.
 * tprof_unwind_frames() also checks that each return address lies in text, and
 * stores them. A chain with all its addresses in text has the same name in
 * both; only such names enter the dictionary (stacks.h).
 */
#ifndef TPROF_UNWIND_H
#define TPROF_UNWIND_H

#include <stdint.h>

#include "tprof/tprof.h"
#include "tprof_wire.h"

struct tprof_bounds {
    uint64_t text_start, text_size;
    struct tprof_range readable[TPROF_RANGES]; /* ascending; unused: size 0 */
};

/* A chain with its addresses. */
struct tprof_chain {
    uint32_t end;   /* enum wire_end: why it is no longer */
    uint32_t count; /* frames */
    uint32_t slots; /* mask of the words that are in text */
    uint64_t word[WIRE_STACK_SLOTS];
    uint64_t frame[WIRE_STACK_FRAMES_MAX]; /* return addresses, inner first */
};

/* The name of the chain at (rsp), (rbp), at most (depth) frames, under (seed).*/
uint64_t tprof_unwind_hash(const struct tprof_bounds *b, uint64_t rsp,
                           uint64_t rbp, uint32_t depth, uint64_t seed);

/* Stores the chain as far as it is sound, and returns its name. */
uint64_t tprof_unwind_frames(const struct tprof_bounds *b, uint64_t rsp,
                             uint64_t rbp, uint32_t depth, uint64_t seed,
                             struct tprof_chain *chain);

#endif
