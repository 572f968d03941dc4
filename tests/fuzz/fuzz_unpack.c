/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile block of a packed chunk, unpacked and merged, compressed here, so
 * that the fuzzer need not find what zstd wants; the last byte chooses: 1, the
 * bytes are the compressed ones.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <zstd.h>

#include "recording/packed/packed_merge.h"
#include "recording/packed/unpack.h"
#include "tprof_wire.h"
#include "util/bytes.h"

#define INPUT_MAX (1u << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* Each is one frame, whole; and a byte makes no more than so many. Returns
 * whether the block is right. */
static bool pass_frames(struct unpack *u, size_t size)
{
    const uint8_t *frame;
    uint64_t later_ns;
    size_t frames = 0;
    struct err e = {""};
    long n;

    while ((n = unpack_next(u, &frame, &later_ns, &e)) > 0) {
        must(n <= (long)WIRE_FRAME_MAX &&
             n == load_u16(frame + WIRE_FRAME_LENGTH) +
                      (long)(WIRE_FRAME_HEADER + WIRE_FRAME_TRAILER));
        must(++frames <= size);
    }
    must(n == 0 || e.text[0] != '\0');
    must(unpack_next(u, &frame, &later_ns, &e) <= 0);
    return n == 0;
}

/* Windows of such chunks are merged, if they are like ours; those that are
 * right stay right. */
static void merge(struct unpack *u, const uint8_t *data, size_t size,
                  bool right)
{
    static struct packed_merge *m;
    struct packed_merge_chunk chunk;
    struct err e = {""};

    if (m == NULL)
        m = packed_merge_new();
    must(m != NULL);
    bool took = packed_merge_add(m, 1764000000000, 1000, data, size, &e) ==
                PACKED_MERGE_TOOK;

    if (took)
        (void)packed_merge_add(m, 1764000010000, 2000, data, size, &e);
    must(packed_merge_end(m, &chunk, &e) == 0 && took == (chunk.bytes != NULL));
    if (!took)
        return;
    must(unpack_begin(u, chunk.bytes, chunk.size, &e) == 0);
    must(pass_frames(u, 1u << 20) || !right);
    free(chunk.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t packed[ZSTD_COMPRESSBOUND(INPUT_MAX)];
    static struct unpack *u;
    struct err e = {""};

    if (size < 2 || size > INPUT_MAX)
        return 0;
    if (u == NULL)
        u = unpack_new();
    must(u != NULL);
    if (data[--size] == 1) {
        if (unpack_begin(u, data, size, &e) == 0)
            merge(u, data, size, pass_frames(u, 1u << 20));
        return 0;
    }
    size_t n = ZSTD_compress(packed, sizeof packed, data, size, 1);

    must(!ZSTD_isError(n) && unpack_begin(u, packed, n, &e) == 0);
    merge(u, packed, n, pass_frames(u, size));
    return 0;
}
