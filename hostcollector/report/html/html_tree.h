/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of all entries as a tree of frames, for an HTML page. Roots are the
 * outermost steps of paths. A frame is a function at a line. */
#ifndef TPROF_REPORT_HTML_HTML_TREE_H
#define TPROF_REPORT_HTML_HTML_TREE_H

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
    uint32_t parent; /* 0: the node is a root */
    uint32_t frame;
};

/* An entry of a core that has samples. */
struct html_entry {
    uint32_t node; /* of its last step; 0: the path is unknown */
    uint64_t samples, weight;
    double time, time_sq, late;
};

struct html_core {
    /* by number; last, the entry of samples without room */
    struct html_entry *entries;
    size_t count, room;
};

/* Zeroed, except (budget): empty. Elements count from 1. */
struct html_tree {
    struct budget budget;
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
};

/* Fill (t) with all paths of (v), the view of (p). Returns 0; -1 if there is no
 * memory. */
int html_tree_fill(struct html_tree *t, const struct profile *p,
                   const struct view *v);

/* Release all that (t) holds. */
void html_tree_fini(struct html_tree *t);

#endif
