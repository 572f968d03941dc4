/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images that guests of collector serve may run. The list is made at the
 * start from --elf and the --guests file. Each image is opened once, even if
 * many guests run it. If a guest runs a build that no --elf file matches, an
 * image from a --symbols folder is appended later.
 */
#ifndef TPROF_FLEET_SERVE_SERVE_IMAGES_H
#define TPROF_FLEET_SERVE_SERVE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/serve/serve_config.h"
#include "image/match/images.h"
#include "util/err.h"

/* Zeroed: empty. The strings belong to the options. */
struct serve_images {
    const char **paths;          /* without repetition */
    struct shared_image **files; /* files of (paths); NULL: cannot be read */
    size_t count, room;
    char *folder; /* the current folder, where relative paths begin */
    struct images set;
    size_t opened;     /* number of images opened at the start */
    bool full;         /* the list is full, and the user knows */
    size_t next;       /* guest at which matching continues */
    uint64_t again_ns; /* when matching continues */
};

/* Make the list. Returns 0; -1 with (e) filled. */
int serve_images_list(struct serve_images *images, const struct serve_config *o,
                      struct err *e);

/*
 * Open the images. Opening parses them, so the process must be confined. If an
 * image is missing that only the --guests file names, (say) is called with
 * (context) and a line about the image. Returns 0; -1 with (e) filled.
 */
int serve_images_open(struct serve_images *images, const struct serve_config *o,
                      void (*say)(void *context, const char *line),
                      void *context, struct err *e);

/* Release what (images) holds. No guest may use it any more. */
void serve_images_fini(struct serve_images *images);

#endif
