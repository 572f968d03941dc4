/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks an entry of a profile: lists the functions that were active, with marks
 * where callers are missing. */
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
struct displaced;

struct walk {
    const struct profile *profile;
    const struct code_frames *frames;
    const struct image_map *image_map;
    bool leaf_only;                    /* callers are not needed */
    const struct displaced *displaced; /* NULL: no function is displaced */

    /* Results of the last walk_entry(): */
    struct path path;
    struct stack stack;
    struct image_address leaf;
    enum code_place place;        /* of the leaf, before it was moved */
    struct hidden_callers missed; /* between the leaf and the innermost frame */
    /* The innermost call that is in a function which hides its caller; 0:
     * none. */
    uint64_t hiding_call;
    uint32_t entry; /* counts entries from 1 */

    size_t step_room;
    uint32_t *last_seen; /* by function: the last entry that has it */
};

/* Prepare (w) for the entries of (p). (frames) has all their addresses.
 * (displaced) may be NULL, and must outlive (w). Returns
 * 0; -1 if there is no memory. Call walk_fini() in either case. */
int walk_init(struct walk *w, const struct profile *p,
              const struct code_frames *frames,
              const struct image_map *image_map,
              const struct displaced *displaced);
void walk_fini(struct walk *w);

/* Is (entry) the sum of the entries that had no room in the profile? */
bool walk_is_others(const struct profile_entry *entry);

/* Write the path of (entry) to (w). Returns 0; -1 if there is no memory. */
int walk_entry(struct walk *w, const struct profile_entry *entry);

/* Write the path of the calls of stack (number) to (w). The innermost call is
 * its leaf. Returns 0; -1 if there is no memory. */
int walk_calls(struct walk *w, uint32_t number);

/* Returns the place of the call that returns to (back). The place shows whether
 * the call's function has a frame there. */
enum code_place walk_place_of_call(const struct walk *w, uint64_t back);

#endif
