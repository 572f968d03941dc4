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
#ifndef TPROF_IMAGE_CODE_FRAME_PLACE_H
#define TPROF_IMAGE_CODE_FRAME_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct frame_places;

/*
 * A walk along the frame pointers finds the direct caller only from CODE_BODY.
 * At the other places the walk begins at the caller's frame and so skips the
 * caller, or it is not known where the walk begins.
 */
enum code_place {
    CODE_BODY,      /* the function's frame is set up */
    CODE_PROLOGUE,  /* before the frame is set up */
    CODE_EPILOGUE,  /* after it was taken down, up to the ret or tail jump */
    CODE_NO_FRAME,  /* the function never sets up a frame */
    CODE_IDLE,      /* CODE_BODY, behind hlt or mwait: the core slept */
    CODE_UNKNOWN,   /* no code, no function, or not understood */
    CODE_IDLE_BARE, /* behind hlt or mwait, but not in CODE_BODY */
};

/*
 * A classifier for (img), which must outlive it, with (slide) as given by
 * image_slide(). NULL if there is no memory.
 */
struct frame_places *frame_places_new(struct image *img, uint64_t slide);

/* Release (o). NULL is allowed. */
void frame_places_free(struct frame_places *o);

/* Is there any code to be read? If not, all places are CODE_UNKNOWN, those at
 * which a core sleeps, too. No if (o) is NULL. */
bool frame_places_known(const struct frame_places *o);

/*
 * The place of the interrupted instruction at run-time address (pc); not at
 * (pc) minus one.
 *
 * The first question about a function interprets the function, in time bounded
 * by its size; further questions are answered from memory.
 */
enum code_place frame_place_at(struct frame_places *o, uint64_t pc);

/* Is the instruction before run-time address (pc) a hlt? mwait, which may wait
 * with interrupts off, is none. False if the code is not at hand. */
bool frame_place_behind_hlt(const struct frame_places *o, uint64_t pc);

/*
 * The place of the call that returns to (pc). It matters since compilers of
 * other languages than C make no frame even in functions that call. If the call
 * is a function's last instruction, (pc) is in another function, and the place
 * is CODE_UNKNOWN. If no call is there (image/code/uncalled.h), the place is
 * that of (pc): an interrupt came before the function's first instruction.
 */
enum code_place frame_place_of_call(struct frame_places *o, uint64_t pc);

/* The return address of the only call, in the whole image, of the function at
 * (pc); 0 if there may be others. The first question reads the whole image. */
uint64_t frame_place_only_call(struct frame_places *o, uint64_t pc);

/* Does a call instruction of the image call the function at (pc)? The first
 * question reads the whole image. */
bool frame_place_is_called(struct frame_places *o, uint64_t pc);

/* How a whole function treats frame pointers. */
enum code_framing {
    CODE_FRAMED,  /* sets up a frame, or has no caller */
    CODE_LEAF,    /* sets up no frame, and calls nothing */
    CODE_BARE,    /* sets up no frame, and calls */
    CODE_CUTTING, /* likewise, and keeps other values in RBP */
    CODE_PART,    /* the cold part of another function */
    CODE_UNREAD,  /* no code, or not understood */
};

struct image_function;

/* How function (f) of the image treats frame pointers. If it sets up no frame,
 * (*told) is how many of its bytes have a direct caller that the words of the
 * stack or the code tell. Interprets the function each time. */
enum code_framing frame_place_framing(struct frame_places *o,
                                      const struct image_function *f,
                                      uint64_t *told);

/*
 * The way out of a function from a place in it: how many words were pushed
 * since the return address, and whether RBP has the value that the caller left
 * in it.
 */
struct code_exit {
    unsigned words; /* CODE_FAR: so many or more, or not known */
    bool rbp_kept;
    bool called; /* the instruction before is a call */
};

#define CODE_FAR 7u

/* The way out from run-time address (pc), as for frame_place_at(). */
struct code_exit frame_place_exit(struct frame_places *o, uint64_t pc);

/* All of these answers about one address. */
struct code_facts {
    enum code_place place;
    enum code_place call_place; /* frame_place_of_call() */
    struct code_exit exit;
    bool is_called;     /* frame_place_is_called() of the address before it */
    uint64_t only_call; /* frame_place_only_call() */
};

/*
 * What is known of (pc). What needs the whole image is left out where nobody
 * asks for it: (is_called) unless (call_place) is CODE_NO_FRAME, and
 * (only_call) if (place) is CODE_BODY.
 */
struct code_facts frame_place_facts(struct frame_places *o, uint64_t pc);

/* A classifier without an image, which knows what frame_places_learn() tells.
 * NULL if there is no memory. */
struct frame_places *frame_places_told(void);

/* Is frame_places_known() true of a classifier that is told? Not at first. */
void frame_places_set_known(struct frame_places *o, bool known);

/* The answers about (pc) are (facts). Returns 0; -1 if there is no memory. */
int frame_places_learn(struct frame_places *o, uint64_t pc,
                       const struct code_facts *facts);

/* Bytes that told answers take. */
size_t frame_places_bytes(const struct frame_places *o);

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
 * Is the direct caller of a function whose call is at (place) surely missing?
 * If the code is not understood, the answer is no: functions that call usually
 * have a frame.
 */
static inline bool frame_place_caller_missing(enum code_place place)
{
    return place == CODE_NO_FRAME || place == CODE_PROLOGUE ||
           place == CODE_EPILOGUE;
}

#endif
