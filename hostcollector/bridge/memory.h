/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's memory as a front-end shares it: addresses -> places, in bounds. */
#ifndef TPROF_BRIDGE_MEMORY_H
#define TPROF_BRIDGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define MEMORY_REGIONS 8u /* as many as vhost-user's table has */

/* One region as a front-end describes it; nothing of it is checked. */
struct memory_claim {
    uint64_t guest;  /* the guest's physical address of its first byte */
    uint64_t size;   /* bytes */
    uint64_t user;   /* the front-end's own address of it, which names rings */
    uint64_t offset; /* where in the file it begins */
};

struct memory {
    struct memory_region {
        struct memory_claim is;
        uint8_t *host; /* its first byte here */
        void *map;
        size_t map_size;
    } regions[MEMORY_REGIONS];
    unsigned count;
};

/*
 * Replace what (m), which begins as zero, maps by (count) regions: region i of
 * the file fds[i]. The descriptors stay the caller's. One memory at a time is
 * watched for files that shrink (memory_lost()).
 *
 * Returns 0; -1 with (e) filled, and nothing is mapped.
 */
int memory_map(struct memory *m, const struct memory_claim *claims,
               const int *fds, unsigned count, struct err *e);

/* Map nothing any more. Pointers into it become invalid. */
void memory_unmap(struct memory *m);

/*
 * Where the guest's physical address (guest) is, NULL if nowhere. From there
 * (*size) bytes, at least 1, belong together: at most as many as it says
 * before. A range that spans regions has several such pieces.
 */
uint8_t *memory_at(const struct memory *m, uint64_t guest, uint64_t *size);

/* Where the front-end's address (user) is; NULL unless (size) bytes are. */
uint8_t *memory_at_user(const struct memory *m, uint64_t user, uint64_t size);

/*
 * Survive a file that shrinks under its mapping, which is SIGBUS otherwise: the
 * lost page is replaced by an empty one, and memory_lost() tells. Once, first.
 */
void memory_guard(void);

/* True if some of what is mapped got lost since memory_map(). */
bool memory_lost(void);

#endif
