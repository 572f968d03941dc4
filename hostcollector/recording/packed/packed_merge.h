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

struct merge;

/* NULL: no memory. */
struct merge *merge_new(void);

/* Release (m). NULL is allowed. */
void merge_free(struct merge *m);

enum merge_took {
    MERGE_TOOK,
    MERGE_FULL,  /* take what there is by merge_end(), and give it again */
    MERGE_FAILED /* (e) says why: damaged, or merged already */
};

/* Add the chunk (data), which arrived at (arrival_ns), of the window that its
 * name says began at (start_ms). */
enum merge_took merge_add(struct merge *m, uint64_t start_ms,
                          uint64_t arrival_ns, const void *data, size_t size,
                          struct err *e);

/* A chunk of what was added, and when it arrived; nothing is in (m), then. */
struct merge_chunk {
    uint8_t *bytes; /* free() them; NULL: nothing was added */
    size_t size;
    uint64_t arrival_ns;
};

/* Returns 0; -1 with (e) filled: there is no memory. */
int merge_end(struct merge *m, struct merge_chunk *chunk, struct err *e);

#endif
