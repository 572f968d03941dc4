/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/names/displaced.h"

#include <stddef.h>
#include <stdlib.h>

#include "image/code/frame_place.h"
#include "image/names/symbolize.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Samples of a function. */
struct function_samples {
    uint64_t first, all;
    bool loops; /* a jump leads to its first instruction */
};

struct displaced {
    struct pair_map by_start; /* image and address -> function */
    struct function_samples *functions;
    size_t count, room;
    uint64_t first, second; /* sums over all functions */
};

/* The function that holds (leaf), with its extent; NULL: unknown. */
static const struct symbol *function_of(const struct image_address *leaf)
{
    const struct symbol *s =
        leaf->image->symbolizer != NULL
            ? symbolize(leaf->image->symbolizer, leaf->address)
            : NULL;

    return s != NULL && s->kind != SYMBOL_ADDRESS ? s : NULL;
}

/* Returns 0; -1 if there is no memory. */
static int count(struct displaced *d, const struct image_address *leaf,
                 uint64_t samples)
{
    const struct symbol *s = function_of(leaf);

    if (s == NULL)
        return 0;
    uint32_t *at = map_put(&d->by_start, leaf->number, s->start);

    if (at == NULL ||
        (*at == MAP_NOTHING && vec_grow(&d->functions, &d->room, d->count,
                                        sizeof *d->functions) != 0))
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)d->count;
        d->functions[d->count++] = (struct function_samples){0};
    }
    uint64_t bytes = leaf->address - s->start;

    d->functions[*at].all += samples;
    if (bytes == 0) {
        if (d->functions[*at].first == 0)
            d->functions[*at].loops =
                leaf->image->frame_places != NULL &&
                frame_place_loops(leaf->image->frame_places, leaf->address);
        d->functions[*at].first += samples;
        d->first += samples;
    } else if (bytes <= DISPLACED_SECOND) {
        d->second += samples;
    }
    return 0;
}

/* Was the core asleep at (leaf)? Such a sample is in any case after the
 * instruction that sleeps. */
static bool sleeps(const struct image_address *leaf)
{
    return leaf->image->frame_places != NULL &&
           frame_place_idle(
               frame_place_at(leaf->image->frame_places, leaf->address));
}

static int count_all(struct displaced *d, const struct profile *p,
                     const struct image_map *image_map)
{
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *core = &p->cores[i];

        for (size_t j = 0; j < core->entry_count; j++) {
            const struct image_address leaf =
                image_map_find(image_map, core->entries[j].leaf);

            if (!sleeps(&leaf) &&
                count(d, &leaf, core->entries[j].tally.samples) != 0)
                return -1;
        }
    }
    return 0;
}

struct displaced *displaced_new(const struct profile *p,
                                const struct image_map *image_map)
{
    bool may_be = (p->guest.features & WIRE_FEATURE_BLOCKS) != 0 && !p->raw;
    struct displaced *d = may_be ? calloc(1, sizeof *d) : NULL;

    if (d != NULL && count_all(d, p, image_map) == 0 &&
        d->first >= DISPLACED_LEAST && d->second <= d->first / DISPLACED_PART)
        return d;
    displaced_free(d);
    return NULL;
}

bool displaced_has(const struct displaced *d, const struct image_address *leaf)
{
    const struct symbol *s = d != NULL ? function_of(leaf) : NULL;

    if (s == NULL || s->start != leaf->address)
        return false;
    uint32_t at = map_get(&d->by_start, leaf->number, s->start);

    return at != MAP_NOTHING && !d->functions[at].loops &&
           d->functions[at].first >=
               d->functions[at].all - d->functions[at].first;
}

void displaced_free(struct displaced *d)
{
    if (d == NULL)
        return;
    map_fini(&d->by_start);
    free(d->functions);
    free(d);
}
