/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an HTML page knows of a guest, as blocks of html_pack.h. html/model.js
 * reads them; what of a block comes first here comes first there.
 *
 * guest: text (JSON: what is known in a few numbers), text (all strings, each
 *   behind a NUL but the first, which is empty), columns of functions: string,
 *   nameless; of frames: function, image, file, line, inlined; of nodes:
 *   distance to the parent or 0, frame; for each core columns of entries: node
 *   + 1 or 0, samples, weight, then doubles (count, bytes): time, time_sq, late
 * code: a function; text (JSON: its annotation, see annotate.schema.json)
 * moments: core; columns: slot since the last one (zigzag), entry, weight,
 *   lateness in 64ths of the period; then how many periods, and for each: at
 *   which moment it begins, TSC ticks
 * overall: text (JSON: a line for each guest, also of those that failed)
 */
#ifndef TPROF_HTML_HTML_DATA_H
#define TPROF_HTML_HTML_DATA_H

#include "html/html_pack.h"
#include "html/html_tree.h"
#include "report/render.h"

/* Slots cut a run into equal parts, each a decimal fraction of a second, so
 * that both ends of a part can be given to --time. */
struct html_slots {
    uint32_t per_second;
    uint64_t count; /* 0: time is not known */
};

struct html_slots html_slots_of(const struct profile *p);

/* Write the JSON text of (r), called (title), to (out). */
void html_head(FILE *out, const struct report *r, const char *title,
               struct html_slots slots);

/* Write all but the JSON text of a guest's block. (t) has all paths. */
void html_write_tree(struct pack *p, const struct html_tree *t,
                     const struct view *v);

/* Write the block of core (index), whose last entry is (others). */
void html_write_moments(struct pack *p, const struct profile *profile,
                        size_t index, uint64_t others, struct html_slots slots);

#endif
