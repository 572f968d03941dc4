/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncompresses sections. Not by elf_compress() of libelf, whose versions up to
 * 0.188 do not know zstd, which does not bound what comes out, and which writes
 * into the image. Only files of this folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_DECOMPRESS_H
#define TPROF_IMAGE_FILE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By their numbers in an ELF file (ELFCOMPRESS_*). */
enum decompress_method { UNPACK_ZLIB = 1, UNPACK_ZSTD = 2 };

/* A compressed section: what it says, and its bytes in the file. */
struct packed {
    uint32_t method; /* enum decompress_method, or one that is not known */
    uint64_t size;   /* of what comes out */
    const uint8_t *bytes;
    uint64_t packed_size;
};

/* What has been uncompressed. All zero: nothing. */
struct decompressed {
    struct unpacked_part *list;
    size_t count, room;
    uint64_t size; /* of all parts */
    bool failed;   /* something could not be uncompressed */
};

/*
 * The (p->size) bytes of (p), which live as long as (u); uncompressed once,
 * however often they are asked for. NULL: the method is not known, the bytes
 * are damaged or more than any kernel has, or there is no memory.
 */
const uint8_t *decompress(struct decompressed *u, const struct packed *p);

/* Release all parts of (u). */
void decompressed_fini(struct decompressed *u);

#endif
