/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses at which samples hit a function, each with the sum of its samples.
 * Part of annotate. */
#ifndef TPROF_ANNOTATE_PLACES_H
#define TPROF_ANNOTATE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/annotation.h"
#include "model/profile.h"
#include "model/view.h"
#include "util/pair_map.h"

struct place {
    uint64_t address; /* in the image's file */
    uint32_t depth;   /* number of inlined functions that contain it */
    uint32_t host;    /* the function in whose machine code it lies */
    struct annotated_sum sum;
};

/* Zeroed: empty. */
struct places {
    struct place *list; /* by rising address */
    size_t count, room;
    struct annotated_sum sum;
    uint64_t idle; /* idle samples, which no sum contains */
    struct pair_map by_address;
};

/* Gather the samples of (p) in the code of (count) functions of (v), in one
 * walk over all entries. out[i] receives the samples of functions[i]. Returns
 * 0; -1 if there is no memory. places_fini() must follow for each out[i] in
 * both cases. */
int places_gather(struct places *out, const uint32_t *functions, size_t count,
                  const struct profile *p, const struct view *v);

/* Returns the function of (v) with the most busy time in its code, inlined
 * functions included. Functions without a name do not count. Returns VIEW_MARKS
 * - 1 or less if there is none. */
uint32_t places_busiest(const struct profile *p, const struct view *v);

/* Release what (p) holds. */
void places_fini(struct places *p);

/* Add (b) to (a). */
void annotated_add(struct annotated_sum *a, const struct annotated_sum *b);

#endif
