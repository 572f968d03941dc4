/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile block of a packed chunk, compressed here, so that the fuzzer need
 * not find what zstd wants; the last byte chooses: 1, the bytes are the
 * compressed ones.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <zstd.h>

#include "spool/unpack.h"
#include "tprof_wire.h"
#include "util/bytes.h"

#define INPUT_MAX (1u << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* Each is one frame, whole; and a byte makes no more than so many. */
static void pass_frames(struct unpack *u, size_t size)
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
            pass_frames(u, 1u << 20);
        return 0;
    }
    size_t n = ZSTD_compress(packed, sizeof packed, data, size, 1);

    must(!ZSTD_isError(n) && unpack_begin(u, packed, n, &e) == 0);
    pass_frames(u, size);
    return 0;
}
