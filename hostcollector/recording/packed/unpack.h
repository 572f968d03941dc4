/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed chunks of a recording -> frames of the wire. The bytes may be
 * hostile: a block has at most PACKED_BLOCK_MAX bytes, and is unpacked one
 * frame at a time. A block that contradicts itself ends with an error.
 */
#ifndef TPROF_RECORDING_PACKED_UNPACK_H
#define TPROF_RECORDING_PACKED_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct unpack;

/* A new unpacker. NULL if there is no memory. */
struct unpack *unpack_new(void);

/* Release (u). NULL is allowed. */
void unpack_free(struct unpack *u);

/* Begin with the chunk (data), which may be freed afterwards. Returns 0; -1
 * with (e) filled if the chunk is damaged. */
int unpack_begin(struct unpack *u, const void *data, size_t size,
                 struct err *e);

/*
 * Unpack the next frame into (*frame), valid until the next call. The frame
 * came (*later_ns) after the chunk's time. Returns the frame's size; 0 at the
 * end; -1 with (e) filled if the chunk is damaged and ends here.
 */
long unpack_next(struct unpack *u, const uint8_t **frame, uint64_t *later_ns,
                 struct err *e);

/* Returns the start of the window of the last frame, as in the window's file
 * name. 0 if the chunk has a single window: then the chunk does not contain the
 * start. */
uint64_t unpack_window(const struct unpack *u);

#endif
