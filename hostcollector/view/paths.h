/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a profile as paths, with the address and line of each step.
 * Files for other tools are written from these paths. Paths are made one by
 * one, so they take no memory.
 */
#ifndef TPROF_VIEW_PATHS_H
#define TPROF_VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

struct view_memory;

/*
 * Write the path of entry (entry) of cores[core] of (v)'s profile to (*path).
 * The profile must still exist; (*path) is valid until the next call. Entry
 * number (entry_count) stands for profile_core.others.
 *
 * Returns false if there is no such entry, if the entry has no samples, or if
 * there is no memory.
 */
bool view_path_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *path);

/*
 * Do the same without the callers of the leaf, in a tenth of the time. The
 * steps of (*path) are the interrupted function, the functions inlined there,
 * and marks.
 */
bool view_leaf_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *path);

/* Prepare view_path_of(); for view_new() alone. Returns 0; -1 if there is no
 * memory. */
int paths_init(struct view_memory *memory, const struct profile *p);
void paths_free(struct view_paths *paths);

#endif
