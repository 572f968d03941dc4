/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls zlib, libzstd, libsnappy, and our own for lzo. */
#include "dump/page.h"

#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "dump/lzo.h"
#include "dump/snappy.h"

static size_t by_zlib(const uint8_t *from, size_t size, uint8_t to[DUMP_PAGE])
{
    uLongf length = DUMP_PAGE;

    return uncompress(to, &length, from, (uLong)size) == Z_OK ? length : 0;
}

bool dump_page(uint32_t flags, const uint8_t *from, size_t size,
               uint8_t to[DUMP_PAGE])
{
    switch (flags & DUMP_PAGE_METHODS) {
    case 0:
        if (size == DUMP_PAGE)
            memcpy(to, from, size);
        return size == DUMP_PAGE;
    case DUMP_PAGE_ZLIB:
        return by_zlib(from, size, to) == DUMP_PAGE;
    case DUMP_PAGE_LZO:
        return dump_lzo(from, size, to, DUMP_PAGE) == DUMP_PAGE;
    case DUMP_PAGE_SNAPPY:
        return dump_snappy(from, size, to, DUMP_PAGE) == DUMP_PAGE;
    case DUMP_PAGE_ZSTD:
        return ZSTD_decompress(to, DUMP_PAGE, from, size) == DUMP_PAGE;
    default:
        return false;
    }
}
