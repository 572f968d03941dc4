/* SPDX-License-Identifier: BSD-2-Clause */
/* A SAMPLES frame written in one go */
#ifndef ENCODE_ALL_H
#define ENCODE_ALL_H

#include "encode/encode.h"

/* Writes a frame with the records of (session) that (r) has and that fit, as
 * number (seq), into the (size) bytes at (data). Returns the bytes of the
 * frame; 0: there are no records. Stores the number of cells in (*cells),
 * unless it is NULL. */
static inline uint32_t encode_all(void *data, uint32_t size, uint16_t seq,
                                  const struct tprof_crc32c *crc,
                                  struct tprof_reader *r, uint32_t core,
                                  uint32_t session, uint32_t *cells)
{
    struct tprof_samples s;

    tprof_frame_begin(&s.frame, data, size, WIRE_SAMPLES, seq);
    if (tprof_samples_begin(&s, r, core, session) == 0)
        return 0;
    while (s.left > 0)
        tprof_samples_more(&s, UINT32_MAX);
    if (cells)
        *cells = s.cells;
    return tprof_frame_end(&s.frame, crc);
}

#endif
