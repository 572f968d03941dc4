/* SPDX-License-Identifier: BSD-2-Clause */
/* What the CPU pushes when it interrupts code (Intel SDM 3A, 6.14.2). */
#ifndef TPROF_OUTSIDE_UNWIND_IRET_FRAME_H
#define TPROF_OUTSIDE_UNWIND_IRET_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "outside/unwind/expression.h"

/* Where the code that was interrupted goes on. */
struct iret_frame {
    uint64_t pc, rsp;
};

/* Words that an entry may have pushed below the frame before it does anything
 * else: an error code, and the vector's number. */
#define IRET_FRAME_BELOW 2u

/* The same with all general registers and some words more, where it is not
 * known how many of them. */
#define IRET_FRAME_BELOW_MAX 24u

/* Bytes that the frame and IRET_FRAME_BELOW words take. */
#define IRET_FRAME_SPAN 56u

/*
 * Find the frame at (address) in (memory), or up to (below) words above.
 * (is_code) tells, with (context), whether there is code at an address. False:
 * no words there can be a frame, or more than one can.
 */
bool iret_frame_find(const struct unwind_memory *memory, uint64_t address,
                     unsigned below,
                     bool (*is_code)(const void *context, uint64_t pc),
                     const void *context, struct iret_frame *out);

#endif
