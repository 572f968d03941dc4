/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of an HTML page, as blocks of html_pack.h. report/html/page/model.js
 * reads the blocks in the order of their contents.
 *
 * guest: text (JSON: few numbers), text (all strings; each but the first, which
 * is empty, comes after a NUL), columns of functions: string, nameless; of
 * frames: function, image, file, line, inlined; of nodes: distance to the
 * parent or 0, frame; for each core columns of entries: node + 1 or 0, samples,
 * weight, if there are threads thread, then doubles (count, bytes): time,
 * time_sq, late
 * code: a function; text (JSON: its annotation, see annotate.schema.json)
 * moments: core; columns: slots since the last moment (zigzag), entry, weight,
 * lateness in 64ths of the period; then the number of periods, and for each:
 * the moment at which it begins, TSC ticks
 * overall: text (JSON: a line for each guest, failed guests included)
 */
#ifndef TPROF_REPORT_HTML_HTML_DATA_H
#define TPROF_REPORT_HTML_HTML_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "report/html/html_pack.h"
#include "report/render.h"
#include "util/budget.h"

/* html_tree.c: the paths of all entries as a tree of frames, for an HTML page.
 * Roots are the outermost steps of paths. A frame is a function at a line. */

struct html_frame {
    uint32_t function, image;
    uint32_t file; /* number of a string; 0: unknown */
    uint32_t line;
    bool inlined;
};

/* A step of one or more paths. */
struct html_node {
    uint32_t parent; /* 0: the node is a root */
    uint32_t frame;
};

/* An entry of a core, if it has samples. */
struct html_entry {
    uint32_t node;   /* node of its last step; 0: the path is unknown */
    uint32_t thread; /* number in the profile; 0: unknown */
    uint64_t samples, weight;
    double time, time_sq, late;
};

struct html_core {
    /* by number; the last is the entry of samples without room */
    struct html_entry *entries;
    size_t count, room;
};

/* Zeroed, except (budget): empty. Elements count from 1. */
struct html_tree {
    struct budget budget;
    bool full; /* a path had no room */
    const char **strings;
    struct html_frame *frames;
    struct html_node *nodes;
    size_t string_count, string_room, frame_count, frame_room, node_count,
        node_room;
    struct budget_table string_table, frame_table, node_table;
    uint32_t *functions; /* strings of the view's function names */
    size_t function_count, function_room;
    struct html_core *cores; /* one for each core of the profile */
    size_t core_count;
    bool has_threads; /* entries have threads */
};

/* Fill (t) with all paths of (v), the view of (p). Paths that have no room in
 * the budget become VIEW_OTHERS. Returns 0; -1 if there is no memory. */
int html_tree_fill(struct html_tree *t, const struct profile *p,
                   const struct view *v);

/* Release all that (t) holds. */
void html_tree_fini(struct html_tree *t);

/* Equal parts of a run. The length of a slot is a decimal fraction of a second,
 * so --time can name both of its ends. */
struct html_slots {
    uint32_t per_second;
    uint64_t count; /* 0: time is unknown */
};

struct html_slots html_slots_of(const struct profile *p);

/* Write the JSON text of (r), with the title (title), to (out). */
void html_head(FILE *out, const struct report *r, const char *title,
               struct html_slots slots);

/* Write the members "threads", "waits" and "scheduling" of that text, of the
 * whole run. Nothing without threads. */
void html_threads(FILE *out, const struct report *r);

/* Write the members "requests" and "slow". Nothing without requests. */
void html_requests(FILE *out, const struct report *r);

/* Write the members "locks" and "lock_waits". Nothing without locks. */
void html_locks(FILE *out, const struct report *r);

/* Write a guest's block without its JSON text. (t) has all paths. */
void html_write_tree(struct pack *p, const struct html_tree *t,
                     const struct view *v);

/* Write the block of core (index). (others) is the number of its last entry. */
void html_write_moments(struct pack *p, const struct profile *profile,
                        size_t index, uint64_t others, struct html_slots slots);

#endif
