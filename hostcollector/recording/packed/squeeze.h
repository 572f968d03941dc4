/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses a block as one zstd frame that states its size, and has a
 * checksum: else a flipped bit would be another sample. Where the block is cut,
 * the compressor begins a code anew: columns whose bytes are unlike each other
 * take less so. A reader need not know.
 */
#ifndef TPROF_RECORDING_PACKED_SQUEEZE_H
#define TPROF_RECORDING_PACKED_SQUEEZE_H

#include <stddef.h>
#include <stdint.h>

#define SQUEEZE_CUTS 128u

/* Zeroed: none. */
struct squeeze_cuts {
    size_t at[SQUEEZE_CUTS];
    size_t count;
};

/* Cut at (at), which is not before the last one, unless there are too many. */
static inline void squeeze_cut(struct squeeze_cuts *c, size_t at)
{
    if (c->count < SQUEEZE_CUTS)
        c->at[c->count++] = at;
}

/* Bytes that squeeze() may need. */
size_t squeeze_bound(size_t size, const struct squeeze_cuts *cuts);

/* Compress (size) bytes into the (room) ones at (to). Returns their number; 0:
 * there is no memory. */
size_t squeeze(uint8_t *to, size_t room, const uint8_t *bytes, size_t size,
               const struct squeeze_cuts *cuts, int level);

#endif
