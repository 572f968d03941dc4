/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of several windows -> one chunk, in which they share their stacks and
 * columns (RECORDING.md, "Packed wire"). Each window stays what it was: a
 * reader gets the same frames of it, with the same times.
 */
#ifndef TPROF_RECORDING_PACKED_PACKED_MERGE_H
#define TPROF_RECORDING_PACKED_PACKED_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct packed_merge;

/* NULL: no memory. */
struct packed_merge *packed_merge_new(void);

/* Release (m). NULL is allowed. */
void packed_merge_free(struct packed_merge *m);

enum packed_merge_took {
    PACKED_MERGE_TOOK,
    PACKED_MERGE_FULL,  /* take what there is by packed_merge_end(), and give it
                           again */
    PACKED_MERGE_FAILED /* (e) says why: damaged, or merged already */
};

/* Add the chunk (data), which arrived at (arrival_ns), of the window that its
 * name says began at (start_ms). */
enum packed_merge_took packed_merge_add(struct packed_merge *m,
                                        uint64_t start_ms, uint64_t arrival_ns,
                                        const void *data, size_t size,
                                        struct err *e);

/* A chunk of what was added, and when it arrived; nothing is in (m), then. */
struct packed_merge_chunk {
    uint8_t *bytes; /* free() them; NULL: nothing was added */
    size_t size;
    uint64_t arrival_ns;
};

/* Returns 0; -1 with (e) filled: there is no memory. */
int packed_merge_end(struct packed_merge *m, struct packed_merge_chunk *chunk,
                     struct err *e);

#endif
