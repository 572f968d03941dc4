/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code addresses -> functions, in three steps: code_frames_add() for all
 * addresses; code_frames_finish(), which numbers the functions by name;
 * code_frames_get().
 */
#ifndef TPROF_VIEW_CODE_FRAMES_H
#define TPROF_VIEW_CODE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct image_map;
struct code_frames;

/* A function that is active at an address. An address has several if functions
 * are inlined there. */
struct code_frame {
    uint32_t function; /* from VIEW_MARKS on, or VIEW_OTHERS */
    uint32_t line;     /* for code_frames_charge(); not of VIEW_OTHERS */
    bool inlined;      /* into the next frame */
};

/* More functions than this are never inlined into each other by intent. */
#define CODE_FRAMES_MAX 30u

/* Innermost frame first; 1 to CODE_FRAMES_MAX. Lives as long as the
 * code_frames. */
struct frames_at {
    const struct code_frame *frames;
    size_t count;
};

/*
 * Names come from the images of (image_map), which must outlive the result;
 * where there are none, addresses are names. Of more than (most) addresses
 * those with the least time are all VIEW_OTHERS. So are some if names take more
 * than (bytes). Returns NULL if there is no memory.
 */
struct code_frames *code_frames_new(const struct image_map *image_map,
                                    size_t most, size_t bytes);

/* Release (p) and the functions that code_frames_functions() returned. NULL is
 * allowed. */
void code_frames_free(struct code_frames *p);

/* Add (time) to that of (pc). Returns 0; -1 if there is no memory. */
int code_frames_add(struct code_frames *p, uint64_t pc, double time);

/* Add (time) to that of the call that returns to (back): to that of the address
 * before. Returns likewise. */
int code_frames_add_call(struct code_frames *p, uint64_t back, double time);

/* How many addresses have names of their own, and how many have not. */
size_t code_frames_count(const struct code_frames *p);
uint64_t code_frames_folded(const struct code_frames *p);

/* Bytes that an address takes at most, usual names included. */
#define CODE_FRAMES_BYTES 1280u

/* Number the functions by name, so that functions of equal time sort by name.
 * Returns 0; -1 if there is no memory. */
int code_frames_finish(struct code_frames *p);

/* How many functions there are then, marks included. */
size_t code_frames_function_count(const struct code_frames *p);

/* What is at (pc), which was added before. */
struct frames_at code_frames_get(const struct code_frames *p, uint64_t pc);

/* File and number of (line); NULL and 0 are unknown. */
void code_frames_line(const struct code_frames *p, uint32_t line,
                      const char **file, uint32_t *number);

/* Charge (time) of samples to (line): they were at the line itself if (self),
 * else in functions called from it. */
void code_frames_charge(struct code_frames *p, uint32_t line, double time,
                        bool self);

/* Of what was charged to (line) itself, (time) was busy; (time_sq): the sum of
 * the squares of its samples. */
void code_frames_busy(struct code_frames *p, uint32_t line, double time,
                      double time_sq);

/* All lines that were charged; they live as long as (p). */
const struct view_line *code_frames_lines(const struct code_frames *p,
                                          size_t *count);

/* (samples) lack a caller above (function). */
void code_frames_hide(struct code_frames *p, uint32_t function,
                      uint64_t samples);

/* All functions, marks first. Each has the line that was charged the most. */
const struct view_function *code_frames_functions(struct code_frames *p,
                                                  size_t *count);

#endif
