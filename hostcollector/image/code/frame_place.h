/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classifies an interrupted instruction by the code of its function. Does the
 * frame pointer already (or still) point to this function's frame? Was the CPU
 * idle?
 *
 * The code is interpreted (frame_flow.h), although call frame information (CFI)
 * has much the same facts: "CFA is SP+16" is code_exit.words, "CFA is FP+16" is
 * CODE_BODY. Many kernels have no CFI: Free Pascal writes none, assembly has
 * only the CFI that its author wrote, and many builds use
 * -fno-asynchronous-unwind-tables. The stacks of these kernels need help most.
 * For other kernels CFI would be a second mechanism beside the first. CFI also
 * does not mark instructions that sleep, and idle time must be found without
 * symbols.
 *
 * CFI is used as a test instead: unit.frame_place compares each instruction of
 * code by gcc and clang with its CFI. In each build more than 2,000 of these
 * instructions have a frame, and not one false CODE_BODY is allowed. The price
 * is 1,900 lines: code/ and names/hidden_callers.c.
 */
#ifndef TPROF_IMAGE_CODE_FRAME_PLACE_H
#define TPROF_IMAGE_CODE_FRAME_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/holdup.h"

struct image;
struct frame_places;

/*
 * Position of an instruction relative to its function's frame. A walk along the
 * frame pointers finds the direct caller only from CODE_BODY and CODE_IDLE. At
 * other places the walk begins at the caller's frame and skips the caller, or
 * the beginning of the walk is unknown.
 */
enum code_place {
    CODE_BODY,     /* the function's frame is set up */
    CODE_PROLOGUE, /* before the frame is set up */
    /* after the frame was removed, up to the return or tail jump */
    CODE_EPILOGUE,
    CODE_NO_FRAME,  /* the function never sets up a frame */
    CODE_IDLE,      /* CODE_BODY, after an instruction that sleeps */
    CODE_UNKNOWN,   /* no code, no function, or not understood */
    CODE_IDLE_BARE, /* after one that sleeps, but not in CODE_BODY */
};

/* Create a classifier for (img). The image must outlive the classifier. (slide)
 * is the result of image_slide(). Returns NULL if there is no memory. */
struct frame_places *frame_places_new(struct image *img, uint64_t slide);

/* Release (o). NULL is allowed. */
void frame_places_free(struct frame_places *o);

/* Is there any code to read? If not, every place is CODE_UNKNOWN, even where a
 * core sleeps. Returns false if (o) is NULL. */
bool frame_places_known(const struct frame_places *o);

/*
 * The place of the interrupted instruction at run-time address (pc). Do not
 * pass (pc) minus one.
 *
 * The first call for a function interprets the function, in time bounded by its
 * size. Later calls for the function return remembered answers.
 */
enum code_place frame_place_at(struct frame_places *o, uint64_t pc);

/* Does the instruction before run-time address (pc) sleep until an interrupt is
 * handled? An instruction that can wait with interrupts off does not count.
 * Returns false if the code is
 * missing. */
bool frame_place_behind_halt(const struct frame_places *o, uint64_t pc);

/*
 * Returns the place of the call that returns to (pc). Compilers of other
 * languages than C make no frame even in functions that call, so the place of a
 * call is not always CODE_BODY.
 *
 * If the call is a function's last instruction, (pc) is in another function,
 * and the place is CODE_UNKNOWN. If there is no call before (pc)
 * (image/code/uncalled.h), (pc) is a function's first instruction at which an
 * interrupt came, and the result is the place of (pc) itself.
 */
enum code_place frame_place_of_call(struct frame_places *o, uint64_t pc);

/* The return address of the only call to the function at (pc) in the whole
 * image. Returns 0 if there may be other calls. The first call reads the whole
 * image. */
uint64_t frame_place_only_call(struct frame_places *o, uint64_t pc);

/* Does a call instruction of the image call the function at (pc)? The first
 * call reads the whole image. */
bool frame_place_is_called(struct frame_places *o, uint64_t pc);

/* Use of the frame pointer in a whole function. */
enum code_framing {
    CODE_FRAMED,  /* sets up a frame, or has no caller */
    CODE_LEAF,    /* sets up no frame, and calls nothing */
    CODE_BARE,    /* sets up no frame, and calls others */
    CODE_CUTTING, /* as CODE_BARE, and keeps other values in FP */
    CODE_PART,    /* the cold part of another function */
    CODE_UNREAD,  /* no code, or not understood */
};

struct image_function;

/*
 * Classify the use of the frame pointer in function (f) of the image. If (f)
 * sets up no frame, stores in (*told) the number of bytes of (f) whose direct
 * caller the words of the stack or the code reveal. Interprets (f) at each
 * call.
 */
enum code_framing frame_place_framing(struct frame_places *o,
                                      const struct image_function *f,
                                      uint64_t *told);

/* The way out of a function from a place in the function: the number of words
 * pushed since the return address, and whether FP still has the caller's
 * value. */
struct code_exit {
    unsigned words; /* CODE_FAR: CODE_FAR words or more, or unknown */
    bool fp_kept;
    bool called; /* the instruction before is a call */
};

#define CODE_FAR 7u

/* The way out from run-time address (pc), as for frame_place_at(). */
struct code_exit frame_place_exit(struct frame_places *o, uint64_t pc);

/* Returns the instruction before run-time address (pc), if this instruction is
 * the reason why samples are at (pc). */
enum code_holdup frame_place_holdup(struct frame_places *o, uint64_t pc);

/* Is run-time address (pc) the first instruction of a function, and do jumps
 * lead there? If (pc) is a label without a size, the answer is yes unless a
 * call instruction calls (pc). */
bool frame_place_loops(struct frame_places *o, uint64_t pc);

/* The answers of all functions above, for one address. */
struct code_facts {
    enum code_place place;
    enum code_place call_place; /* frame_place_of_call() */
    struct code_exit exit;
    bool is_called;          /* frame_place_is_called(), for (pc) minus one */
    uint64_t only_call;      /* frame_place_only_call() */
    enum code_holdup holdup; /* frame_place_holdup(), or HOLDUP_JUMP */
};

/* Returns all known facts about (pc). Two facts need the whole image, and are
 * left out where they are useless: (is_called) if (call_place) is not
 * CODE_NO_FRAME, (only_call) if (place) is CODE_BODY. */
struct code_facts frame_place_facts(struct frame_places *o, uint64_t pc);

/* Create a classifier without an image. It knows only the facts that
 * frame_places_learn() adds. Returns NULL if there is no memory. */
struct frame_places *frame_places_told(void);

/* Set the result of frame_places_known() for a classifier without an image. It
 * is false at first. */
void frame_places_set_known(struct frame_places *o, bool known);

/*
 * Add (facts) as the answers about (pc).
 *
 * Returns:
 * - 0
 * - -1 if there is no memory
 */
int frame_places_learn(struct frame_places *o, uint64_t pc,
                       const struct code_facts *facts);

/* Memory of the answers that frame_places_learn() added, in bytes. */
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

/* Is the direct caller surely missing if a function's call is at (place)?
 * Returns false if the code is not understood, because functions that call
 * usually have a frame. */
static inline bool frame_place_caller_missing(enum code_place place)
{
    return place == CODE_NO_FRAME || place == CODE_PROLOGUE ||
           place == CODE_EPILOGUE;
}

#endif
