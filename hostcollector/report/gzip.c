/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses bytes while they are written to a file. */
#include "report/gzip.h"

#include <stdlib.h>

#define ZLIB_CONST /* input is const */
#include <zlib.h>

#define WINDOW_OF_GZIP (15 + 16)
#define MEMORY_USUAL   8
#define OS_UNIX        3

/* guard/claim.c recognizes files of tprof by this comment. */
static Bytef comment[] = "tprof";

struct gzip {
    FILE *out;
    z_stream stream;
    gz_header header; /* zlib reads it until the first bytes are written */
    unsigned char room[65536];
};

struct gzip *gzip_new(FILE *out)
{
    struct gzip *z = calloc(1, sizeof *z);

    if (z == NULL)
        return NULL;
    z->out = out;
    if (deflateInit2(&z->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_OF_GZIP,
                     MEMORY_USUAL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return NULL;
    }
    z->header = (gz_header){.os = OS_UNIX, .comment = comment};
    (void)deflateSetHeader(&z->stream, &z->header);
    return z;
}

/* Compress the input of the stream. */
static void compress_all(struct gzip *z, int flush)
{
    do {
        z->stream.next_out = z->room;
        z->stream.avail_out = sizeof z->room;
        (void)deflate(&z->stream, flush);
        (void)fwrite(z->room, 1, sizeof z->room - z->stream.avail_out, z->out);
    } while (z->stream.avail_out == 0);
}

void gzip_write(struct gzip *z, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    while (size != 0) {
        unsigned part = size < 1u << 30 ? (unsigned)size : 1u << 30;

        z->stream.next_in = from;
        z->stream.avail_in = part;
        compress_all(z, Z_NO_FLUSH);
        from += part;
        size -= part;
    }
}

void gzip_end(struct gzip *z)
{
    z->stream.avail_in = 0;
    compress_all(z, Z_FINISH);
    (void)deflateEnd(&z->stream);
    free(z);
}
