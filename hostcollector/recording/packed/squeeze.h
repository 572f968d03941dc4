/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses a block into one zstd frame. The frame states the block's size and
 * has a checksum, because a flipped bit would change samples silently. The
 * compressor starts with new codes at each cut, so neighboring columns with
 * different kinds of bytes become smaller. Readers need not know the cuts.
 */
#ifndef TPROF_RECORDING_PACKED_SQUEEZE_H
#define TPROF_RECORDING_PACKED_SQUEEZE_H

#include <stddef.h>
#include <stdint.h>

#define SQUEEZE_CUTS 128u

/* Zeroed: no cuts. */
struct squeeze_cuts {
    size_t at[SQUEEZE_CUTS];
    size_t count;
};

/* Add a cut at (at), which is not before the last cut. Too many cuts are
 * ignored. */
static inline void squeeze_cut(struct squeeze_cuts *c, size_t at)
{
    if (c->count < SQUEEZE_CUTS)
        c->at[c->count++] = at;
}

/* Returns an upper limit of the bytes that squeeze() writes. */
size_t squeeze_bound(size_t size, const struct squeeze_cuts *cuts);

/* Compress (size) bytes into the (room) bytes at (to). Returns the number of
 * bytes written; 0 if there is no memory. */
size_t squeeze(uint8_t *to, size_t room, const uint8_t *bytes, size_t size,
               const struct squeeze_cuts *cuts, int level);

#endif
