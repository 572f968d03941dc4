/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame that the CPU pushes when it interrupts code (Intel SDM 3A,
 * 6.14.2). */
#ifndef TPROF_UTIL_CPU_X86_64_IRET_FRAME_H
#define TPROF_UTIL_CPU_X86_64_IRET_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "util/cpu/cpu.h"

/* Words that an interrupt's entry may have pushed below the frame before any
 * other work: an error code, and the vector's number. */
#define IRET_FRAME_BELOW 2u

/* Limit of the words below the frame if the entry has pushed registers and
 * their number is not known. */
#define IRET_FRAME_BELOW_MAX 24u

/* Size in bytes of the frame with IRET_FRAME_BELOW words. */
#define IRET_FRAME_SPAN 56u

/*
 * Find the frame at (address) in (memory), or up to (below) words above.
 * (is_code), called with (context), tells whether code is at an address.
 * Returns false if no words there look like a frame, or if several do.
 */
bool iret_frame_find(const struct guest_memory *memory, uint64_t address,
                     unsigned below,
                     bool (*is_code)(const void *context, uint64_t pc),
                     const void *context, struct cpu_interrupted *out);

#endif
