/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of guest memory that a dump file contains, and the compressed
 * format that some dump files have. */
#ifndef TPROF_DUMP_PARTS_H
#define TPROF_DUMP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_file.h"
#include "util/err.h"

#define DUMP_PARTS_MAX 4096u

struct dump_part {
    /* in the file, never beyond its end. In a compressed dump (at) is a place
     * for dump_kdump_read(). */
    uint64_t at, size;
    uint64_t physical;
    uint64_t virtual;
    bool has_virtual;
};

struct dump_parts {
    struct dump_part *list; /* to be released by free() */
    size_t count;
    uint64_t notes_at, notes_size; /* notes of a core; size 0: none */
    /* bytes of memory that are missing at the end of a core file */
    uint64_t cut;
};

/* Find the parts of memory in a file. dump_parts_elf() reads (f), which begins
 * like an ELF file: it is a core, or raw memory with an image at address 0.
 * dump_parts_raw() is for (size) bytes of raw memory from address 0 on. Both
 * return 0; -1 with (e) filled. */
int dump_parts_elf(struct dump_parts *p, struct dump_file *f, struct err *e);
int dump_parts_raw(struct dump_parts *p, uint64_t size, struct err *e);

/*
 * kdump.c: reads a dump in the kdump-compressed format, whose pages are
 * compressed by zlib or zstd: QEMU's dump-guest-memory -z, and makedumpfile. A
 * place in such a dump is an offset into its uncompressed pages, in the order
 * of the file.
 *
 * lzo and snappy are refused: each would need a library or a decoder of its
 * own, and QEMU always offers zlib. libkdumpfile 0.5.1 (Debian 12) is not used,
 * because it cannot read flattened files (dump_file.h).
 */

#define DUMP_PAGE 4096u

/* Compression methods: flags in the dump's head and in a page's descriptor. */
#define DUMP_PAGE_ZLIB    0x01u
#define DUMP_PAGE_LZO     0x02u /* refused */
#define DUMP_PAGE_SNAPPY  0x04u /* refused */
#define DUMP_PAGE_ZSTD    0x20u
#define DUMP_PAGE_METHODS 0x27u

struct dump_kdump;

/* Is a file with these 8 bytes at its start in this format? */
bool dump_kdump_is(const uint8_t start[8]);

/* Open the dump in (f), which must outlive the result. (p) receives the parts
 * of memory, with places for dump_kdump_read(), and the place of the notes in
 * (f). NULL with (e) filled on failure. */
struct dump_kdump *dump_kdump_new(struct dump_file *f, struct dump_parts *p,
                                  struct err *e);

/* Release (k). NULL is allowed. */
void dump_kdump_free(struct dump_kdump *k);

/* Read the (size) bytes from the place (at) on. Returns false if a part of them
 * is missing. */
bool dump_kdump_read(struct dump_kdump *k, uint64_t at, void *to, size_t size);

/* Description of the first page that could not be read; NULL if there is none.
 */
const char *dump_kdump_trouble(const struct dump_kdump *k);

#endif
