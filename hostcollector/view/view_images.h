/* SPDX-License-Identifier: BSD-2-Clause */
/* The images of a view: their files, identities and code addresses. */
#ifndef TPROF_VIEW_VIEW_IMAGES_H
#define TPROF_VIEW_VIEW_IMAGES_H

#include "image/names/image_map.h"
#include "model/profile.h"
#include "model/view.h"

/*
 * Fill the images of (v) from (image_map) and from the images that (p) lists.
 * The images of (v) are zero before; (image_map) and (p) must outlive (v).
 * Returns 0; -1 if there is no memory. Call view_images_fini() in either case.
 */
int view_images_init(struct view *v, const struct profile *p,
                     const struct image_map *image_map);
void view_images_fini(struct view *v);

#endif
