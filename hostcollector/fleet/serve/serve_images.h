/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images that guests of collector serve may run. Their list is made of
 * --elf and of the --guests file as it is at the beginning; all are opened
 * then, each once, however many guests run it. Behind them are those that were
 * found by their build-id in folders of --symbols, when a guest came that runs
 * none of the others.
 */
#ifndef TPROF_FLEET_SERVE_SERVE_IMAGES_H
#define TPROF_FLEET_SERVE_SERVE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"
#include "image/match/images.h"
#include "util/err.h"

/* Zeroed: none. Strings are those of the options. */
struct serve_images {
    const char **paths;          /* each once */
    struct shared_image **files; /* of them; NULL: it cannot be read */
    size_t count, room;
    struct images set;
    size_t opened;     /* of the set, at the beginning */
    bool full;         /* no more are sought, which was told */
    size_t next;       /* guest at which matching goes on */
    uint64_t again_ns; /* and when */
};

/* Make the list. Returns 0; -1 with (e) filled. */
int serve_images_list(struct serve_images *images, const struct options *o,
                      struct err *e);

/*
 * Open them; they are parsed, so the process must be confined. One that the
 * --guests file names may be missing: (say) is called with a line on it and
 * (context). Returns 0; -1 with (e) filled.
 */
int serve_images_open(struct serve_images *images, const struct options *o,
                      void (*say)(void *context, const char *line),
                      void *context, struct err *e);

/* Release what (images) holds; no guest may be left. */
void serve_images_fini(struct serve_images *images);

#endif
