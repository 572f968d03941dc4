/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of one core in a guest's memory: its records from the oldest whole
 * one to the newest, whether a host has read them or not
 * (agent/src/sample/ring.h).
 */
#ifndef TPROF_DUMP_DUMP_RING_H
#define TPROF_DUMP_DUMP_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/dump_directory.h"
#include "dump/dump_memory.h"

#define DUMP_RING_BLOCK 512u /* words that are read at a time */

struct dump_ring {
    struct dump_memory *memory;
    struct dump_view view;
    uint64_t words; /* virtual address */
    uint32_t mask;
    uint32_t start; /* position of the oldest whole record */
    uint32_t tail;
    uint64_t block[DUMP_RING_BLOCK]; /* copy of the words from (block_at) on */
    uint32_t block_at;               /* UINT32_MAX: none */
    bool unread;                     /* a word could not be read */
};

/* Begin with the ring of (core), whose tail is (tail). */
void dump_ring_init(struct dump_ring *r, const struct dump_directory *d,
                    uint32_t core, uint32_t tail);

/* The word at position (at), which counts on like the tail. 0 if the dump does
 * not have it. */
uint64_t dump_ring_word(struct dump_ring *r, uint32_t at);

/*
 * Number of words of the record at (at), which must not be the tail.
 *
 * If the file is the memory of a running guest, it may change between two
 * reads. If there is no whole record between (at) and the tail any more, the
 * result is 0 and the tail becomes (at), so that loops up to the tail end.
 */
uint32_t dump_ring_count(struct dump_ring *r, uint32_t at);

#endif
