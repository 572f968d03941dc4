/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a dump whose pages are compressed by zlib, and compresses the pages
 * by zstd, as makedumpfile can. QEMU does not write such dumps.
 *
 *   repack FROM TO
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "util/bytes.h"

#define PAGE       4096u
#define PACKED_MAX 8192u /* no method makes a page larger than that */
#define DESCRIPTOR 24u

#define METHOD_ZSTD 0x20u

static uint8_t page[PAGE], packed[PACKED_MAX];

static void must(int good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "repack: %s\n", what);
    exit(1);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;
    long end;

    must(f != NULL && fseek(f, 0, SEEK_END) == 0, path);
    end = ftell(f);
    must(end > (long)(2 * PAGE), path);
    rewind(f);
    *size = (size_t)end;
    bytes = malloc(*size);
    must(bytes != NULL && fread(bytes, *size, 1, f) == 1, path);
    (void)fclose(f);
    return bytes;
}

/* Write the page of descriptor (d), compressed by zstd, to (to). Update (d). */
static void repack(const uint8_t *file, size_t file_size, uint8_t *d, FILE *to)
{
    uint32_t method = METHOD_ZSTD;
    uint64_t at = load_u64(d);
    uLongf size = PAGE;

    must(at < file_size && load_u32(d + 8) <= file_size - at, "cut");
    if (load_u32(d + 12) == 0)
        memcpy(page, file + at, PAGE);
    else
        must(uncompress(page, &size, file + at, load_u32(d + 8)) == Z_OK &&
                 size == PAGE,
             "zlib");
    size_t n = ZSTD_compress(packed, sizeof packed, page, PAGE, 1);

    must(!ZSTD_isError(n), "zstd");
    if (n >= PAGE) { /* as QEMU does */
        memcpy(packed, page, PAGE);
        n = PAGE;
        method = 0;
    }
    store_u64(d, (uint64_t)ftell(to));
    store_u32(d + 8, (uint32_t)n);
    store_u32(d + 12, method);
    must(fwrite(packed, n, 1, to) == 1, "write");
}

int main(int argc, char **argv)
{
    must(argc == 3, "repack FROM TO");
    size_t size;
    uint8_t *file = read_file(argv[1], &size);
    size_t bitmaps = load_u32(file + 436) / 2 * (size_t)PAGE;
    size_t bitmap = (1 + load_u32(file + 432)) * (size_t)PAGE + bitmaps;
    size_t pages = 0;
    FILE *to = fopen(argv[2], "wb");

    must(to != NULL, argv[2]);
    must(bitmap + bitmaps < size, "start");
    for (size_t i = 0; i < 8 * bitmaps; i++)
        pages += file[bitmap + i / 8] >> i % 8 & 1;

    uint8_t *d = file + bitmap + bitmaps;
    size_t head = (size_t)(d - file) + pages * DESCRIPTOR;

    must(head <= size, "descriptors");
    store_u32(file + 424, METHOD_ZSTD);
    must(fseek(to, (long)head, SEEK_SET) == 0, "seek");
    for (size_t i = 0; i < pages; i++)
        repack(file, size, d + i * DESCRIPTOR, to);
    rewind(to);
    must(fwrite(file, head, 1, to) == 1 && fclose(to) == 0, "write");
    free(file);
    return 0;
}
