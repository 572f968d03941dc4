/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images that guests of collector serve may run. The list is made at the
 * start from --elf and the --guests file, and each image is opened once,
 * however many guests run it. Images found later in --symbols folders are
 * appended, when a guest runs a build that no --elf file matches.
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
    bool full;         /* the list is full, which was shown */
    size_t next;       /* guest at which matching continues */
    uint64_t again_ns; /* when matching continues */
};

/* Make the list. Returns 0; -1 with (e) filled. */
int serve_images_list(struct serve_images *images, const struct serve_config *o,
                      struct err *e);

/*
 * Open the images, which are parsed, so the process must be confined. An image
 * that only the --guests file names may be missing: then (say) is called with
 * (context) and a line about it. Returns 0; -1 with (e) filled.
 */
int serve_images_open(struct serve_images *images, const struct serve_config *o,
                      void (*say)(void *context, const char *line),
                      void *context, struct err *e);

/* Release what (images) holds. No guest may use it any more. */
void serve_images_fini(struct serve_images *images);

#endif
