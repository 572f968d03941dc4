/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a stopped guest, read in blocks and returned word by word. Blocks
 * are kept until the guest runs again, so a walk over a stack needs one or two
 * requests.
 */
#ifndef TPROF_OUTSIDE_OUTSIDE_MEMORY_H
#define TPROF_OUTSIDE_OUTSIDE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/outside_guest.h"
#include "util/err.h"

#define OUTSIDE_BLOCK  1024u /* bytes: sixteen frames of the usual size */
#define OUTSIDE_BLOCKS 16u

struct outside_memory {
    struct outside_guest *guest;
    uint32_t core; /* the core that sees the memory */
    const struct cpu_registers *registers;
    struct err *e; /* the first error, other than an unreadable address */
    bool failed;
    uint32_t next; /* index of the block to overwrite next */
    struct {
        uint64_t address;
        size_t size; /* 0: no block */
        uint8_t bytes[OUTSIDE_BLOCK];
    } blocks[OUTSIDE_BLOCKS];
};

/* Begin with core (core) of (g), which is stopped and has (r). Errors go to
 * (e). */
void outside_memory_begin(struct outside_memory *m, struct outside_guest *g,
                          uint32_t core, const struct cpu_registers *r,
                          struct err *e);

/* Read (size) bytes at (address), at most OUTSIDE_BLOCK, into (to). Returns
 * false if a part of them cannot be read. */
bool outside_memory_read(struct outside_memory *m, uint64_t address, void *to,
                         size_t size);

#endif
