/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dump whose pages zlib has compressed, by another method: as a QEMU writes
 * it that was built with more libraries than Debian's.
 *
 *   repack lzo|snappy|zstd FROM TO
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "util/bytes.h"

#define PAGE       4096u
#define PACKED_MAX 8192u /* no method makes a page larger than that */
#define DESCRIPTOR 24u

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

static size_t pack(uint32_t method)
{
    static lzo_align_t work[LZO1X_1_MEM_COMPRESS / sizeof(lzo_align_t) + 1];
    lzo_uint lzo_size = 0;
    size_t size = sizeof packed;

    switch (method) {
    case 2:
        must(lzo1x_1_compress(page, PAGE, packed, &lzo_size, work) == LZO_E_OK,
             "lzo");
        return lzo_size;
    case 4:
        must(snappy_compress((const char *)page, PAGE, (char *)packed, &size) ==
                 SNAPPY_OK,
             "snappy");
        return size;
    default:
        size = ZSTD_compress(packed, sizeof packed, page, PAGE, 1);
        must(!ZSTD_isError(size), "zstd");
        return size;
    }
}

/* The page that the descriptor (d) tells, to (to), and the descriptor anew. */
static void repack(const uint8_t *file, size_t file_size, uint8_t *d,
                   uint32_t method, FILE *to)
{
    uint64_t at = load_u64(d);
    uLongf size = PAGE;

    must(at < file_size && load_u32(d + 8) <= file_size - at, "cut");
    if (load_u32(d + 12) == 0)
        memcpy(page, file + at, PAGE);
    else
        must(uncompress(page, &size, file + at, load_u32(d + 8)) == Z_OK &&
                 size == PAGE,
             "zlib");
    size_t n = pack(method);

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
    must(argc == 4, "repack METHOD FROM TO");
    uint32_t method = strcmp(argv[1], "lzo") == 0      ? 2
                      : strcmp(argv[1], "snappy") == 0 ? 4
                                                       : 0x20;
    size_t size;
    uint8_t *file = read_file(argv[2], &size);
    size_t bitmaps = load_u32(file + 436) / 2 * (size_t)PAGE;
    size_t bitmap = (1 + load_u32(file + 432)) * (size_t)PAGE + bitmaps;
    size_t pages = 0;
    FILE *to = fopen(argv[3], "wb");

    must(to != NULL, argv[3]);
    must(bitmap + bitmaps < size && lzo_init() == LZO_E_OK, "start");
    for (size_t i = 0; i < 8 * bitmaps; i++)
        pages += file[bitmap + i / 8] >> i % 8 & 1;

    uint8_t *d = file + bitmap + bitmaps;
    size_t head = (size_t)(d - file) + pages * DESCRIPTOR;

    must(head <= size, "descriptors");
    store_u32(file + 424, method);
    must(fseek(to, (long)head, SEEK_SET) == 0, "seek");
    for (size_t i = 0; i < pages; i++)
        repack(file, size, d + i * DESCRIPTOR, method, to);
    rewind(to);
    must(fwrite(file, head, 1, to) == 1 && fclose(to) == 0, "write");
    free(file);
    return 0;
}
