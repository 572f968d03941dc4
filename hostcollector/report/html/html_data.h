/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of an HTML page, as blocks of html_pack.h. report/html/page/model.js
 * reads the blocks in the order of their contents.
 *
 * guest: text (JSON: few numbers), text (all strings; each but the first, which
 * is empty, comes after a NUL), columns of functions: string, nameless; of
 * frames: function, image, file, line, inlined; of nodes: distance to the
 * parent or 0, frame; for each core columns of entries: node + 1 or 0, samples,
 * weight, then doubles (count, bytes): time, time_sq, late
 * code: a function; text (JSON: its annotation, see annotate.schema.json)
 * moments: core; columns: slots since the last moment (zigzag), entry, weight,
 * lateness in 64ths of the period; then the number of periods, and for each:
 * the moment at which it begins, TSC ticks
 * overall: text (JSON: a line for each guest, failed guests included)
 */
#ifndef TPROF_REPORT_HTML_HTML_DATA_H
#define TPROF_REPORT_HTML_HTML_DATA_H

#include "report/html/html_pack.h"
#include "report/html/html_tree.h"
#include "report/render.h"

/* Equal parts of a run. A slot is a decimal fraction of a second, so --time can
 * name both of its ends. */
struct html_slots {
    uint32_t per_second;
    uint64_t count; /* 0: time is unknown */
};

struct html_slots html_slots_of(const struct profile *p);

/* Write the JSON text of (r), with the title (title), to (out). */
void html_head(FILE *out, const struct report *r, const char *title,
               struct html_slots slots);

/* Write a guest's block without its JSON text. (t) has all paths. */
void html_write_tree(struct pack *p, const struct html_tree *t,
                     const struct view *v);

/* Write the block of core (index). (others) is the number of its last entry. */
void html_write_moments(struct pack *p, const struct profile *profile,
                        size_t index, uint64_t others, struct html_slots slots);

#endif
