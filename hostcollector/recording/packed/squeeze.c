/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses a block into one zstd frame. */
#include "recording/packed/squeeze.h"

#include <stdbool.h>

#include <zstd.h>

#define CUT_MAX 16u /* most bytes that a cut costs */

size_t squeeze_bound(size_t size, const struct squeeze_cuts *cuts)
{
    return ZSTD_compressBound(size) + CUT_MAX * (cuts->count + 1);
}

/* Compress the bytes up to (to) into (out). The frame ends with them if
 * (last). */
static bool put(ZSTD_CCtx *c, ZSTD_outBuffer *out, ZSTD_inBuffer *in, size_t to,
                bool last)
{
    in->size = to;
    return ZSTD_compressStream2(c, out, in, last ? ZSTD_e_end : ZSTD_e_flush) ==
           0;
}

/* A compressor for one frame. All frames of a process use the same, since a new
 * one has a megabyte of new pages. NULL: no memory. */
static ZSTD_CCtx *begin_frame(int level, size_t size)
{
    static ZSTD_CCtx *c;

    if (c == NULL)
        c = ZSTD_createCCtx();
    if (c == NULL ||
        ZSTD_isError(ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters)) ||
        ZSTD_isError(
            ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)) ||
        ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(c, size)))
        return NULL;
    return c;
}

size_t squeeze(uint8_t *to, size_t room, const uint8_t *bytes, size_t size,
               const struct squeeze_cuts *cuts, int level)
{
    ZSTD_CCtx *c = begin_frame(level, size);
    ZSTD_outBuffer out = {to, room, 0};
    ZSTD_inBuffer in = {bytes, 0, 0};
    bool good = c != NULL;

    for (size_t i = 0; good && i < cuts->count; i++)
        if (cuts->at[i] > in.pos && cuts->at[i] < size)
            good = put(c, &out, &in, cuts->at[i], false);
    good = good && put(c, &out, &in, size, true);
    return good ? out.pos : 0;
}
