/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns that are compressed apart. */
#include "check.h"

#include <string.h>

#include <zstd.h>

#include "recording/packed/squeeze.h"

#define N 8000u

static uint8_t columns[3 * N], small[sizeof columns + 4096], back[3 * N];

/* Intervals of 6 bits, lateness of 1 bit, and stacks of 4. */
static void fill(void)
{
    uint32_t state = 3;

    for (size_t i = 0; i < sizeof columns; i++) {
        state = state * 1664525u + 1013904223u;
        columns[i] = (uint8_t)(i < N       ? 32 + (state >> 26)
                               : i < 2 * N ? state >> 31
                                           : 100 + (state >> 28));
    }
}

TEST(columns_take_what_is_in_them) /* catches: one code for all of them */
{
    struct squeeze_cuts cuts = {0};

    fill();
    squeeze_cut(&cuts, N);
    squeeze_cut(&cuts, 2 * N);
    CHECK(squeeze_bound(sizeof columns, &cuts) <= sizeof small);
    size_t size =
        squeeze(small, sizeof small, columns, sizeof columns, &cuts, 6);

    /* a code of whole bits needs 11; matches cost a few percent more */
    CHECK(size != 0 && size < N * 12 / 8);
    CHECK_EQ(ZSTD_getFrameContentSize(small, size), sizeof columns);
    CHECK_EQ(ZSTD_decompress(back, sizeof back, small, size), sizeof columns);
    CHECK_MEM(back, columns, sizeof columns);
}

TEST(cuts_may_be_anywhere) /* catches: an empty part, one behind the end */
{
    struct squeeze_cuts cuts = {0};

    fill();
    for (size_t i = 0; i < 2 * SQUEEZE_CUTS; i++)
        squeeze_cut(&cuts, i / 2 * 400);
    CHECK(squeeze_bound(sizeof columns, &cuts) <= sizeof small);
    size_t size = squeeze(small, sizeof small, columns, 8100, &cuts, 6);

    CHECK_EQ(ZSTD_decompress(back, sizeof back, small, size), 8100);
    CHECK_MEM(back, columns, 8100);
    CHECK(squeeze(small, 100, columns, 8100, &cuts, 6) == 0);
}
