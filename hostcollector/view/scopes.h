/* SPDX-License-Identifier: BSD-2-Clause */
/* The scopes of all cores, and of all together, kept as small as they must be.
 */
#ifndef TPROF_VIEW_SCOPES_H
#define TPROF_VIEW_SCOPES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "view/scope.h"
#include "view/smallest_first.h"

struct scopes {
    struct scope total;
    struct scope *only; /* has all samples, so (total) shares what it holds */
    struct scope *cores;
    size_t core_count;
    /* So many nodes and rows there are in all scopes, and may be. */
    size_t nodes, most_nodes;
    size_t rows, most_rows;
    uint64_t folded; /* branches of (total), and rows */
    struct smallest_first fold;
};

/* Make (s), which is zeroed, the scopes of the cores of (p). Returns 0; -1 if
 * there is no memory. */
int scopes_init(struct scopes *s, const struct profile *p);

/* Nodes and rows may take (bytes) from now on. */
void scopes_limit(struct scopes *s, uint64_t bytes);

/* Add (path) to core number (core), and to (s->total). Returns 0; -1 if there
 * is no memory. */
int scopes_add(struct scopes *s, size_t core, const struct path *path);

/* Sort all. Returns 0; -1 if there is no memory. */
int scopes_finish(struct scopes *s);

void scopes_fini(struct scopes *s);

#endif
