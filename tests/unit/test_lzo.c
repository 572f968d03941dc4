/* SPDX-License-Identifier: BSD-2-Clause */
/* What liblzo2 has compressed, well and badly, is uncompressed; what is damaged
 * is judged as liblzo2 judges it. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <lzo/lzo1x.h>

#include "check.h"
#include "dump/lzo.h"

#define SIZE   49152u /* farther than the farthest match */
#define PACKED (SIZE + SIZE / 16 + 67)

static uint8_t plain[SIZE], packed[PACKED], mine[SIZE], theirs[SIZE];
static _Alignas(16) uint8_t work[LZO1X_999_MEM_COMPRESS];
static uint64_t state;

static uint32_t dice(uint32_t sides)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % sides;
}

/* Bytes that are new, of (symbols) kinds, and copies of those before. */
static void invent(size_t size, uint32_t symbols, uint32_t copies)
{
    size_t at = 0;

    while (at < size) {
        size_t n = dice(dice(8) == 0 ? 2000 : 20) + 1u, far = dice(SIZE) + 1u;

        if (n > size - at)
            n = size - at;
        if (dice(4) != 0)
            far %= 2100;
        for (bool copy = dice(100) < copies && far != 0 && far <= at; n > 0;
             n--, at++)
            plain[at] = copy ? plain[at - far] : (uint8_t)dice(symbols);
    }
}

static size_t compress(size_t size, bool well)
{
    lzo_uint n = 0;

    CHECK((well ? lzo1x_999_compress : lzo1x_1_compress)(plain, size, packed,
                                                         &n, work) == LZO_E_OK);
    return n;
}

TEST(what_lzo_compressed_is_uncompressed)
/* catches: an instruction that is read wrongly */
{
    CHECK(lzo_init() == LZO_E_OK);
    for (unsigned i = 0; i < 300; i++) {
        size_t size = i % 3 == 0 ? SIZE : dice(4096) + 1u;

        invent(size, 1u << dice(9), dice(101));
        size_t n = compress(size, i % 2 == 0);

        memset(mine, 0, sizeof mine);
        CHECK_EQ(dump_lzo(packed, n, mine, size), size);
        CHECK_EQ(memcmp(mine, plain, size), 0);
        CHECK_EQ(dump_lzo(packed, n, mine, size - 1), 0);
    }
}

TEST(what_is_damaged_is_what_lzo_takes_it_for)
/* catches: reads and writes beyond (by the sanitizers), and other bytes than
 * liblzo2's */
{
    unsigned good = 0;

    CHECK(lzo_init() == LZO_E_OK);
    for (unsigned i = 0; i < 8000; i++) {
        size_t size = dice(1000) + 1u;

        if (i % 50 == 0)
            invent(size, 1u << dice(9), dice(101));
        size_t n = compress(size, i % 2 == 0);
        lzo_uint room = SIZE;

        for (unsigned k = dice(3); k < 3; k++)
            packed[dice((uint32_t)n)] = (uint8_t)dice(256);
        size_t got = dump_lzo(packed, n, mine, SIZE);

        if (lzo1x_decompress_safe(packed, n, theirs, &room, NULL) != LZO_E_OK)
            continue;
        good++;
        CHECK_EQ(got, room);
        CHECK_EQ(memcmp(mine, theirs, got), 0);
    }
    CHECK(good > 400);
}
