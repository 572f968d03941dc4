/* SPDX-License-Identifier: BSD-2-Clause */
/* What a view says of its images. */
#ifndef TPROF_VIEW_VIEW_IMAGES_H
#define TPROF_VIEW_VIEW_IMAGES_H

#include "image/names/image_map.h"
#include "model/profile.h"
#include "model/view.h"

/* Fill the images of (v), which is zero, with those of (image_map) and what (p)
 * tells of them; both must outlive (v). Returns 0; -1 if there is no memory.
 * view_images_fini() in either case. */
int view_images_init(struct view *v, const struct profile *p,
                     const struct image_map *image_map);
void view_images_fini(struct view *v);

#endif
