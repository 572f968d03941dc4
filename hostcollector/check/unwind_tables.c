/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extents in .debug_frame (DWARF 5, 6.4.1), .eh_frame (LSB), .pdata (PE
 * Format). What they say about registers is not read.
 */
#include "check/unwind_tables.h"

#include <string.h>

#include "image/image.h"
#include "util/cursor.h"

/* DW_EH_PE_*: how a pointer is written, and what it is relative to. */
#define POINTER_FORM  0x0fu
#define POINTER_BASE  0x70u
#define POINTER_PCREL 0x10u
#define POINTER_ULEB  0x01u
#define POINTER_SLEB  0x09u
#define POINTER_U2    0x02u
#define POINTER_U4    0x03u
#define POINTER_S2    0x0au
#define POINTER_S4    0x0bu

#define CIE_BYTES   256u /* more than any has before its instructions */
#define PDATA_ENTRY 12u  /* begin, end, unwind information: u32 RVA each */

struct cfi {
    struct image_part part;
    bool eh;
    uint64_t cie;     /* offset of the one read last; UINT64_MAX: none */
    uint8_t encoding; /* that it asks for */
    struct spans *out;
};

static uint64_t extend(uint64_t value, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);

    return (value ^ sign) - sign;
}

/* A pointer as (encoding) says, without its base. */
static uint64_t read_form(struct cursor *c, uint8_t encoding)
{
    switch (encoding & POINTER_FORM) {
    case POINTER_ULEB:
        return cursor_uleb(c);
    case POINTER_SLEB:
        return (uint64_t)cursor_sleb(c);
    case POINTER_U2:
        return cursor_uint(c, 2);
    case POINTER_S2:
        return extend(cursor_uint(c, 2), 16);
    case POINTER_U4:
        return cursor_uint(c, 4);
    case POINTER_S4:
        return extend(cursor_uint(c, 4), 32);
    default:
        return cursor_uint(c, 8);
    }
}

/* The letters of an augmentation that begins with z: only R matters. */
static void read_augmentation(struct cfi *f, struct cursor *c,
                              const char *letters)
{
    (void)cursor_uleb(c); /* length of what follows */
    for (; *letters != '\0' && !c->bad; letters++) {
        if (*letters == 'R')
            f->encoding = cursor_u8(c);
        else if (*letters == 'L')
            cursor_skip(c, 1);
        else if (*letters == 'P')
            (void)read_form(c, cursor_u8(c));
    }
}

/* The CIE at (offset), (c) being behind its id. */
static void read_cie(struct cfi *f, uint64_t offset, struct cursor *c)
{
    uint8_t version = cursor_u8(c);
    const char *letters = cursor_string(c);

    f->cie = offset;
    f->encoding = 0;
    if (!f->eh || letters == NULL || letters[0] != 'z')
        return;
    (void)cursor_uleb(c); /* alignment of code, of data */
    (void)cursor_sleb(c);
    if (version == 1) /* the return address's column */
        cursor_skip(c, 1);
    else
        (void)cursor_uleb(c);
    read_augmentation(f, c, letters + 1);
}

/* An entry's head. Returns where its body begins, up to (c)'s end. */
static bool read_head(const struct cfi *f, uint64_t offset, struct cursor *c,
                      unsigned *width)
{
    uint64_t length;

    *c = cursor_at(f->part.bytes, (size_t)f->part.size, offset);
    *width = 4;
    length = cursor_u32(c);
    if (length == 0xffffffffu) {
        *width = 8;
        length = cursor_uint(c, 8);
    }
    if (c->bad || length > cursor_left(c))
        return false;
    c->end = c->at + length;
    return true;
}

/* Make the CIE at (offset) the last one read. */
static bool find_cie(struct cfi *f, uint64_t offset)
{
    struct cursor c;
    unsigned width;

    if (f->cie == offset)
        return true;
    if (!read_head(f, offset, &c, &width))
        return false;
    if (cursor_left(&c) > CIE_BYTES)
        c.end = c.at + CIE_BYTES;
    (void)cursor_uint(&c, f->eh ? 4 : width);
    read_cie(f, offset, &c);
    return !c.bad;
}

static void read_fde(struct cfi *f, struct cursor *c)
{
    uint64_t at = f->part.address + (uint64_t)(c->at - f->part.bytes);
    uint64_t start = read_form(c, f->encoding);
    uint64_t size = read_form(c, f->encoding & POINTER_FORM);

    if ((f->encoding & POINTER_BASE) == POINTER_PCREL)
        start += at;
    if (!c->bad && size <= UINT64_MAX - start)
        (void)spans_add(f->out, start, start + size);
}

/* The entry at (offset). Returns where the next is; 0: there is none. */
static uint64_t read_entry(struct cfi *f, uint64_t offset)
{
    struct cursor c;
    unsigned width;
    uint64_t id, here;

    if (!read_head(f, offset, &c, &width))
        return 0;
    here = (uint64_t)(c.at - f->part.bytes);
    if (c.at == c.end) /* a terminator, of which there may be several */
        return here;
    id = cursor_uint(&c, f->eh ? 4 : width);
    if (f->eh ? id != 0
              : id != (width == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX)) {
        if (find_cie(f, f->eh ? here - id : id))
            read_fde(f, &c);
    }
    return (uint64_t)(c.end - f->part.bytes);
}

static void cover_frames(const struct image_part *part, bool eh,
                         struct spans *out)
{
    struct cfi f = {.part = *part, .eh = eh, .cie = UINT64_MAX, .out = out};
    uint64_t at = 0;

    do {
        at = read_entry(&f, at);
    } while (at != 0 && at < part->size);
}

static void cover_pdata(const struct image *img, const struct image_part *part,
                        struct spans *out)
{
    struct cursor c = cursor_at(part->bytes, (size_t)part->size, 0);

    while (cursor_left(&c) >= PDATA_ENTRY) {
        uint64_t base = image_base(img);
        uint64_t low = cursor_u32(&c), high = cursor_u32(&c);

        cursor_skip(&c, 4);
        (void)spans_add(out, base + low, base + high);
    }
}

bool check_unwind_table(const struct image *img, enum check_table table,
                        struct spans *out)
{
    static const char *const names[CHECK_TABLES] = {".eh_frame", ".debug_frame",
                                                    ".pdata"};
    struct image_part part = image_part(img, names[table]);

    if (part.bytes == NULL)
        return false;
    if (table == CHECK_PDATA)
        cover_pdata(img, &part, out);
    else
        cover_frames(&part, table == CHECK_EH_FRAME, out);
    return true;
}
