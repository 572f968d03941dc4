/* SPDX-License-Identifier: BSD-2-Clause */
/* An annotation under construction, and the functions that fill it, in the
 * order of their calls. Part of annotate. */
#ifndef TPROF_ANNOTATE_BUILDER_H
#define TPROF_ANNOTATE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/annotate.h"
#include "annotate/places.h"
#include "util/arena.h"
#include "util/pair_map.h"

struct image;
struct symbolizer;
struct symbol;

/* A line that is not yet sorted into its body. */
struct built_line {
    uint32_t body;
    struct annotated_line line;
};

struct builder {
    const struct annotate_job *job;
    struct annotation *out;
    struct arena *arena; /* holds all that (out) points to */
    const struct image *image;
    struct symbolizer *symbolizer;
    struct places places;
    /* These lists grow. */
    struct annotated_body *bodies;
    size_t body_room;
    struct pair_map by_name; /* function and file -> body */
    struct built_line *lines;
    size_t line_count, line_room;
    struct pair_map by_number; /* body and number -> line */
};

/* All of these return 0; -1 if there is no memory. */

/* code.c: add the runs of code that samples hit, with their blocks, their
 * instructions and the source lines of the instructions. */
int builder_add_codes(struct builder *b);

/* lines.c: add (sum) to the source line of (symbol). With (sum) NULL, only
 * create the line. Stores the line's body in (*body); ANNOTATED_NONE if the
 * line is unknown. */
int builder_add_line(struct builder *b, const struct symbol *symbol,
                     bool inlined, const struct annotated_sum *sum,
                     uint32_t *body);

/* lines.c: add the samples of all places to their source lines. */
int builder_add_places(struct builder *b);

/* lines.c: move the lines into their bodies, after the last line was added. */
int builder_end_lines(struct builder *b);

/* source_text.c: add the source text of all bodies that have samples. Lines
 * without a source file have no text. */
int builder_add_text(struct builder *b);

#endif
