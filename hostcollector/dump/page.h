/* SPDX-License-Identifier: BSD-2-Clause */
/* One page of a compressed dump, uncompressed. */
#ifndef TPROF_DUMP_PAGE_H
#define TPROF_DUMP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_PAGE 4096u

/* How a page is compressed: flags of its descriptor, and of the dump's head. */
#define DUMP_PAGE_ZLIB    0x01u
#define DUMP_PAGE_LZO     0x02u
#define DUMP_PAGE_SNAPPY  0x04u
#define DUMP_PAGE_ZSTD    0x20u
#define DUMP_PAGE_METHODS 0x27u

/* Uncompress the (size) bytes at (from) by the one method that (flags) name, or
 * take them as they are. False: the result is no page. */
bool dump_page(uint32_t flags, const uint8_t *from, size_t size,
               uint8_t to[DUMP_PAGE]);

#endif
