/* SPDX-License-Identifier: BSD-2-Clause */
/* The images that a guest has loaded beside its kernel. No two may overlap. */
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
    MAPS_TAKEN,       /* the image is listed, perhaps already before */
    MAPS_REFUSED,     /* overlaps another, is one too many, or no memory */
    MAPS_OTHER_IMAGE, /* an earlier boot had another image there */
};

/* (map) was told in boot number (boot) by guest (g). */
enum maps_answer maps_add(struct maps *m, const struct guest_map *map,
                          const struct guest *g, uint32_t boot);

/* Are (a) and (b) the same image, perhaps at different addresses? */
bool maps_same_image(const struct guest_map *a, const struct guest_map *b);

/* Release what (m) holds. */
void maps_fini(struct maps *m);

#endif
