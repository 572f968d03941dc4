/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a profile as paths, with the address and line of each step:
 * what files for other tools are written from. Paths are laid one by one, so
 * that they take no memory.
 */
#ifndef TPROF_VIEW_PATHS_H
#define TPROF_VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

struct view_memory;

/*
 * Lay out entry (entry) of cores[core] of (v)'s profile, which still must be
 * there, in (*path), which is valid until the next call. Entry (entry_count)
 * stands for profile_core.others.
 *
 * Returns false if there is no such entry, it has no samples, or there is no
 * memory.
 */
bool view_path_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *path);

/* The same without the callers of the leaf, for a tenth of the time: the steps
 * of (*path) are the function that was interrupted, what is inlined in it
 * there, and marks. */
bool view_leaf_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *path);

/* For view_new(): what view_path_of() needs. Returns 0; -1 if there is no
 * memory. */
int paths_init(struct view_memory *memory, const struct profile *p);
void paths_free(struct view_paths *paths);

#endif
