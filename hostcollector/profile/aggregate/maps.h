/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images that a guest has loaded beside its kernel, and when. They come and
 * go, and several may have been at one address one after the other. In a
 * finished profile each has addresses of its own: of an image that has gone, or
 * whose place another one had, all addresses are moved to where no code can be.
 *
 * Time is told in eras: a guest's generations, counted on over its boots.
 */
#ifndef TPROF_PROFILE_AGGREGATE_MAPS_H
#define TPROF_PROFILE_AGGREGATE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/guest.h"

/* Eras, from 1 on. */
#define ERA_NONE   0u         /* that of addresses which no image can have */
#define ERA_NEWEST UINT32_MAX /* not known: the newest */

struct maps_image;
struct maps_stay;

/* Zeroed: none. */
struct maps {
    struct maps_image *images; /* in the order in which they were told */
    size_t count;
    struct maps_stay *stays; /* when each of them was there */
    size_t stay_count, stay_room;
    struct guest_map *shown; /* by maps_show() */
    size_t shown_count;
    uint64_t room; /* the next address to which an image is moved; 0: first */
    uint32_t boot_era; /* era of this boot's generation 0, less one */
    uint32_t last_era; /* that was heard of */
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

/* The guest booted again: all images have gone. */
void maps_reboot(struct maps *m);

/* The era of this boot's (generation); ERA_NEWEST for GENERATION_NONE. */
uint32_t maps_era(struct maps *m, uint32_t generation);

/* Decide at which addresses the images are shown: (m->shown), by rising
 * address; no two overlap. Returns whether any of them is moved. */
bool maps_show(struct maps *m);

/* Where (address) of (era) is shown, after maps_show(). (behind) is 1 for a
 * return address, which may be the first byte behind its image. */
uint64_t maps_shown(const struct maps *m, uint32_t era, uint64_t address,
                    unsigned behind);

/* Are (a) and (b) the same image, perhaps at different addresses? */
bool maps_same_image(const struct guest_map *a, const struct guest_map *b);

/* Release what (m) holds. */
void maps_fini(struct maps *m);

#endif
