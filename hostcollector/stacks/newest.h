/* SPDX-License-Identifier: BSD-2-Clause */
/* The newest sample of each core, as functions. */
#ifndef TPROF_STACKS_NEWEST_H
#define TPROF_STACKS_NEWEST_H

#include "model/profile.h"
#include "model/view.h"
#include "stacks/snapshot.h"
#include "util/arena.h"

struct image_map;

/* Returns true if the guest has reported that (core) of (p) does not sample. */
bool snapshot_is_off(const struct profile *p, const struct profile_core *core);

/*
 * Create a snapshot of the newest selected samples of (p). (v) is the view of
 * (p), made with (image_map). The last bytes of the guest came (quiet_s)
 * seconds ago. Cores whose newest sample is older than (wait_s) are marked as
 * late; 0: none. (kept) has registers of the cores; NULL: unknown.
 * The result is in (arena), and points into (v) and (kept).
 * Returns NULL if there is no memory.
 */
struct snapshot *snapshot_new(const struct profile *p, const struct view *v,
                              const struct image_map *image_map, double quiet_s,
                              double wait_s, const struct registers_kept *kept,
                              struct arena *arena);

#endif
