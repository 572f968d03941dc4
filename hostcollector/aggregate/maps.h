/* SPDX-License-Identifier: BSD-2-Clause */
/* The further images of a guest, none of which may lie where another does. */
#ifndef TPROF_AGGREGATE_MAPS_H
#define TPROF_AGGREGATE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/guest.h"

/* Zeroed: none. */
struct maps {
    struct guest_map *list; /* by rising address */
    uint32_t *boots;        /* for each, the last boot that told it */
    size_t count;
    uint64_t refused;
};

enum maps_answer {
    MAPS_TAKEN,       /* or known already */
    MAPS_REFUSED,     /* it overlaps, there are too many, or no memory */
    MAPS_OTHER_IMAGE, /* an earlier boot had another image there */
};

/* (map) was told in boot number (boot) by guest (g). */
enum maps_answer maps_add(struct maps *m, const struct guest_map *map,
                          const struct guest *g, uint32_t boot);

/* Are these the same image, wherever it lies? */
bool maps_same_image(const struct guest_map *a, const struct guest_map *b);

/* Release what (m) holds. */
void maps_fini(struct maps *m);

#endif
