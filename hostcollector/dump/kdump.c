/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a dump in the kdump-compressed format. */
#include "dump/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "util/bytes.h"
#include "util/cpu/cpu.h"

/* The head of a dump of a 64-bit machine, as QEMU's dump.h has it */
#define HEAD_SIGNATURE   "KDUMP   "
#define HEAD_VERSION     8u   /* u32 */
#define HEAD_STATUS      424u /* u32 flags: the compression method */
#define HEAD_PAGE        428u /* u32 bytes */
#define HEAD_PAGE_32     416u /* u32 bytes, on a 32-bit machine */
#define HEAD_SUB_PAGES   432u /* u32 pages of the sub header */
#define HEAD_BITMAPS     436u /* u32 pages of both bitmaps */
#define HEAD_BITS        440u /* u32 number of bits, up to version 5 */
#define HEAD_SIZE        464u
#define SUB_SPLIT        12u /* u32 part of a split dump */
#define SUB_NOTES        48u /* u64 offset, from version 4 on */
#define SUB_NOTES_SIZE   56u /* u64 */
#define SUB_BITS         96u /* u64 number of bits */
#define SUB_SIZE         104u
#define VERSION_SUB_BITS 6u
#define VERSION_NOTES    4u

/* A page's descriptor */
#define PAGE_AT    0u /* u64 */
#define PAGE_SIZE  8u /* u32 bytes of the compressed page */
#define PAGE_FLAGS 12u
#define DESCRIPTOR 24u

#define BITS_MAX (UINT64_C(1) << 32) /* 16 TiB */
#define BITMAP   UINT64_C(65536)     /* bytes that are read at a time */
#define CACHED   64u                 /* pages */
#define NEAR     256u                /* descriptors that are read at a time */

struct cached {
    uint64_t page; /* number of the page, plus 1; 0: none */
    uint8_t bytes[DUMP_PAGE];
};

struct dump_kdump {
    struct dump_file *file;
    uint64_t descriptors; /* offset in the file */
    uint64_t pages;
    uint64_t near; /* the first descriptor in (descriptor) */
    uint64_t near_count;
    uint8_t descriptor[(size_t)NEAR * DESCRIPTOR];
    uint8_t packed[DUMP_PAGE];
    struct cached cached[CACHED]; /* page N is in cached[N % CACHED] */
    char trouble[96];
};

/* Values of the head and the sub header. */
struct heads {
    uint32_t status;
    uint64_t bitmap, bits; /* offset, and number of pages in the bitmap */
    uint64_t descriptors;
    uint64_t notes, notes_size;
};

bool dump_kdump_is(const uint8_t start[8])
{
    return memcmp(start, HEAD_SIGNATURE, 8) == 0;
}

static int refuse_method(const char *name, struct err *e)
{
    return err_set(e,
                   "is compressed by %s, which is not supported: dump it again "
                   "by 'dump-guest-memory -z FILE' of QEMU or 'virsh dump "
                   "--memory-only --format kdump-zlib'",
                   name);
}

static int read_sub_head(struct heads *h, struct dump_file *f, uint32_t version,
                         struct err *e)
{
    uint8_t sub[SUB_SIZE];

    if (!dump_file_read(f, DUMP_PAGE, sub, sizeof sub))
        return err_set(e, "is cut: its sub header is missing");
    if (load_u32(sub + SUB_SPLIT) != 0)
        return err_set(e, "is one part of a split dump, which is not read: "
                          "dump into one file");
    if (version >= VERSION_SUB_BITS)
        h->bits = load_u64(sub + SUB_BITS);
    if (version >= VERSION_NOTES) {
        h->notes = load_u64(sub + SUB_NOTES);
        h->notes_size = load_u64(sub + SUB_NOTES_SIZE);
    }
    return 0;
}

static int read_heads(struct heads *h, struct dump_file *f, struct err *e)
{
    uint8_t head[HEAD_SIZE];

    if (!dump_file_read(f, 0, head, sizeof head))
        return err_set(e, "is cut: its header is missing");

    uint32_t version = load_u32(head + HEAD_VERSION);
    uint64_t bitmaps = load_u32(head + HEAD_BITMAPS) * (uint64_t)DUMP_PAGE;
    uint64_t first =
        (load_u32(head + HEAD_SUB_PAGES) + UINT64_C(1)) * DUMP_PAGE;

    if (load_u32(head + HEAD_PAGE) != DUMP_PAGE)
        return err_set(e, load_u32(head + HEAD_PAGE_32) == DUMP_PAGE
                              ? "is of a guest that ran no 64-bit code"
                              : "is no dump of " CPU_NAMES
                                ": its pages are not of "
                                "4096 bytes");
    *h = (struct heads){.status = load_u32(head + HEAD_STATUS),
                        .bitmap = first + bitmaps / 2,
                        .bits = load_u32(head + HEAD_BITS),
                        .descriptors = first + bitmaps};
    if (read_sub_head(h, f, version, e) != 0)
        return -1;
    if (h->bits > BITS_MAX)
        return err_set(e, "has more than 16 TiB of memory");
    if (h->bits > bitmaps / 2 * 8 || h->descriptors > f->size)
        return err_set(e, "is cut, or damaged: its bitmap is missing");
    if ((h->status & DUMP_PAGE_LZO) != 0)
        return refuse_method("lzo", e);
    if ((h->status & DUMP_PAGE_SNAPPY) != 0)
        return refuse_method("snappy", e);
    return 0;
}

/* State while the bits are counted. */
struct counted {
    struct dump_parts *parts;
    size_t room;
    uint64_t pages; /* so far */
    bool in_run;
};

/* Add the next (count) bits, which are all (set); the first is page (number).
 */
static int count_bits(struct counted *c, uint64_t number, unsigned count,
                      bool set, struct err *e)
{
    struct dump_parts *p = c->parts;

    if (set && !c->in_run) {
        if (p->count == c->room)
            return err_set(e,
                           "has more than %u parts: dump it by QEMU, with all "
                           "of its pages",
                           DUMP_PARTS_MAX);
        p->list[p->count++] = (struct dump_part){
            .at = c->pages * DUMP_PAGE, .physical = number * DUMP_PAGE};
    }
    c->in_run = set;
    if (set) {
        p->list[p->count - 1].size += (uint64_t)count * DUMP_PAGE;
        c->pages += count;
    }
    return 0;
}

static int count_byte(struct counted *c, uint64_t number, unsigned bits,
                      uint8_t byte, struct err *e)
{
    if (bits == 8 && (byte == 0 || byte == 0xff))
        return count_bits(c, number, bits, byte != 0, e);
    for (unsigned i = 0; i < bits; i++)
        if (count_bits(c, number + i, 1, (byte >> i & 1) != 0, e) != 0)
            return -1;
    return 0;
}

/* Read the bitmap, in which each set bit is a page of memory in the dump. A run
 * of set bits is one part. Page descriptors have the order of the set bits, so
 * the place of a part is 4096 times the number of pages before it. */
static int read_bitmap(struct counted *c, const struct heads *h,
                       struct dump_file *f, struct err *e)
{
    uint8_t *block = malloc(BITMAP);
    int result = 0;

    if (block == NULL)
        return err_memory(e);
    for (uint64_t done = 0; result == 0 && done < h->bits;) {
        uint64_t left = h->bits - done;
        size_t size = left < 8 * BITMAP ? (size_t)(left + 7) / 8 : BITMAP;

        if (!dump_file_read(f, h->bitmap + done / 8, block, size))
            result = err_set(e, "is cut: its bitmap is missing");
        for (size_t i = 0; result == 0 && i < size; i++, done += 8) {
            unsigned bits = h->bits - done < 8 ? (unsigned)(h->bits - done) : 8;

            result = count_byte(c, done, bits, block[i], e);
        }
    }
    free(block);
    return result;
}

static int read_parts(struct dump_kdump *k, struct dump_parts *p,
                      const struct heads *h, struct err *e)
{
    struct counted c = {.parts = p, .room = DUMP_PARTS_MAX};
    uint64_t size = k->file->size;

    p->list = calloc(DUMP_PARTS_MAX, sizeof *p->list);
    if (p->list == NULL)
        return err_memory(e);
    if (read_bitmap(&c, h, k->file, e) != 0)
        return -1;
    if (p->count == 0)
        return err_set(e, "is a dump that contains no memory");
    if (c.pages > (size - h->descriptors) / DESCRIPTOR ||
        c.pages > k->file->there / DESCRIPTOR)
        return err_set(e, "is cut: the descriptors of its pages are missing");
    k->pages = c.pages;
    k->descriptors = h->descriptors;
    if (h->notes < size) {
        p->notes_at = h->notes;
        p->notes_size =
            h->notes_size < size - h->notes ? h->notes_size : size - h->notes;
    }
    return 0;
}

struct dump_kdump *dump_kdump_new(struct dump_file *f, struct dump_parts *p,
                                  struct err *e)
{
    struct dump_kdump *k = calloc(1, sizeof *k);
    struct heads h = {0};

    if (k == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    k->file = f;
    if (read_heads(&h, f, e) != 0 || read_parts(k, p, &h, e) != 0) {
        dump_kdump_free(k);
        return NULL;
    }
    return k;
}

void dump_kdump_free(struct dump_kdump *k)
{
    free(k);
}

/* The descriptor of page number (page); NULL if it cannot be read. It gives the
 * place and the size of the compressed page in the file. */
static const uint8_t *descriptor_of(struct dump_kdump *k, uint64_t page)
{
    if (page - k->near >= k->near_count) {
        uint64_t count = k->pages - page < NEAR ? k->pages - page : NEAR;

        k->near = page;
        k->near_count = 0;
        if (!dump_file_read(k->file, k->descriptors + page * DESCRIPTOR,
                            k->descriptor, (size_t)count * DESCRIPTOR))
            return NULL;
        k->near_count = count;
    }
    return k->descriptor + (size_t)(page - k->near) * DESCRIPTOR;
}

/* Keep the description of the first page that could not be read. */
static bool bad_page(struct dump_kdump *k, uint64_t page, const char *how)
{
    struct err e;

    if (k->trouble[0] == '\0') {
        (void)err_set(&e, "page %" PRIu64 " of %" PRIu64 " %s", page + 1,
                      k->pages, how);
        memcpy(k->trouble, e.text, sizeof k->trouble - 1);
    }
    return false;
}

static size_t unpack_zlib(const uint8_t *from, size_t size,
                          uint8_t to[DUMP_PAGE])
{
    uLongf length = DUMP_PAGE;

    return uncompress(to, &length, from, (uLong)size) == Z_OK ? length : 0;
}

/* Uncompress the (size) bytes at (from) by the method in (flags), or copy them
 * if no method is set. Returns false if the result is not one whole page. */
static bool unpack_page(uint32_t flags, const uint8_t *from, size_t size,
                        uint8_t to[DUMP_PAGE])
{
    switch (flags & DUMP_PAGE_METHODS) {
    case 0:
        if (size == DUMP_PAGE)
            memcpy(to, from, size);
        return size == DUMP_PAGE;
    case DUMP_PAGE_ZLIB:
        return unpack_zlib(from, size, to) == DUMP_PAGE;
    case DUMP_PAGE_ZSTD:
        return ZSTD_decompress(to, DUMP_PAGE, from, size) == DUMP_PAGE;
    default:
        return false;
    }
}

static bool read_page(struct dump_kdump *k, uint64_t page,
                      uint8_t to[DUMP_PAGE])
{
    const uint8_t *d = descriptor_of(k, page);

    if (d == NULL)
        return bad_page(k, page, "is not in it");

    uint32_t size = load_u32(d + PAGE_SIZE);

    /* a page that does not get smaller is stored uncompressed */
    if (size > DUMP_PAGE)
        return bad_page(k, page, "is damaged");
    if (!dump_file_read(k->file, load_u64(d + PAGE_AT), k->packed, size))
        return bad_page(k, page, "is not in it");
    return unpack_page(load_u32(d + PAGE_FLAGS), k->packed, size, to) ||
           bad_page(k, page, "could not be uncompressed");
}

/* The bytes of page number (page); NULL if they cannot be read. */
static const uint8_t *page_of(struct dump_kdump *k, uint64_t page)
{
    struct cached *c = &k->cached[page % CACHED];

    if (page >= k->pages)
        return NULL;
    if (c->page != page + 1) {
        c->page = 0;
        if (!read_page(k, page, c->bytes))
            return NULL;
        c->page = page + 1;
    }
    return c->bytes;
}

bool dump_kdump_read(struct dump_kdump *k, uint64_t at, void *to, size_t size)
{
    uint8_t *p = to;

    while (size > 0) {
        const uint8_t *page = page_of(k, at / DUMP_PAGE);
        size_t into = (size_t)(at % DUMP_PAGE);
        size_t n = size < DUMP_PAGE - into ? size : DUMP_PAGE - into;

        if (page == NULL)
            return false;
        memcpy(p, page + into, n);
        p += n;
        at += n;
        size -= n;
    }
    return true;
}

const char *dump_kdump_trouble(const struct dump_kdump *k)
{
    return k->trouble[0] != '\0' ? k->trouble : NULL;
}
