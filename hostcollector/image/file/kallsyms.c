/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the symbols that a Linux kernel keeps of itself. */
#include "image/file/object.h"

#include <string.h>

#include "image/file/listed.h"
#include "util/bytes.h"

/*
 * Tables written by scripts/kallsyms of Linux 4.6 and later, each at a multiple
 * of 8 bytes. (n) is the number of symbols. Sizes are in bytes.
 *
 *   offsets        4 n  see address_of()
 *   relative base  8
 *   number         4    n
 *   names               for each symbol: a length of one byte, or of two if the
 *                       first is above 127, then that many numbers of tokens.
 *                       The first character of a name is its type
 *   markers        4 for each 256 names: the offset of the first of them
 *   [sequence      3 n, only 6.2 to 6.4]
 *   tokens         256 texts, each ends in a NUL
 *   token index    2 for each token: its offset
 *   [offsets, base since 6.5]
 *
 * Names of every kernel contain digits, and the token of a digit is the digit.
 * So the tokens of the digits are found first, and then the other tables.
 */

#define TOKENS     256u
#define TOKEN_MAX  64u  /* bytes of a token */
#define NAME_MAX_K 512u /* bytes of a name with its type */
#define GROUP      256u /* names for each marker */
#define COUNT_MIN  256u
#define COUNT_MAX  (1u << 24)
#define READ_MAX   4u    /* limit of reading all bytes as names */
#define HITS_MAX   1000u /* places that may be the tokens of the digits */
#define TRIED      32u   /* names that must be plausible before all are read */

/* A loaded segment, and the tables that were found in the segment, as
 * offsets. */
struct tables {
    const struct image_text *in;
    size_t tokens, index;
    size_t number, names, markers, offsets, base;
    uint32_t count;
    bool before; /* offsets are negative: addresses below the relative base */
    size_t left; /* bytes that may still be read as names */
};

static size_t aligned(size_t offset)
{
    return (offset + 7) & ~(size_t)7;
}

/* The end of the token that begins at (at); 0 if there is no token. */
static size_t token_end(const struct image_text *in, size_t at)
{
    size_t room = in->bytes_len - at;
    size_t most = room < TOKEN_MAX ? room : TOKEN_MAX;
    const uint8_t *end = memchr(in->bytes + at, 0, most);

    return end != NULL ? (size_t)(end - in->bytes) : 0;
}

/* Are the tokens at (t->tokens), followed by their index? */
static bool fits_index(struct tables *t)
{
    size_t at = t->tokens, starts[TOKENS];

    for (size_t i = 0; i < TOKENS; i++) {
        size_t end = at < t->in->bytes_len ? token_end(t->in, at) : 0;

        if (end == 0)
            return false;
        starts[i] = at - t->tokens;
        at = end + 1;
    }
    t->index = aligned(at);
    if (t->index + 2 * (size_t)TOKENS > t->in->bytes_len)
        return false;
    for (size_t i = 0; i < TOKENS; i++)
        if (load_u16(t->in->bytes + t->index + 2 * i) != starts[i])
            return false;
    return true;
}

/* Find the tokens by the tokens of the digits. */
static bool find_tokens(struct tables *t)
{
    static const char digits[] =
        "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
    const uint8_t *at = t->in->bytes, *end = at + t->in->bytes_len;
    unsigned hits = 0;

    while (hits++ < HITS_MAX && (at = memmem(at, (size_t)(end - at), digits,
                                             sizeof digits)) != NULL) {
        size_t start = (size_t)(at - t->in->bytes);

        /* back to the first one */
        for (unsigned i = 0; i < '0' && start > 1; i++)
            for (start--; start > 0 && t->in->bytes[start - 1] != 0;)
                start--;
        t->tokens = start;
        if (start % 8 == 0 && fits_index(t))
            return true;
        at++;
    }
    return false;
}

/* Read the name at (*at) into (name), and move (*at) to the next name. Returns
 * the name's length; 0 if there is no name. */
static size_t read_name(struct tables *t, size_t *at, char name[NAME_MAX_K])
{
    const uint8_t *bytes = t->in->bytes;
    size_t end = t->tokens, length = 0, count = *at < end ? bytes[(*at)++] : 0;

    if (count > 127 && *at < end)
        count = (count & 127) | (size_t)bytes[(*at)++] << 7;
    if (count == 0 || count > end - *at || count >= t->left)
        return 0;
    t->left -= count;
    for (; count > 0; count--) {
        size_t token =
            t->tokens + load_u16(bytes + t->index + 2 * (size_t)bytes[(*at)++]);
        size_t size = strlen((const char *)bytes + token);

        if (size > NAME_MAX_K - length)
            return 0;
        memcpy(name + length, bytes + token, size);
        length += size;
    }
    return length;
}

/* Does the name begin with a type letter, followed by letters alone? */
static bool is_name(const char *name, size_t length)
{
    if (length < 2 || strchr("aAbBdDrRtTuvVwWiN", name[0]) == NULL)
        return false;
    for (size_t i = 1; i < length; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return true;
}

/* Are all names at the place in (t), followed by the markers? */
static bool fits_names(struct tables *t)
{
    char name[NAME_MAX_K];
    size_t at = t->names, groups = (t->count + GROUP - 1) / GROUP;

    for (uint32_t i = 0; i < t->count; i++) {
        size_t length = read_name(t, &at, name);

        if (length == 0 || (i < TRIED && !is_name(name, length)))
            return false;
    }
    t->markers = aligned(at);
    if (t->markers + 4 * groups > t->tokens)
        return false;
    at = t->names;
    for (uint32_t i = 0; i < t->count; i++) {
        if (i % GROUP == 0 &&
            load_u32(t->in->bytes + t->markers + 4 * (size_t)(i / GROUP)) !=
                at - t->names)
            return false;
        (void)read_name(t, &at, name);
    }
    return true;
}

/* Is the relative base at (base), after or before the offsets at (offsets)? The
 * relative base is the address at which code begins. */
static bool fits_base(const struct object *o, struct tables *t, size_t offsets,
                      size_t base)
{
    if (base + 8 > t->in->bytes_len)
        return false;
    uint64_t address = load_u64(t->in->bytes + base);

    t->offsets = offsets;
    t->base = base;
    for (size_t i = 0; i < o->text_count; i++)
        if (address - o->segments[i].address < o->segments[i].size)
            return true;
    return false;
}

/* Find the number of names, and the offsets. */
static bool find_names(const struct object *o, struct tables *t)
{
    size_t behind = aligned(t->index + 2 * (size_t)TOKENS);

    for (size_t at = t->tokens; at >= 8;) {
        at -= 8;
        uint64_t number = load_u64(t->in->bytes + at);
        size_t size = aligned(4 * (size_t)number);

        if (number < COUNT_MIN || number > COUNT_MAX ||
            number > (t->tokens - at) / 2)
            continue;
        t->count = (uint32_t)number;
        t->names = at + 8;
        if (!fits_names(t))
            continue;
        if (at >= 8 + size && fits_base(o, t, at - 8 - size, at - 8))
            return true;
        if (fits_base(o, t, behind, behind + size))
            return true;
    }
    return false;
}

/*
 * The address of symbol (i). If the kernel has data of single processors, an
 * offset below zero is -1 minus the distance from the base, and another offset
 * is the address itself. In other kernels every offset is a distance.
 */
static uint64_t address_of(const struct tables *t, size_t i)
{
    uint32_t offset = load_u32(t->in->bytes + t->offsets + 4 * i);
    uint64_t base = load_u64(t->in->bytes + t->base);

    if (!t->before)
        return base + offset;
    return offset >> 31 != 0 ? base - 1 - (uint64_t)(int64_t)(int32_t)offset
                             : offset;
}

static int add_all(struct object *o, struct tables *t)
{
    struct listed l = {0};
    char name[NAME_MAX_K];
    size_t at = t->names, bytes = 0;

    for (uint32_t i = 0; i < t->count; i++) {
        size_t length = read_name(t, &at, name);

        bytes += length;
        /* names of a hostile file could grow without limit */
        if (length == 0 || bytes > o->file.size)
            break;
        if (listed_add(&l, o, address_of(t, i), name[0], name + 1,
                       length - 1) != 0) {
            listed_fini(&l);
            return -1;
        }
    }
    return listed_fill(&l, o, 0);
}

int kallsyms_read(struct object *o)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        struct tables t = {.in = &o->segments[i]};

        t.left = READ_MAX * t.in->bytes_len;

        if (t.in->bytes == NULL || !find_tokens(&t) || !find_names(o, &t))
            continue;
        t.before =
            load_u32(t.in->bytes + t.offsets + 4 * (size_t)(t.count - 1)) >>
                31 !=
            0;
        return add_all(o, &t);
    }
    return 0;
}
