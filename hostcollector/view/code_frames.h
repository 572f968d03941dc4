/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code addresses -> functions, in three steps: add all addresses with
 * code_frames_add(), number the functions by name with code_frames_finish(),
 * then look each address up with code_frames_get().
 */
#ifndef TPROF_VIEW_CODE_FRAMES_H
#define TPROF_VIEW_CODE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/names/hidden_callers.h"
#include "model/view.h"

struct image_map;
struct code_frames;

/* A function that is active at an address. An address has several functions if
 * some are inlined there. */
struct code_frame {
    uint32_t function; /* from VIEW_MARKS on, or VIEW_OTHERS */
    uint32_t line;     /* line number for code_frames_charge(); not set for
                        * VIEW_OTHERS */
    bool inlined;      /* into the next frame */
};

/* Maximum number of frames of one address: the function, and the functions that
 * are inlined there. */
#define CODE_FRAMES_MAX 30u

/* The frames of one address, innermost first: 1 to CODE_FRAMES_MAX. They live
 * as long as the code_frames. */
struct frames_at {
    const struct code_frame *frames;
    size_t count;
    /* for a call, if code_frames_missed() was called; else NULL */
    const struct hidden_callers *missed;
};

/*
 * Names come from the images of (image_map), which must outlive the result.
 * Without images, addresses are names. At most (most) addresses keep a
 * function. The number is smaller if the functions take more than (bytes). The
 * addresses with the least time become VIEW_OTHERS. Returns NULL if there is no
 * memory.
 */
struct code_frames *code_frames_new(const struct image_map *image_map,
                                    size_t most, size_t bytes);

/* Release (p), and the functions that code_frames_functions() returned. NULL is
 * allowed. */
void code_frames_free(struct code_frames *p);

/* Add (time) to the time of address (pc). Returns 0; -1 if there is no
 * memory. */
int code_frames_add(struct code_frames *p, uint64_t pc, double time);

/* Add (time) to the time of the call that returns to (back). The call's address
 * is just before (back). Returns 0; -1 if there is no memory. */
int code_frames_add_call(struct code_frames *p, uint64_t back, double time);

/* Return hidden_callers_of_frame() of return address (back), and keep the
 * result with the address. */
struct hidden_callers code_frames_missed(struct code_frames *p, uint64_t back);

/* code_frames_count() is the number of addresses that have a function of their
 * own. code_frames_all() is about the number of all addresses.
 * code_frames_folded() counts how often an address became VIEW_OTHERS. */
size_t code_frames_count(const struct code_frames *p);
size_t code_frames_all(const struct code_frames *p);
uint64_t code_frames_folded(const struct code_frames *p);

/* Most bytes that an address takes, without its name. */
#define CODE_FRAMES_BYTES 256u

/* Returns the bytes that (p) takes, including the names that its images
 * remember. */
uint64_t code_frames_bytes(const struct code_frames *p);

/* Number the functions by name, so that functions of equal time sort by name.
 * Returns 0; -1 if there is no memory. */
int code_frames_finish(struct code_frames *p);

/* Number of functions after code_frames_finish(), marks included. */
size_t code_frames_function_count(const struct code_frames *p);

/* Frames of (pc), which must have been added before. */
struct frames_at code_frames_get(const struct code_frames *p, uint64_t pc);

/* Fill (file) and (number) for (line). NULL and 0 mean unknown. */
void code_frames_line(const struct code_frames *p, uint32_t line,
                      const char **file, uint32_t *number);

/* Charge (time) of samples to (line). With (self) the samples hit the line
 * itself, else they hit functions called from the line. */
void code_frames_charge(struct code_frames *p, uint32_t line, double time,
                        bool self);

/* Count a part, (time), of the time charged to (line) itself as busy. (time_sq)
 * is the sum of the squares of the samples' times. */
void code_frames_busy(struct code_frames *p, uint32_t line, double time,
                      double time_sq);

/* All lines that were charged. They live as long as (p). */
const struct view_line *code_frames_lines(const struct code_frames *p,
                                          size_t *count);

/* Function number (function), to which the caller adds samples. */
struct view_function *code_frames_function(struct code_frames *p,
                                           uint32_t function);

/* All functions, marks first. Each has its hottest line. */
const struct view_function *code_frames_functions(struct code_frames *p,
                                                  size_t *count);

#endif
