/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images of all guests, each opened once however many run it, with what
 * names and classifies its addresses.
 */
#ifndef TPROF_MATCH_IMAGES_H
#define TPROF_MATCH_IMAGES_H

#include <stddef.h>

#include "image/image.h"
#include "symbolize/image_map.h"
#include "util/err.h"

struct shared_image;

/* Zeroed: empty. */
struct images {
    struct shared_image **list;
    size_t count, room;
};

/*
 * The image at (path), opened now unless the file that is there already is.
 * It lives as long as (set). NULL with (e) filled as by image_open().
 */
struct shared_image *images_open(struct images *set, const char *path,
                                 struct err *e);

struct image *shared_image(struct shared_image *s);

/*
 * Set in (*image) what reads link-time addresses of (s), made at the first use;
 * it lives as long as the set. Returns 0; -1 if there is no memory.
 */
int shared_image_readers(struct shared_image *s, struct mapped_image *image);

/* Close all. */
void images_fini(struct images *set);

#endif
