/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has called what a core runs that stands still: return addresses, by
 * unwind tables (cfi.h) and by what instructions say (code_rows.h).
 *
 * Only certain callers are told. Tables and instructions must agree where both
 * speak; the stack must rise; a return address must be in an image, behind a
 * call, the first byte of a function, or where an interrupt has pushed it.
 * Where one of these does not hold, the walk ends and says why.
 */
#ifndef TPROF_OUTSIDE_UNWIND_UNWINDER_H
#define TPROF_OUTSIDE_UNWIND_UNWINDER_H

#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/expression.h"

struct image;
struct unwinder;

enum unwind_mode {
    UNWIND_AUTO,   /* tables; where there are none, instructions */
    UNWIND_CODE,   /* instructions alone, for tests of these */
    UNWIND_TABLES, /* tables alone, with instructions as their judge */
};

/* Why a walk has ended. */
enum unwind_end {
    UNWIND_FULL,    /* there is no room for more */
    UNWIND_WHOLE,   /* nobody has called the last function */
    UNWIND_OUTSIDE, /* the last address is in no image; it is not told */
    UNWIND_UNTOLD,  /* neither tables nor code tell the last one's caller */
    UNWIND_UNREAD,  /* the stack could not be read */
    UNWIND_ODD,     /* what was found cannot be, or may be two things */
};

struct unwind_image {
    const struct image *image;
    uint64_t slide; /* image_slide() */
};

/*
 * An unwinder for code of the (count) images at (images), which must outlive
 * it. NULL if there is no memory.
 */
struct unwinder *unwinder_new(const struct unwind_image *images, size_t count);

/* Release (u). NULL is allowed. */
void unwinder_free(struct unwinder *u);

/*
 * The callers of a core with (general), its general registers by their numbers
 * in DWARF, at (pc): up to (room) return addresses, the innermost first, in
 * (out), and in (*end) why there are no more. Returns how many there are.
 *
 * The caller of an interrupt's entry is the code that was interrupted. Its
 * address is told plus one: of every address in (out), the byte before it is of
 * the instruction that matters. So is the address of a function that will be
 * returned to without having called: a thread ends in it, and so does the walk.
 * That is whole if no code calls the thread's first function.
 */
size_t unwind_callers(struct unwinder *u, enum unwind_mode mode,
                      const uint64_t general[CFI_PC], uint64_t pc,
                      const struct unwind_memory *memory, uint64_t *out,
                      size_t room, enum unwind_end *end);

/* One word for (end). */
const char *unwind_end_text(enum unwind_end end);

#endif
