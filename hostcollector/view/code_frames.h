/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code addresses -> functions. Two passes: places_add() all addresses, then
 * places_finish(), which numbers the functions by name, then places_get().
 */
#ifndef TPROF_VIEW_CODE_FRAMES_H
#define TPROF_VIEW_CODE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct image_map;
struct places;

/* One function that is active at an address; several where it is inlined. */
struct place_frame {
    uint32_t function; /* from VIEW_MARKS on */
    uint32_t line;     /* for places_charge() */
    bool inlined;      /* into the next frame */
};

/* More functions than this are never inlined into each other by intent. */
#define PLACE_FRAMES_MAX 30u

/* Innermost frame first; 1 to PLACE_FRAMES_MAX. Lives as long as the places. */
struct place {
    const struct place_frame *frames;
    size_t count;
};

/* Names come from the images of (image_map), which must outlive the places;
 * where there are none, addresses are names. Returns NULL if there is no
 * memory. */
struct places *places_new(const struct image_map *image_map);

/* Release (p) and all functions that it handed out. NULL is allowed. */
void places_free(struct places *p);

/* Learn about (pc); for a return address give it minus one. Returns 0; -1 if
 * there is no memory. */
int places_add(struct places *p, uint64_t pc);

/* Number the functions: those of equal time sort by name. Returns 0; -1 if
 * there is no memory. */
int places_finish(struct places *p);

/* What is at (pc), which was added before. */
struct place places_get(const struct places *p, uint64_t pc);

/* Samples of (time) in all were at this line: there itself, if (self), or in
 * what it called. */
void places_charge(struct places *p, uint32_t line, double time, bool self);

/* (late) more TSC ticks of lateness in (function). */
void places_late(struct places *p, uint32_t function, double late);

/* All functions, marks first, each with the line that was charged most. */
const struct view_function *places_functions(struct places *p, size_t *count);

#endif
