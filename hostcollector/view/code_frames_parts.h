/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct code_frames, for the files that fill it. */
#ifndef TPROF_VIEW_CODE_FRAMES_PARTS_H
#define TPROF_VIEW_CODE_FRAMES_PARTS_H

#include "profile/aggregate/distinct.h"
#include "util/arena.h"
#include "util/pair_map.h"
#include "view/code_frames.h"
#include "view/smallest_first.h"

/* The frames of one address: (count) frames from frames[first] on. */
struct frame_span {
    size_t first, count;
};

struct code_address {
    uint64_t pc;
    double time;
    bool call;       /* (pc) is a return address; the call is before it */
    uint32_t missed; /* MISSED_KEPT + index in (missed), or less */
};

/* Values of frame_span.missed. Nearly all calls have no hidden callers. */
enum { MISSED_UNKNOWN, MISSED_NONE, MISSED_KEPT };

struct code_frames {
    const struct image_map *image_map;
    struct view_function *functions;
    size_t function_count, function_room;
    struct view_line *lines;
    size_t line_count, line_room;
    struct code_frame *frames;
    size_t frame_count, frame_room;
    struct frame_span *spans; /* one for each of pcs */
    struct code_address *pcs;
    size_t span_count, span_room, pc_room;
    struct hidden_callers *missed;
    size_t missed_count, missed_room;
    size_t most;  /* limit of addresses */
    size_t bytes; /* limit for names */
    uint64_t folded;
    struct distinct *seen; /* addresses; NULL: none was folded */
    struct smallest_first fold;
    struct pair_map by_pc;       /* (pc, 0) -> span */
    struct pair_map by_identity; /* (name, hash of the file) -> function */
    struct pair_map by_line;     /* (function and number, file) -> line */
    struct arena arena;          /* names that no symbolizer owns */
};

/* code_addresses.c: if (p->seen) is not NULL, count all addresses in
 * (p->seen). */
void code_frames_note(struct code_frames *p);

/* code_addresses.c: keep (most) addresses: the addresses with the most time, at
 * equal time the first. Returns 0; -1 if there is no memory. */
int code_frames_fold(struct code_frames *p, size_t most);

/* code_addresses.c: the hidden callers of (at); NULL: unknown. */
const struct hidden_callers *
code_frames_missed_of(const struct code_frames *p,
                      const struct code_address *at);

#endif
