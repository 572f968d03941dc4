/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the callers of a stopped core: return addresses, by unwind tables
 * (cfi.h) and by instructions (code_rows.h).
 *
 * Only callers that are certain are returned. Tables and instructions must
 * agree if both are known. The stack must rise. A return address must be in an
 * image, and after a call, at the first byte of a function, or pushed by an
 * interrupt. If one of these conditions does not hold, the walk ends with a
 * reason.
 */
#ifndef TPROF_OUTSIDE_UNWIND_UNWINDER_H
#define TPROF_OUTSIDE_UNWIND_UNWINDER_H

#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/expression.h"

struct image;
struct unwinder;

enum unwind_mode {
    UNWIND_AUTO,   /* tables, or instructions if there are no tables */
    UNWIND_CODE,   /* instructions only; used by their tests */
    UNWIND_TABLES, /* tables only, checked by instructions */
};

/* Reasons for the end of a walk. */
enum unwind_end {
    UNWIND_FULL,    /* no room for more addresses */
    UNWIND_WHOLE,   /* the last function has no caller */
    UNWIND_OUTSIDE, /* the last address is in no image; it is not returned */
    UNWIND_UNTOLD,  /* neither tables nor code give the next caller */
    UNWIND_UNREAD,  /* the stack could not be read */
    UNWIND_ODD,     /* the result is impossible or ambiguous */
};

struct unwind_image {
    const struct image *image;
    uint64_t slide; /* run-time minus link-time addresses */
};

/*
 * Make an unwinder for the (count) images at (images), which must outlive the
 * result. NULL if there is no memory.
 */
struct unwinder *unwinder_new(const struct unwind_image *images, size_t count);

/* Release (u). NULL is allowed. */
void unwinder_free(struct unwinder *u);

/*
 * Find the callers of a core at (pc) whose general registers, by DWARF number,
 * are (general), as many as the CPU of the images has. Writes up to (room)
 * return addresses, innermost first, to (out), and the reason for the end to
 * (*end). Returns the number of addresses.
 *
 * The caller of an interrupt's entry is the interrupted code. Its address is
 * returned plus one, so that for each address in (out) the byte before the
 * address belongs to the relevant instruction. The same holds for a function
 * that did not call anything and to which the stack returns. Such a function is
 * the end of a thread and of the walk. The walk is whole if no code calls the
 * thread's first function.
 */
size_t unwind_callers(struct unwinder *u, enum unwind_mode mode,
                      const uint64_t *general, uint64_t pc,
                      const struct guest_memory *memory, uint64_t *out,
                      size_t room, enum unwind_end *end);

#endif
