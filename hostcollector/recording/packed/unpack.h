/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed chunks of a recording -> frames of the wire. Their bytes may lie: a
 * block has at most PACKED_BLOCK_MAX bytes, what is made of it at once is a
 * frame, and a block that contradicts itself ends with words.
 */
#ifndef TPROF_RECORDING_PACKED_UNPACK_H
#define TPROF_RECORDING_PACKED_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct unpack;

/* NULL: no memory. */
struct unpack *unpack_new(void);

/* Release (u). NULL is allowed. */
void unpack_free(struct unpack *u);

/* Begin with the chunk (data), which need not stay. Returns 0; -1 with (e)
 * filled: it is damaged. */
int unpack_begin(struct unpack *u, const void *data, size_t size,
                 struct err *e);

/*
 * The next frame: its size, and (*frame), valid until the next call, which came
 * (*later_ns) after the chunk's time. Returns 0 at the end; -1 with (e) filled:
 * the chunk is damaged, and nothing more comes of it.
 */
long unpack_next(struct unpack *u, const uint8_t **frame, uint64_t *later_ns,
                 struct err *e);

/* The window that this frame is of, by the start that its name told. 0: not
 * known, the chunk is of one window. */
uint64_t unpack_window(const struct unpack *u);

#endif
