/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps the guest's memory, which a front-end shares, and finds addresses in it
 * within bounds. */
#ifndef TPROF_BRIDGE_BRIDGE_MEMORY_H
#define TPROF_BRIDGE_BRIDGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define BRIDGE_MEMORY_REGIONS 8u /* as many as a vhost-user message holds */

/* One region as a front-end describes it, not yet checked. */
struct bridge_memory_claim {
    uint64_t guest;  /* guest's physical address of its first byte */
    uint64_t size;   /* bytes */
    uint64_t user;   /* address in the front-end, by which rings are named */
    uint64_t offset; /* of its first byte in the file */
};

struct bridge_memory {
    struct memory_region {
        struct bridge_memory_claim is;
        uint8_t *host; /* its first byte in this process */
        void *map;
        size_t map_size;
    } regions[BRIDGE_MEMORY_REGIONS];
    unsigned count;
};

/*
 * Map (count) regions, region i from the file fds[i], and unmap the regions
 * that (m) had. (m) begins as zero. The descriptors stay the caller's. Only one
 * memory at a time is protected against files that shrink: see
 * bridge_memory_lost().
 *
 * Returns 0; -1 with (e) filled, and nothing is mapped.
 */
int bridge_memory_map(struct bridge_memory *m,
                      const struct bridge_memory_claim *claims, const int *fds,
                      unsigned count, struct err *e);

/* Unmap all regions. Pointers into them become invalid. */
void bridge_memory_unmap(struct bridge_memory *m);

/*
 * Returns the address in this process of the guest's physical address (guest);
 * NULL if it is not mapped. (*size) is the number of bytes that the caller
 * wants. Stores in (*size) how many of these bytes lie in the same region, at
 * least 1.
 */
uint8_t *bridge_memory_at(const struct bridge_memory *m, uint64_t guest,
                          uint64_t *size);

/* Returns the address in this process of the front-end's address (user); NULL
 * unless (size) bytes from there on lie in one region. */
uint8_t *bridge_memory_at_user(const struct bridge_memory *m, uint64_t user,
                               uint64_t size);

/*
 * Handle SIGBUS, which is raised when a mapped file shrinks and would end the
 * process: an empty page replaces the lost one, and bridge_memory_lost()
 * becomes true. Call this once, before bridge_memory_map().
 */
void bridge_memory_guard(void);

/* Has a page been lost since bridge_memory_map()? */
bool bridge_memory_lost(void);

#endif
