/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of several windows -> one chunk, in which the windows share their
 * stacks and columns (RECORDING.md, "Packed wire"). Each window keeps its
 * contents: a reader gets the same frames with the same times.
 */
#ifndef TPROF_RECORDING_PACKED_PACKED_MERGE_H
#define TPROF_RECORDING_PACKED_PACKED_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct packed_merge;

/* Returns an empty merger. NULL if there is no memory. */
struct packed_merge *packed_merge_new(void);

/* Release (m). NULL is allowed. */
void packed_merge_free(struct packed_merge *m);

enum packed_merge_took {
    PACKED_MERGE_TOOK,
    /* not added: call packed_merge_end(), then add the chunk again */
    PACKED_MERGE_FULL,
    /* (e) says why: the chunk is damaged, or has several windows */
    PACKED_MERGE_FAILED
};

/* Add the chunk (data), which arrived at (arrival_ns), of the window that
 * began at (start_ms) by its file name. */
enum packed_merge_took packed_merge_add(struct packed_merge *m,
                                        uint64_t start_ms, uint64_t arrival_ns,
                                        const void *data, size_t size,
                                        struct err *e);

/* The merged chunk, and its arrival time. */
struct packed_merge_chunk {
    uint8_t *bytes; /* released by free(); NULL: nothing was added */
    size_t size;
    uint64_t arrival_ns;
};

/* Take the merged chunk, which empties (m). Returns 0; -1 with (e) filled if
 * there is no memory. */
int packed_merge_end(struct packed_merge *m, struct packed_merge_chunk *chunk,
                     struct err *e);

#endif
