/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of a core as two tables. A frame is a function at a line. A stack
 * is a frame below another stack. */
#ifndef TPROF_EXPORT_EXPORT_STACKS_H
#define TPROF_EXPORT_EXPORT_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "export/export_tracks.h"
#include "report/render.h"
#include "util/pair_map.h"

struct export_frame {
    uint32_t function, line;
    uint64_t address;
    uint32_t depth; /* depth of inlining; 0: the function that has the code */
};

struct export_stack {
    uint32_t prefix; /* the stack of its callers; EXPORT_NO_STACK: none */
    uint32_t frame;
};
#define EXPORT_NO_STACK UINT32_MAX

struct export_stacks {
    struct export_frame *frames;
    size_t frame_count, frame_room;
    struct export_stack *stacks;
    size_t stack_count, stack_room;
    uint32_t *entries; /* by entry: its stack, if it has samples */
    size_t *first;     /* by core: its first entry; NULL: there is one core */
    struct pair_map by_frame, by_stack;
};

/* Fill the tables with all paths of profile.cores[core] of (r). If there is no
 * memory, (to->no_memory) is set. Call export_stacks_fini() in either case. */
void export_stacks_init(struct export_stacks *s, struct render *to,
                        const struct report *r, size_t core);
void export_stacks_fini(struct export_stacks *s);

/* Fill the tables with all paths of (track), in the same way. */
void export_stacks_track(struct export_stacks *s, struct render *to,
                         const struct export_tracks *t, size_t track);

/* Returns the stack of the row (row). */
static inline uint32_t export_stacks_of(const struct export_stacks *s,
                                        const struct export_rows *row)
{
    return s->entries[(s->first != NULL ? s->first[row->at] : 0) + row->entry];
}

#endif
