/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an interrupted instruction says about the stack below it, read from the
 * instructions of its function: whether the frame pointer already (or still)
 * names this function's frame, and whether the CPU was idle.
 *
 * Why the code is interpreted (frame_flow.h), although call frame information
 * (CFI) says much the same: "CFA is rsp+16" is code_exit.words, "CFA is rbp+16"
 * is CODE_BODY. Kernels often have no CFI: Free Pascal writes none, assembly
 * has what its author wrote, many builds use -fno-asynchronous-unwind-tables;
 * and their stacks need help most. Where CFI exists it would be a second
 * mechanism beside the first. CFI does not tell hlt from other instructions,
 * and idle time must be told without symbols. So CFI is the judge instead:
 * unit.frame_place compares each instruction of code by gcc and clang with it,
 * more than 2,000 that have a frame in each build, and allows not one false
 * CODE_BODY. The price is 1,900 lines: code/ and symbolize/callers.c.
 */
#ifndef TPROF_CODE_FRAME_PLACE_H
#define TPROF_CODE_FRAME_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct image;
struct frame_places;

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
struct frame_places *frame_places_new(struct image *img, uint64_t slide);

/* Release (o). NULL is allowed. */
void frame_places_free(struct frame_places *o);

/*
 * Where the run-time address (pc) of an interrupted instruction lies. Give it
 * the address itself, not minus one.
 *
 * The first question about a function interprets it once; the answers are
 * remembered. Bounded by the function's size.
 */
enum code_place frame_place_at(struct frame_places *o, uint64_t pc);

/*
 * Where the call lies that returns to (pc). Compilers of other languages than
 * C leave frames out of functions that call, too. A call that ends its function
 * returns to another one: CODE_UNKNOWN.
 */
enum code_place frame_place_of_call(struct frame_places *o, uint64_t pc);

/* The return address of the only call, in the whole image, of the function at
 * (pc); 0 if there may be others. The first question reads the whole image. */
uint64_t frame_place_only_call(struct frame_places *o, uint64_t pc);

/* How a whole function treats frame pointers. */
enum code_framing {
    CODE_FRAMED,  /* it sets up a frame, or has no caller */
    CODE_LEAF,    /* it sets up none, and calls nobody */
    CODE_BARE,    /* it sets up none, and calls */
    CODE_CUTTING, /* likewise, and it has other things in RBP */
    CODE_PART,    /* it is the cold part of another function */
    CODE_UNREAD,  /* no code, or not understood */
};

struct image_function;

/* What function (f) of the classifier's image is, and in how many bytes (*told)
 * of it the stack's words or the code tell the direct caller all the same, if
 * it sets up no frame. Interprets it each time. */
enum code_framing frame_place_framing(struct frame_places *o,
                                      const struct image_function *f,
                                      uint64_t *told);

/*
 * The way out of a function, from somewhere in it: how many words lie on the
 * stack above its return address, and whether RBP is what it was when called.
 */
struct code_exit {
    unsigned words; /* CODE_FAR: not known, or as many or more */
    bool rbp_kept;
    bool called; /* the instruction before is a call */
};

#define CODE_FAR 7u

/* ... at the run-time address (pc), as frame_place_at() takes it. */
struct code_exit frame_place_exit(struct frame_places *o, uint64_t pc);

static inline bool frame_place_idle(enum code_place place)
{
    return place == CODE_IDLE || place == CODE_IDLE_BARE;
}

/* Is the direct caller of a sample at (place) uncertain? */
static inline bool frame_place_caller_uncertain(enum code_place place)
{
    return place != CODE_BODY && place != CODE_IDLE;
}

/*
 * Is the direct caller of a caller, whose call is at (place), surely missing?
 * Where the code is not understood it is taken for usual: it calls, so it has a
 * frame.
 */
static inline bool frame_place_caller_missing(enum code_place place)
{
    return place == CODE_NO_FRAME || place == CODE_PROLOGUE ||
           place == CODE_EPILOGUE;
}

#endif
