/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image files of all guests. A file is opened once for all guests that run
 * it. The set also keeps the readers that name and classify the file's
 * addresses.
 */
#ifndef TPROF_IMAGE_MATCH_IMAGES_H
#define TPROF_IMAGE_MATCH_IMAGES_H

#include <stddef.h>

#include "image/file/image.h"
#include "image/names/image_map.h"
#include "util/err.h"

struct shared_image;

/* A build-id for which images_seek() has searched, and the result. */
struct sought;

/* Zeroed: empty. */
struct images {
    struct shared_image **list;
    size_t count, room;
    struct sought *sought;
    size_t sought_count, sought_room;
};

/*
 * Returns the image at (path). Opens the file unless it is open already. The
 * image lives as long as (set). Returns NULL with (e) filled like
 * image_open().
 */
struct shared_image *images_open(struct images *set, const char *path,
                                 struct err *e);

/*
 * Add (image), which was made from a recording, with its readers. All three
 * belong to (set) from now on, also if this call fails. NULL if there is no
 * memory.
 */
struct shared_image *images_tell(struct images *set, struct image *image,
                                 struct symbolizer *symbolizer,
                                 struct frame_places *frame_places);

struct image *shared_image_get(struct shared_image *s);

/* Returns the image_path() of (s). If (s) was found by build-id through a link,
 * returns the path of the link's target. */
const char *shared_image_path(const struct shared_image *s);

/*
 * Write the readers of (s) to (*image), for link-time addresses. The first call
 * makes the readers. They live as long as the set. Returns 0; -1 if there is no
 * memory.
 */
int shared_image_readers(struct shared_image *s, struct mapped_image *image);

/* Clear the caches of the symbolizers if they have more than (bytes) together.
 * No view may exist. */
void images_forget(struct images *set, size_t bytes);

/* Close all. */
void images_fini(struct images *set);

#endif
