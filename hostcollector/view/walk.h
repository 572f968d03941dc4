/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile's entry -> the functions that were active, with marks where
 * something is missing. */
#ifndef TPROF_VIEW_WALK_H
#define TPROF_VIEW_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_place.h"
#include "image/names/hidden_callers.h"
#include "image/names/image_map.h"
#include "model/profile.h"
#include "view/path.h"

struct code_frames;

struct walk {
    const struct profile *profile;
    const struct code_frames *frames;
    const struct image_map *image_map;
    bool leaf_only; /* callers are not asked for */

    /* Of the last entry, by walk_entry(): */
    struct path path;
    struct stack stack;
    struct image_address leaf;
    enum code_place place;        /* of the leaf */
    struct hidden_callers missed; /* between the leaf and the innermost frame */
    uint64_t hiding_call; /* innermost, in a function that hides its caller;
                             0: none */
    uint32_t entry;       /* counts entries, from 1 on */

    size_t step_room;
    uint32_t *last_seen; /* by function: the last entry that has it */
};

/* Make (w) walk the entries of (p), all of whose addresses have their names in
 * (frames). Returns 0; -1 if there is no memory. walk_fini() in either case. */
int walk_init(struct walk *w, const struct profile *p,
              const struct code_frames *frames,
              const struct image_map *image_map);
void walk_fini(struct walk *w);

/* Is (entry) what had no room in the profile? */
bool walk_is_others(const struct profile_entry *entry);

/* Lay (entry) out in (w). Returns 0; -1 if there is no memory. */
int walk_entry(struct walk *w, const struct profile_entry *entry);

/* What is known of the frame of the call that returns to (back). */
enum code_place walk_place_of_call(const struct walk *w, uint64_t back);

#endif
