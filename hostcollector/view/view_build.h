/* SPDX-License-Identifier: BSD-2-Clause */
/* Profile + symbols -> view: finds the functions of all addresses, and adds all
 * samples to tables and trees. Joins aggregate and symbolize. */
#ifndef TPROF_VIEW_VIEW_BUILD_H
#define TPROF_VIEW_VIEW_BUILD_H

#include "model/profile.h"
#include "model/view.h"
#include <stdbool.h>
#include <stddef.h>

struct image_map;

/* Default memory limit of view_new(), and the least limit. */
#define VIEW_MEMORY     (1ull << 29)
#define VIEW_MEMORY_MIN (1ull << 18)

/*
 * Make the view of (p) in (memory) bytes. 0 stands for VIEW_MEMORY; smaller
 * values than VIEW_MEMORY_MIN stand for VIEW_MEMORY_MIN. Where memory is full,
 * the smallest rows and branches are folded into VIEW_OTHERS.
 *
 * The readers of (image_map), which must outlive the view, name and classify
 * addresses. In an image without readers, addresses are names. Returns NULL if
 * there is no memory.
 */
struct view *view_new(const struct profile *p,
                      const struct image_map *image_map, uint64_t memory);

/* Release (v). NULL is allowed. */
void view_free(struct view *v);

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
 * Like view_path_of(), without the callers of the leaf, in a tenth of the time.
 * The steps of (*path) are the interrupted function, the functions inlined
 * there, and marks.
 */
bool view_leaf_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *path);

/* Returns the thread of entry (entry) of cores[core]: its number in the
 * profile; 0: not known. */
uint32_t view_thread_of(const struct view *v, size_t core, size_t entry);

/* Returns 1 + the kind of requests of entry (entry) of cores[core]; 0: none. */
uint32_t view_request_of(const struct view *v, size_t core, size_t entry);

#endif
