/* SPDX-License-Identifier: BSD-2-Clause */
/* An annotation in the making, and its makers in the order of their work. Part
 * of annotate. */
#ifndef TPROF_ANNOTATE_BUILDER_H
#define TPROF_ANNOTATE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/annotate.h"
#include "annotate/places.h"
#include "util/arena.h"
#include "util/map.h"

struct image;
struct symbolizer;
struct symbol;

/* A line before it has found its place in its body. */
struct built_line {
    uint32_t body;
    struct annotated_line line;
};

struct builder {
    const struct annotate_job *job;
    struct annotation *out;
    struct arena *arena; /* of all that (out) points to */
    const struct image *image;
    struct symbolizer *symbolizer;
    struct places places;
    /* Growing: */
    struct annotated_body *bodies;
    size_t body_room;
    struct pair_map by_name; /* function and file -> body */
    struct built_line *lines;
    size_t line_count, line_room;
    struct pair_map by_number; /* body and number -> line */
};

/* All of these return 0; -1 if there is no memory. */

/* code.c: the runs of code that samples hit, with blocks, instructions and the
 * lines of these. */
int builder_add_codes(struct builder *b);

/* lines.c: the line of (symbol), which has (sum); NULL: no samples. Its body is
 * in (*body), or ANNOTATED_NONE: the line is not known. */
int builder_add_line(struct builder *b, const struct symbol *symbol,
                     bool inlined, const struct annotated_sum *sum,
                     uint32_t *body);

/* lines.c: the places that samples hit, by line. */
int builder_add_places(struct builder *b);

/* lines.c: all lines are there; put them into their bodies. */
int builder_end_lines(struct builder *b);

/* source.c: the text of the lines of all bodies that have samples, as far as
 * there is one. */
int builder_add_text(struct builder *b);

#endif
