/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the addresses of a profile that a report looks up, for each image. */
#ifndef TPROF_RECORDING_NAMES_FRAME_ADDRESSES_H
#define TPROF_RECORDING_NAMES_FRAME_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_map;
struct profile;

/* Link-time addresses. */
struct address_list {
    uint64_t *list;
    size_t count, room;
    bool full; /* further addresses had no room, and are missing */
};

struct image_addresses {
    struct address_list leaves; /* interrupted instructions */
    struct address_list calls;  /* return addresses */
};

struct frame_addresses {
    struct image_addresses *images; /* by number in the image map */
    size_t image_count;
    size_t bytes, bytes_max;
    bool partial; /* some addresses had no room */
};

/*
 * Gather all addresses of (p) into (a), also addresses of callers that the
 * frame walk missed. Each address is listed once, in rising order. (a) is zero
 * except (bytes_max). Returns 0; -1 if there is no memory. Call
 * frame_addresses_fini() in both cases.
 */
int frame_addresses_gather(struct frame_addresses *a, const struct profile *p,
                           const struct image_map *image_map);

/* Release what (a) holds. */
void frame_addresses_fini(struct frame_addresses *a);

#endif
