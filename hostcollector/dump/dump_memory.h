/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a guest that is dead, in a file: an ELF core or a compressed
 * dump, as QEMU's dump-guest-memory writes them, or all of it from address 0
 * on, as pmemsave, a Firecracker snapshot and a memory-backend-file have it.
 * The file is hostile: whatever it says, a read is inside of it or fails.
 */
#ifndef TPROF_DUMP_DUMP_MEMORY_H
#define TPROF_DUMP_DUMP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct dump_memory;

/* How an address is turned into a place in the file. */
enum dump_way {
    DUMP_BY_OFFSET, /* it is a physical one, less an offset */
    DUMP_BY_PARTS,  /* as the parts of an ELF core say */
};

struct dump_view {
    enum dump_way way;
    uint64_t offset; /* DUMP_BY_OFFSET: to be added, wrapping */
};

/* The memory in (fd), a regular file, which stays the caller's and open. NULL
 * with (e) filled. */
struct dump_memory *dump_memory_new(int fd, struct err *e);

/* Release (m). NULL is allowed. */
void dump_memory_free(struct dump_memory *m);

/* How many bytes of memory the file has. */
uint64_t dump_memory_size(const struct dump_memory *m);

/* Has it virtual addresses? Only then DUMP_BY_PARTS finds something. */
bool dump_memory_has_virtual(const struct dump_memory *m);

/* What was wrong with the first page of a compressed dump that could not be
 * read, of those that were asked for; NULL: nothing. */
const char *dump_memory_trouble(const struct dump_memory *m);

/* What is lacking of a core whose end is not in the file: "is cut: 1 of 2 bytes
 * of memory are in it". NULL: nothing is known to be. */
const char *dump_memory_cut(const struct dump_memory *m);

/* How many bytes of notes a core or compressed dump has; 0: none. Read up to
 * (size) of them from (offset) on; returns how many, 0: it failed. */
uint64_t dump_memory_notes_size(const struct dump_memory *m);
size_t dump_memory_notes(struct dump_memory *m, uint64_t offset, void *to,
                         size_t size);

/* Read up to (size) bytes at (address), as (v) sees it. Returns how many are
 * there from the start on. */
size_t dump_memory_some(struct dump_memory *m, const struct dump_view *v,
                        uint64_t address, void *to, size_t size);

/* Read (size) bytes at (address), as (v) sees it. False: not all of them are
 * there. */
bool dump_memory_read(struct dump_memory *m, const struct dump_view *v,
                      uint64_t address, void *to, size_t size);

/*
 * Where the (size) bytes at (pattern), of 8 to 16, lie in memory at a multiple
 * of 8, from (*place) on. (*physical) is the address there; (*place) moves
 * behind it, and begins as 0. False: nowhere, or the file could not be read.
 */
bool dump_memory_find(struct dump_memory *m, const void *pattern, size_t size,
                      uint64_t *place, uint64_t *physical);

#endif
