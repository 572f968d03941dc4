/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The paths of all entries as a tree of frames, each path's outermost step
 * first, for the data of an HTML page. A frame is a function at a line.
 */
#ifndef TPROF_HTML_HTML_TREE_H
#define TPROF_HTML_HTML_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "util/budget.h"

struct html_frame {
    uint32_t function, image;
    uint32_t file; /* number of a string; 0: unknown */
    uint32_t line;
    bool inlined;
};

/* A step of one or more paths. */
struct html_node {
    uint32_t parent; /* before it; 0: there is none */
    uint32_t frame;
};

/* An entry of a core that has samples. */
struct html_entry {
    uint32_t node; /* of its last step; 0: nothing is known */
    uint64_t samples, weight;
    double time, time_sq, late;
};

struct html_core {
    struct html_entry
        *entries; /* by number, the one of what had no room last */
    size_t count, room;
};

/* Zeroed, with (budget): empty. Elements count from 1 on. */
struct html_tree {
    struct budget budget;
    const char **strings;
    struct html_frame *frames;
    struct html_node *nodes;
    size_t string_count, string_room, frame_count, frame_room, node_count,
        node_room;
    struct budget_table string_table, frame_table, node_table;
    uint32_t *functions; /* of the view: each name's string */
    size_t function_count, function_room;
    struct html_core *cores; /* as those of the profile */
    size_t core_count;
};

/* Fill (t) with all paths of (v), the view of (p). Returns 0; -1 if there is no
 * memory. */
int html_tree_fill(struct html_tree *t, const struct profile *p,
                   const struct view *v);

/* Release what (t) holds. */
void html_tree_fini(struct html_tree *t);

#endif
