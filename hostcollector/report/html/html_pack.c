/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of data in an HTML page. */
#include "report/html/html_pack.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "report/base64.h"

#define PLAIN_SIZE  (1u << 16)
#define PACKED_SIZE (3u << 14) /* whole groups of three */

struct pack {
    FILE *out;
    z_stream z;
    bool failed;
    size_t plain_size;
    uint8_t plain[PLAIN_SIZE];
    uint8_t packed[PACKED_SIZE];
};

struct pack *pack_begin(FILE *out, const char *part)
{
    struct pack *p = malloc(sizeof *p);

    if (p == NULL)
        return NULL;
    p->out = out;
    p->failed = false;
    p->plain_size = 0;
    memset(&p->z, 0, sizeof p->z);
    if (deflateInit(&p->z, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(p);
        return NULL;
    }
    p->z.next_out = p->packed;
    p->z.avail_out = PACKED_SIZE;
    (void)fprintf(out, "<script type=\"text/plain\" data-part=\"%s\">", part);
    return p;
}

/* Write the packed bytes as base64, with padding only at the end of a block. */
static void write_packed(struct pack *p)
{
    base64_write(p->out, p->packed, PACKED_SIZE - p->z.avail_out);
    p->z.next_out = p->packed;
    p->z.avail_out = PACKED_SIZE;
}

static void deflate_plain(struct pack *p, int flush)
{
    int status;

    p->z.next_in = p->plain;
    p->z.avail_in = (uInt)p->plain_size;
    p->plain_size = 0;
    do {
        status = deflate(&p->z, flush);
        if (status == Z_STREAM_ERROR) {
            p->failed = true;
            return;
        }
        if (p->z.avail_out == 0 || status == Z_STREAM_END)
            write_packed(p);
    } while (flush == Z_FINISH ? status != Z_STREAM_END : p->z.avail_in != 0);
}

int pack_end(struct pack *p)
{
    bool failed;

    deflate_plain(p, Z_FINISH);
    (void)deflateEnd(&p->z);
    (void)fputs("</script>\n", p->out);
    failed = p->failed;
    free(p);
    return failed ? -1 : 0;
}

void pack_raw(struct pack *p, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    while (size != 0) {
        size_t room = PLAIN_SIZE - p->plain_size;
        size_t n = size < room ? size : room;

        memcpy(p->plain + p->plain_size, from, n);
        p->plain_size += n;
        from += n;
        size -= n;
        if (p->plain_size == PLAIN_SIZE)
            deflate_plain(p, Z_NO_FLUSH);
    }
}

/* Write (n) as LEB128 to (bytes). Returns the number of bytes. */
static size_t leb128(uint8_t bytes[10], uint64_t n)
{
    size_t size = 0;

    for (; n > 127; n >>= 7)
        bytes[size++] = (uint8_t)(n | 128);
    bytes[size++] = (uint8_t)n;
    return size;
}

void pack_number(struct pack *p, uint64_t n)
{
    uint8_t bytes[10];
    size_t size = leb128(bytes, n);

    pack_raw(p, bytes, size);
}

void pack_text(struct pack *p, const char *text, size_t length)
{
    pack_number(p, length);
    pack_raw(p, text, length);
}

void column_add(struct column *c, uint64_t n)
{
    uint8_t bytes[10];

    if (c->to != NULL) {
        pack_number(c->to, n);
        return;
    }
    c->count++;
    c->bytes += leb128(bytes, n);
}

void pack_column(struct pack *p, column_fill *fill, const void *context)
{
    struct column c = {0};

    fill(&c, context);
    pack_number(p, c.count);
    pack_number(p, c.bytes);
    c.to = p;
    fill(&c, context);
}
