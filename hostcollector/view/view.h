/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile + symbols -> view: every address gets its functions, every sample
 * its place in tables and trees. Joins model, symbolize and aggregate.
 */
#ifndef TPROF_VIEW_VIEW_H
#define TPROF_VIEW_VIEW_H

#include "model/profile.h"
#include "model/view.h"

struct image_map;

/*
 * The view of (p). What reads the images of (image_map), which must outlive the
 * view, names and classifies its addresses; in images that nothing reads they
 * are the names.
 *
 * Returns NULL if there is no memory.
 */
struct view *view_new(const struct profile *p,
                      const struct image_map *image_map);

/* Release (v). NULL is allowed. */
void view_free(struct view *v);

#endif
