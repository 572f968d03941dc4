/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a dump in the kdump-compressed format, whose pages are compressed by
 * zlib or zstd: QEMU's dump-guest-memory -z, and makedumpfile. A place in such
 * a dump is an offset into its uncompressed pages, in the order of the file.
 *
 * lzo and snappy are refused: each would need a library or a decoder of its
 * own, and QEMU always offers zlib. libkdumpfile 0.5.1 (Debian 12) is not used,
 * because it cannot read flattened files (dump_file.h).
 */
#ifndef TPROF_DUMP_KDUMP_H
#define TPROF_DUMP_KDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_file.h"
#include "dump/parts.h"

#define DUMP_PAGE 4096u

/* Compression methods: flags in the dump's head and in a page's descriptor. */
#define DUMP_PAGE_ZLIB    0x01u
#define DUMP_PAGE_LZO     0x02u /* refused */
#define DUMP_PAGE_SNAPPY  0x04u /* refused */
#define DUMP_PAGE_ZSTD    0x20u
#define DUMP_PAGE_METHODS 0x27u

struct dump_kdump;

/* Does a file with these 8 bytes at its start have that format? */
bool dump_kdump_is(const uint8_t start[8]);

/* Open the dump in (f), which must outlive the result. (p) receives the parts
 * of memory, with places for dump_kdump_read(), and the place of the notes in
 * (f). NULL with (e) filled on failure. */
struct dump_kdump *dump_kdump_new(struct dump_file *f, struct dump_parts *p,
                                  struct err *e);

/* Release (k). NULL is allowed. */
void dump_kdump_free(struct dump_kdump *k);

/* Read the (size) bytes from the place (at) on. Returns false if not all of
 * them are there. */
bool dump_kdump_read(struct dump_kdump *k, uint64_t at, void *to, size_t size);

/* Description of the first page that could not be read; NULL if there is none.
 */
const char *dump_kdump_trouble(const struct dump_kdump *k);

#endif
