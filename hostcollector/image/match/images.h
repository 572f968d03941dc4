/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image files of all guests. A file is opened once, however many guests run
 * it. With it are kept the readers that name and classify its addresses.
 */
#ifndef TPROF_IMAGE_MATCH_IMAGES_H
#define TPROF_IMAGE_MATCH_IMAGES_H

#include <stddef.h>

#include "image/file/image.h"
#include "image/names/image_map.h"
#include "util/err.h"

struct shared_image;

/* A build-id that was looked for (image/match/seek.h), and what was found. */
struct sought;

/* Zeroed: empty. */
struct images {
    struct shared_image **list;
    size_t count, room;
    struct sought *sought;
    size_t sought_count, sought_room;
};

/*
 * The image at (path). It is opened now unless that file is open already, and
 * lives as long as (set). NULL with (e) filled as by image_open().
 */
struct shared_image *images_open(struct images *set, const char *path,
                                 struct err *e);

/*
 * The image (image) that a recording told of, with its readers. All three
 * belong to (set) from now on, also if this fails. NULL if there is no memory.
 */
struct shared_image *images_tell(struct images *set, struct image *image,
                                 struct symbolizer *symbolizer,
                                 struct frame_places *frame_places);

struct image *shared_image_get(struct shared_image *s);

/* image_path() of it, but for a link that was found by its build-id: the path
 * of what it leads to. */
const char *shared_image_path(const struct shared_image *s);

/*
 * Set the readers of (s) in (*image), for link-time addresses. They are made at
 * the first call and live as long as the set. Returns 0; -1 if there is no
 * memory.
 */
int shared_image_readers(struct shared_image *s, struct mapped_image *image);

/* Have the symbolizers forget what they know if that takes more than (bytes)
 * together. No view may be left. */
void images_forget(struct images *set, size_t bytes);

/* Close all. */
void images_fini(struct images *set);

#endif
