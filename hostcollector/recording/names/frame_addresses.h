/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a profile that a report asks about, image by image. */
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
    bool full; /* further ones are left out */
};

struct image_addresses {
    struct address_list leaves; /* interrupted instructions */
    struct address_list calls;  /* return addresses */
};

struct frame_addresses {
    struct image_addresses *images; /* by number in the image map */
    size_t image_count;
    size_t bytes, bytes_max;
    bool partial; /* some had no room */
};

/*
 * Gather into (a), which is zero but for (bytes_max), all addresses of (p), and
 * of callers that the walk along frames has missed; each once, rising. Returns
 * 0; -1 if there is no memory. frame_addresses_fini() must follow in both
 * cases.
 */
int frame_addresses_gather(struct frame_addresses *a, const struct profile *p,
                           const struct image_map *image_map);

/* Release what (a) holds. */
void frame_addresses_fini(struct frame_addresses *a);

#endif
