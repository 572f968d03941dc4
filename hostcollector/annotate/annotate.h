/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the annotation of one function: its source lines and basic blocks,
 * each with the samples that hit them. Joins a profile, its view, the image's
 * code and line table, and the source files. */
#ifndef TPROF_ANNOTATE_ANNOTATE_H
#define TPROF_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/annotation.h"
#include "model/profile.h"
#include "model/view.h"
#include "util/err.h"

struct image;
struct image_map;
struct places;

struct annotate_job {
    const struct profile *profile;
    const struct view *view;           /* of (profile) */
    const struct image_map *image_map; /* of (view) */
    uint32_t number; /* number of the function in (view); 0: see (function) */
    /* its name or a part of the name; NULL: the busiest one */
    const char *function;
    /* Samples of function (number). annotate() takes their memory over. NULL:
     * not gathered yet (annotate/places.h). */
    struct places *places;
    const char *folder; /* folder to search for source files; NULL: none */
    /* Images that a recording describes. Their source lines are used unless
     * (folder) has the file. */
    const struct image *const *told;
    size_t told_count;
    uint64_t memory; /* bytes; code of longer functions is not disassembled */
};

/*
 * Annotate the function of (job). The result is valid as long as the view.
 * Release the result with annotation_free().
 * Returns NULL and fills (e) on failure. Sets (*unfound) to true if no function
 * has the name, else to false.
 */
struct annotation *annotate(const struct annotate_job *job, bool *unfound,
                            struct err *e);

/* Release (a). NULL is allowed. */
void annotation_free(struct annotation *a);

#endif
