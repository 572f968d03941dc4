/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile + symbols -> view: addresses get their functions, and samples are
 * added to tables and trees. Joins aggregate and symbolize.
 */
#ifndef TPROF_VIEW_VIEW_H
#define TPROF_VIEW_VIEW_H

#include "model/profile.h"
#include "model/view.h"

struct image_map;

/* What view_new() may take where nothing else was said. */
#define VIEW_MEMORY     (1ull << 29)
#define VIEW_MEMORY_MIN (1ull << 18)

/*
 * The view of (p), in (memory) bytes, or VIEW_MEMORY if that is 0; less than
 * VIEW_MEMORY_MIN count as that. What has no room is folded into VIEW_OTHERS,
 * the smallest first. The readers of (image_map), which must outlive the view,
 * name and classify addresses. In an image without readers, addresses are
 * names.
 *
 * Returns NULL if there is no memory.
 */
struct view *view_new(const struct profile *p,
                      const struct image_map *image_map, uint64_t memory);

/* Release (v). NULL is allowed. */
void view_free(struct view *v);

#endif
