/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/places.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "view/path.h"
#include "view/view_build.h"

void annotated_add(struct annotated_sum *a, const struct annotated_sum *b)
{
    amount_add(&a->amount, &b->amount);
    a->late += b->late;
    a->moved += b->moved;
}

/* Returns the interrupted step of (path). If the core was asleep, this is the
 * step before the idle mark. Returns NULL if that step is itself a mark. */
static const struct view_step *leaf_of(const struct view_path *path)
{
    const struct view_step *leaf;

    if (path->unseen || path->count <= path->idle)
        return NULL;
    leaf = &path->steps[path->count - path->idle - 1];
    return leaf->function >= VIEW_MARKS ? leaf : NULL;
}

/* Returns true if (leaf) is in (function), or in a function that is inlined
 * there. Then also fills depth and host of (place). */
static bool is_in(const struct view_path *path, const struct view_step *leaf,
                  uint32_t function, struct place *place)
{
    bool found = false;

    for (const struct view_step *step = leaf;; step--) {
        if (!found && step->function == function) {
            found = true;
            place->depth = (uint32_t)(leaf - step);
        }
        place->host = step->function;
        if (!step->inlined || step == path->steps)
            return found;
    }
}

static int add(struct places *p, const struct place *place)
{
    uint32_t *at = map_put(&p->by_address, place->address, 0);

    if (at == NULL)
        return -1;
    annotated_add(&p->sum, &place->sum);
    if (*at != MAP_NOTHING) {
        annotated_add(&p->list[*at].sum, &place->sum);
        return 0;
    }
    if (vec_grow(&p->list, &p->room, p->count, sizeof *p->list) != 0)
        return -1;
    *at = (uint32_t)p->count;
    p->list[p->count++] = *place;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* A walk over all entries for several functions. */
struct gathering {
    const struct profile *profile;
    const struct view *view;
    struct places *out;
    uint32_t *wanted; /* by function: 1 + index in (out); 0: not wanted */
};

/* Add the samples of (path), which interrupted (leaf), to each wanted function
 * that has the leaf in its code. (place) has their sum. */
static int add_path(const struct gathering *g, const struct view_path *path,
                    const struct view_step *leaf, struct place *place)
{
    for (const struct view_step *step = leaf;; step--) {
        uint32_t wanted = g->wanted[step->function];
        struct places *out = &g->out[wanted - (wanted != 0)];

        /* if a function is inlined into itself, take the innermost step */
        if (wanted != 0 && is_in(path, leaf, step->function, place) &&
            place->depth == (size_t)(leaf - step)) {
            if (path->idle)
                out->idle += path->amount.samples;
            else if (add(out, place) != 0)
                return -1;
        }
        if (!step->inlined || step == path->steps)
            return 0;
    }
}

static int gather_core(const struct gathering *g, size_t core)
{
    const struct profile_core *c = &g->profile->cores[core];

    for (size_t i = 0; i < c->entry_count; i++) {
        struct view_path path;
        struct place place = {0};
        const struct view_step *leaf;

        if (c->entries[i].tally.samples == 0)
            continue; /* excluded entry */
        if (!view_leaf_of(g->view, core, i, &path))
            return -1;
        leaf = leaf_of(&path);
        if (leaf == NULL)
            continue;
        place.address = leaf->address;
        place.sum.amount = path.amount;
        place.sum.late = c->entries[i].tally.late_time;
        place.sum.moved = path.moved ? path.amount.time : 0;
        if (add_path(g, &path, leaf, &place) != 0)
            return -1;
    }
    return 0;
}

int places_gather(struct places *out, const uint32_t *functions, size_t count,
                  const struct profile *p, const struct view *v)
{
    struct gathering g = {.profile = p, .view = v, .out = out};
    int result = 0;

    memset(out, 0, count * sizeof *out);
    g.wanted = calloc(v->function_count, sizeof *g.wanted);
    if (g.wanted == NULL)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        g.wanted[functions[i]] = i + 1;
    for (size_t i = 0; i < p->core_count && result == 0; i++)
        result = gather_core(&g, i);
    for (size_t i = 0; i < count; i++)
        if (out[i].count != 0)
            qsort(out[i].list, out[i].count, sizeof *out[i].list, by_address);
    free(g.wanted);
    return result;
}

/* Add the busy time of (core) to (times), which has one sum for each function.
 */
static void add_times(const struct profile *p, size_t core,
                      const struct view *v, double *times)
{
    for (size_t i = 0; i < p->cores[core].entry_count; i++) {
        struct view_path path;
        struct place place = {0};
        const struct view_step *leaf = NULL;

        if (view_leaf_of(v, core, i, &path) && !path.idle)
            leaf = leaf_of(&path);
        if (leaf == NULL)
            continue;
        (void)is_in(&path, leaf, leaf->function, &place);
        times[place.host] += path.amount.time;
    }
}

uint32_t places_busiest(const struct profile *p, const struct view *v)
{
    double *times = calloc(v->function_count, sizeof *times);
    uint32_t best = 0;

    for (size_t i = 0; times != NULL && i < p->core_count; i++)
        add_times(p, i, v, times);
    for (uint32_t i = VIEW_MARKS; times != NULL && i < v->function_count; i++)
        if (!v->functions[i].nameless && times[i] > times[best])
            best = i;
    free(times);
    return best;
}

void places_fini(struct places *p)
{
    free(p->list);
    map_fini(&p->by_address);
}
