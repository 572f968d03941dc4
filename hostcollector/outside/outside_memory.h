/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a guest that stands still, word by word: what is read comes in
 * blocks, which are kept until the guest runs on. A walk over a stack then asks
 * the guest once or twice.
 */
#ifndef TPROF_OUTSIDE_OUTSIDE_MEMORY_H
#define TPROF_OUTSIDE_OUTSIDE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/guest.h"
#include "util/err.h"

#define OUTSIDE_BLOCK  1024u /* bytes: sixteen frames of usual size */
#define OUTSIDE_BLOCKS 16u

struct outside_memory {
    struct outside_guest *guest;
    uint32_t core; /* whose memory it is */
    const struct outside_registers *registers;
    struct err *e; /* of the first failure that was none of an address */
    bool failed;
    uint32_t next; /* block to be overwritten */
    struct {
        uint64_t address;
        size_t size; /* 0: nothing is there */
        uint8_t bytes[OUTSIDE_BLOCK];
    } blocks[OUTSIDE_BLOCKS];
};

/* Begin with core (core) of (g), which stands still and has (r). Failures go to
 * (e). */
void outside_memory_begin(struct outside_memory *m, struct outside_guest *g,
                          uint32_t core, const struct outside_registers *r,
                          struct err *e);

/* Read (size) bytes at (address), at most OUTSIDE_BLOCK, into (to). Returns
 * whether all of them could be read. */
bool outside_memory_read(struct outside_memory *m, uint64_t address, void *to,
                         size_t size);

#endif
