/* SPDX-License-Identifier: BSD-2-Clause */
/* The newest sample of each core, as functions. */
#ifndef TPROF_STACKS_NEWEST_H
#define TPROF_STACKS_NEWEST_H

#include "model/profile.h"
#include "model/view.h"
#include "stacks/snapshot.h"
#include "util/arena.h"

struct image_map;

/* Does (core) of (p) not sample, by what the guest has told of its cores? No if
 * it has told nothing as yet. */
bool snapshot_is_off(const struct profile *p, const struct profile_core *core);

/*
 * What the newest selected samples of (p) say; (v) is the view of (p) and was
 * made with (image_map). The last bytes of the guest came (quiet_s) ago. Of
 * cores whose newest sample is older than (wait_s) that is told; 0: of none.
 * (kept) are registers of its cores; NULL: they are not known.
 *
 * The result is in (arena), and points into (v) and (kept). NULL if there is no
 * memory.
 */
struct snapshot *snapshot_new(const struct profile *p, const struct view *v,
                              const struct image_map *image_map, double quiet_s,
                              double wait_s, const struct registers_kept *kept,
                              struct arena *arena);

#endif
