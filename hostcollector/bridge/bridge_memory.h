/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's memory, which a front-end shares: finds addresses within bounds. */
#ifndef TPROF_BRIDGE_BRIDGE_MEMORY_H
#define TPROF_BRIDGE_BRIDGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define MEMORY_REGIONS 8u /* as many as vhost-user's table has */

/* One region as a front-end describes it, unchecked. */
struct memory_claim {
    uint64_t guest;  /* the guest's physical address of its first byte */
    uint64_t size;   /* bytes */
    uint64_t user;   /* its address in the front-end, as rings are named by */
    uint64_t offset; /* of its beginning in the file */
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
 * Map (count) regions, region i from the file fds[i], in place of those that
 * (m) has; (m) begins as zero. The descriptors stay the caller's. Only one
 * memory at a time is watched for files that shrink: see memory_lost().
 *
 * Returns 0; -1 with (e) filled, and nothing is mapped.
 */
int memory_map(struct memory *m, const struct memory_claim *claims,
               const int *fds, unsigned count, struct err *e);

/* Unmap all regions. Pointers into them become invalid. */
void memory_unmap(struct memory *m);

/*
 * Where the guest's physical address (guest) is mapped; NULL if it is not.
 * (*size) is how many bytes are wanted, and becomes how many of them follow in
 * the same region, at least 1.
 */
uint8_t *memory_at(const struct memory *m, uint64_t guest, uint64_t *size);

/* Where the front-end's address (user) is mapped; NULL unless (size) bytes from
 * there are in one region. */
uint8_t *memory_at_user(const struct memory *m, uint64_t user, uint64_t size);

/*
 * Survive a file that shrinks while it is mapped, which would end the process
 * by SIGBUS: an empty page replaces the lost one, and memory_lost() becomes
 * true. Call it once, before memory_map().
 */
void memory_guard(void);

/* Has a page been lost since memory_map()? */
bool memory_lost(void);

#endif
