/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an interrupted instruction says about the stack below it, read from
 * the opcodes of its function: whether the frame pointer already (or still)
 * names this function's frame, and whether the CPU was idle.
 */
#ifndef TPROF_SYMBOLIZE_OPCODES_H
#define TPROF_SYMBOLIZE_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

struct image;
struct opcodes;

/*
 * Only in CODE_BODY does a walk along the frame pointers find the direct
 * caller. In all others the walk begins at the caller's frame and so skips the
 * caller itself, or nothing is known.
 */
enum code_place {
    CODE_BODY,      /* the function's frame is set up */
    CODE_PROLOGUE,  /* before the frame is set up */
    CODE_EPILOGUE,  /* after it was taken down, up to the ret or tail jump */
    CODE_NO_FRAME,  /* the function never sets up a frame */
    CODE_IDLE,      /* the instruction before is hlt or mwait: the core slept */
    CODE_UNKNOWN,   /* no code, no function, or not understood */
    CODE_IDLE_BARE, /* the core slept, and not in CODE_BODY */
};

/*
 * A classifier for (img), which must outlive it, with (slide) as given by
 * image_slide(). NULL if there is no memory.
 */
struct opcodes *opcodes_new(struct image *img, uint64_t slide);

/* Release (o). NULL is allowed. */
void opcodes_free(struct opcodes *o);

/*
 * Where the run-time address (pc) of an interrupted instruction lies. Give it
 * the address itself, not minus one.
 *
 * The first question about a function interprets it once; the answers are
 * remembered. Bounded by the function's size.
 */
enum code_place opcodes_place(struct opcodes *o, uint64_t pc);

/*
 * Where the call lies that returns to (pc). Compilers of other languages than
 * C leave frames out of functions that call, too. A call that ends its function
 * returns to another one: CODE_UNKNOWN.
 */
enum code_place opcodes_call_place(struct opcodes *o, uint64_t pc);

static inline bool opcodes_idle(enum code_place place)
{
    return place == CODE_IDLE || place == CODE_IDLE_BARE;
}

/* Is the direct caller of a sample at (place) uncertain? */
static inline bool opcodes_caller_uncertain(enum code_place place)
{
    return place != CODE_BODY && place != CODE_IDLE;
}

/*
 * Is the direct caller of a caller, whose call is at (place), surely missing?
 * Where the code is not understood it is taken for usual: it calls, so it has a
 * frame.
 */
static inline bool opcodes_caller_missing(enum code_place place)
{
    return place == CODE_NO_FRAME || place == CODE_PROLOGUE ||
           place == CODE_EPILOGUE;
}

#endif
