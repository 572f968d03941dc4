/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes tables and trees of one core, or of all cores, from paths. */
#ifndef TPROF_VIEW_SCOPE_H
#define TPROF_VIEW_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/map.h"

struct path_step {
    uint32_t function;
    uint32_t line; /* for code_frames_charge(); not of marks */
    bool inlined;
    bool first; /* no step before it has the same function */
};

/* A pair of leaf and stack, as functions, and the sum of its samples. */
struct path {
    struct path_step *steps; /* outermost first */
    size_t count;
    size_t leaf; /* index of the innermost step that is no mark */
    bool idle;
    bool uncertain;
    struct amount amount;
};

/* A view_scope in the making; zeroed but for scope.core. */
struct scope {
    struct view_scope scope;
    size_t row_room, node_room, idle_room;
    struct map rows;     /* (function, 0) -> row */
    struct map children; /* (parent, function and inlined) -> node */
    struct map idle_children;
};

/* Add (path). Returns 0; -1 if there is no memory. */
int scope_add(struct scope *s, const struct path *path);

/* Sort rows and trees. Returns 0; -1 if there is no memory. */
int scope_finish(struct scope *s);

/* Release all that (s) holds, its scope's rows and trees included. */
void scope_fini(struct scope *s);

/* Add (b) to (a). */
void amount_add(struct amount *a, const struct amount *b);

#endif
