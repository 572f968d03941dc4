/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the kernel's code that samples hit, each with its number of
 * samples. Part of pgo. */
#ifndef TPROF_PGO_HITS_H
#define TPROF_PGO_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "util/pair_map.h"

struct image;

struct pgo_hit {
    uint64_t address; /* link-time address in the image */
    uint64_t samples; /* 0: no samples; the address is needed for another
                       * reason */
};

/* Zeroed: empty. */
struct hits {
    struct pgo_hit *list;
    size_t count, room;
    uint64_t samples; /* samples of all addresses */
    struct pair_map by_address;
};

/* Collect the busy samples of (p) in the kernel's own code, and the first
 * addresses of the functions of (image) that they hit. Returns 0; -1 if there
 * is no memory. hits_fini() must follow in both cases. */
int hits_gather(struct hits *out, const struct profile *p, const struct view *v,
                const struct image *image);

/* Add (samples) at (address). Returns 0; -1 if there is no memory. */
int hits_add(struct hits *h, uint64_t address, uint64_t samples);

/* Returns the number of samples that hit (address). */
uint64_t hits_at(const struct hits *h, uint64_t address);

/* Release what (h) holds. */
void hits_fini(struct hits *h);

#endif
