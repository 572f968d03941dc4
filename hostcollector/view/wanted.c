/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include "profile/aggregate/distinct.h"
#include "util/hash.h"
#include "view/code_frames.h"
#include "view/view_memory.h"
#include "view/walk.h"

/* Bytes of an element: with an eighth of its array free, its slots in a table
 * that grows, and some more. */
#define NODE_BYTES (sizeof(struct view_node) * 5 / 4 + 32)
#define ROW_BYTES  (sizeof(struct view_row) * 5 / 4 + 32)
#define EDGE_BYTES (sizeof(struct view_edge) * 5 / 4 + 40)

/* Elements of a view that folds nothing. */
struct wanted {
    struct distinct nodes, rows, edges;
    uint64_t steps; /* of all paths, in all scopes */
};

static void add_scope(struct wanted *w, uint64_t scope, const struct path *path)
{
    uint64_t hash = hash_mix(scope, path->idle);

    for (size_t i = 0; i < path->branch; i++) {
        const struct path_step *step = &path->steps[i];

        hash = hash_mix(hash, (uint64_t)step->function << 1 | step->inlined);
        distinct_add(&w->nodes, hash);
    }
    for (size_t i = 0; i < path->count && !path->idle; i++)
        distinct_add(&w->rows,
                     hash_mix(hash_mix(0, scope), path->steps[i].function));
}

static void add_edges(struct wanted *w, const struct path *path)
{
    for (size_t i = 1; i < path->count; i++)
        distinct_add(&w->edges,
                     hash_mix(hash_mix(0, path->steps[i - 1].function),
                              path->steps[i].function));
}

/* Add the paths of core number (core). */
static void add_core(struct wanted *w, const struct view_memory *m,
                     struct walk *walk, size_t core)
{
    const struct profile_core *c = &walk->profile->cores[core];
    bool total = m->scopes.only == NULL;
    uint64_t scopes = 1u + total + (m->scopes.by_thread != NULL);

    for (size_t i = 0; i < c->entry_count; i++) {
        const struct path *path = &walk->path;

        if (profile_is_left_out(c, &c->entries[i].tally) ||
            walk_entry(walk, &c->entries[i]) != 0)
            continue;
        add_scope(w, core + 1, path);
        if (total)
            add_scope(w, 0, path);
        if (m->scopes.by_thread != NULL)
            add_scope(w, 1 + m->scopes.by_thread[walk->stack.thread], path);
        add_edges(w, path);
        size_t whole = walk->stack.depth + walk->missed.count + 1u;

        w->steps += (whole > path->count ? whole : path->count) * scopes;
    }
}

/* Bytes of all elements of (size) bytes. The number of elements grows with the
 * number of addresses. A step of a path has at most one element. */
static double bytes_of(const struct distinct *d, double more, double steps,
                       size_t size)
{
    return fmin((double)distinct_most(d) * more, steps) * (double)size;
}

uint64_t wanted_bytes(const struct view_memory *m, struct walk *walk)
{
    struct wanted *w = calloc(1, sizeof *w);
    double known = (double)code_frames_count(m->frames) + 1;
    double more = fmax((double)code_frames_all(m->frames) / known, 1);
    double names = (double)code_frames_bytes(m->frames) * more;

    if (w == NULL)
        return 0;
    for (size_t i = 0; i < walk->profile->core_count; i++)
        add_core(w, m, walk, i);
    double steps = (double)w->steps;
    double rest = bytes_of(&w->nodes, more, steps, NODE_BYTES) +
                  bytes_of(&w->rows, more, steps, ROW_BYTES) +
                  bytes_of(&w->edges, more, steps, EDGE_BYTES);

    free(w);
    /* names get half of the memory */
    return (uint64_t)(names + (more > 1 ? fmax(names, rest) : rest));
}
