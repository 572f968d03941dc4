/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The images that a guest has loaded in addition to its kernel, and the times
 * when they were loaded. A guest may load several images one after the other at
 * the same address.
 *
 * In a finished profile each image has addresses of its own. If an image was
 * unloaded, or if another image was at its place, its addresses are moved to a
 * range without code.
 *
 * Time is counted in eras. An era is a guest's generation, counted on over its
 * boots.
 */
#ifndef TPROF_PROFILE_AGGREGATE_MAPS_H
#define TPROF_PROFILE_AGGREGATE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/guest.h"

/* Eras, from 1 on. */
#define ERA_NONE   0u         /* era of addresses at which no image can be */
#define ERA_NEWEST UINT32_MAX /* unknown: take the newest */

struct maps_image;
struct maps_stay;

/* Zeroed: no images. */
struct maps {
    /* in the order in which the guest reported them */
    struct maps_image *images;
    size_t count;
    struct maps_stay *stays; /* the spans of time in which images were loaded */
    size_t stay_count, stay_room;
    struct guest_map *shown; /* result of maps_show() */
    size_t shown_count;
    /* next address to which an image is moved; 0: none moved yet */
    uint64_t room;
    uint32_t boot_era; /* era of this boot's generation 0, minus one */
    uint32_t last_era; /* the latest era that the guest reported */
    uint64_t refused;
};

enum maps_answer {
    MAPS_TAKEN,   /* the image is listed, perhaps since an earlier report */
    MAPS_REFUSED, /* the image overlaps another, or there is no room for it */
    MAPS_OTHER_IMAGE, /* an earlier boot had another image at this address */
};

/* Add (map), which guest (g) reported in boot number (boot). */
enum maps_answer maps_add(struct maps *m, const struct guest_map *map,
                          const struct guest *g, uint32_t boot);

/* Unload all images, because the guest booted again. */
void maps_reboot(struct maps *m);

/* Returns the era of this boot's (generation); ERA_NEWEST for
 * GENERATION_NONE. */
uint32_t maps_era(struct maps *m, uint32_t generation);

/* Decide at which addresses the images are shown. (m->shown) lists them by
 * rising address, without overlaps. Returns whether any image is moved. */
bool maps_show(struct maps *m);

/* Returns the address at which (address) of (era) is shown, after maps_show().
 * (behind) is 1 for a return address, which may be the first byte after its
 * image; else 0. */
uint64_t maps_shown(const struct maps *m, uint32_t era, uint64_t address,
                    unsigned behind);

/* Release what (m) holds. */
void maps_fini(struct maps *m);

#endif
