/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dump in the kdump-compressed format, each page of which is compressed by
 * zlib, lzo, snappy or zstd: QEMU's dump-guest-memory -z, -l and -s, and
 * makedumpfile. Its pages are, one after the other, what a file without
 * compression would have. Not by libkdumpfile: of Debian 12 (0.5.1) it takes a
 * descriptor only, of a file that is not flattened (file.h).
 */
#ifndef TPROF_DUMP_KDUMP_H
#define TPROF_DUMP_KDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_file.h"
#include "dump/parts.h"

struct dump_kdump;

/* Does a file with these 8 bytes at its start have that format? */
bool dump_kdump_is(const uint8_t start[8]);

/* The dump in (f), which outlives it. (p) gets its parts, whose places are such
 * for dump_kdump_read(); its notes are in (f). NULL with (e) filled. */
struct dump_kdump *dump_kdump_new(struct dump_file *f, struct dump_parts *p,
                                  struct err *e);

/* Release (k). NULL is allowed. */
void dump_kdump_free(struct dump_kdump *k);

/* Read the (size) bytes of the pages from (at) on. False: not all of them are
 * there. */
bool dump_kdump_read(struct dump_kdump *k, uint64_t at, void *to, size_t size);

/* What was wrong with the first page that could not be read; NULL: all could.
 */
const char *dump_kdump_trouble(const struct dump_kdump *k);

#endif
