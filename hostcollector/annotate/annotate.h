/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile + view + image -> one function's lines and basic blocks with the
 * samples that hit them. Joins them with the image's code, its line table and
 * the source files.
 */
#ifndef TPROF_ANNOTATE_ANNOTATE_H
#define TPROF_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/annotation.h"
#include "model/profile.h"
#include "model/view.h"
#include "util/err.h"

struct image_map;

struct annotate_job {
    const struct profile *profile;
    const struct view *view;           /* of (profile) */
    const struct image_map *image_map; /* of (view) */
    uint32_t number; /* of the function in (view); 0: (function) names it */
    const char *function; /* its name, or a part of that; NULL: the busiest */
    const char *folder;   /* below which source files are; NULL: not said */
    uint64_t memory;      /* bytes: longer functions are not taken apart */
};

/*
 * Annotate what (job) asks for. The result lives as long as the view, and is
 * released by annotation_free(). NULL with (e) filled: there is no such
 * function, and then (*unfound) is true; or the function has no samples of its
 * own, its image has no code, or there is no memory.
 */
struct annotation *annotate(const struct annotate_job *job, bool *unfound,
                            struct err *e);

/* Release (a). NULL is allowed. */
void annotation_free(struct annotation *a);

#endif
