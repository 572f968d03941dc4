/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One core's ring in a guest's memory: its records, drained or not, from the
 * oldest that is whole to the newest (agent/src/ring.h).
 */
#ifndef TPROF_DUMP_RING_H
#define TPROF_DUMP_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/directory.h"
#include "dump/dump_memory.h"

#define DUMP_RING_BLOCK 512u /* words that are read at a time */

struct dump_ring {
    struct dump_memory *memory;
    struct dump_view view;
    uint64_t words; /* address */
    uint32_t mask;
    uint32_t start; /* of the oldest whole record */
    uint32_t tail;
    uint64_t block[DUMP_RING_BLOCK]; /* words from (block_at) on */
    uint32_t block_at;               /* UINT32_MAX: none */
    bool unread;                     /* a word could not be read */
};

/* The ring of (core), whose tail is (tail). */
void dump_ring_init(struct dump_ring *r, const struct dump_directory *d,
                    uint32_t core, uint32_t tail);

/* The word at (at), counted as the tail is; 0: it is not in the dump. */
uint64_t dump_ring_word(struct dump_ring *r, uint32_t at);

/*
 * How many words the record at (at) has, which is not the tail.
 *
 * The file may be the memory of a guest that runs, and change between two
 * looks. Where no record is any more that ends at the tail or before, the
 * result is 0, and (at) is the tail from now on: whoever goes on by the result
 * until the tail comes to an end.
 */
uint32_t dump_ring_count(struct dump_ring *r, uint32_t at);

#endif
