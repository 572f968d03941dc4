/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/decode/field_rules.h"

#include <string.h>

bool field_rules_next(struct cursor *c, struct field *f)
{
    if (cursor_left(c) == 0)
        return false;
    f->tag = (uint8_t)cursor_uint(c, 1);
    f->length = (size_t)cursor_uint(c, 1);
    f->bytes = cursor_bytes(c, f->length);
    if (c->bad)
        return false;
    f->value = 0;
    if (f->length <= 8) {
        struct cursor value = cursor_init(f->bytes, f->length);

        f->value = cursor_uint(&value, f->length);
    }
    return true;
}

/* Store the low (size) bytes of (value) at (to), in this machine's byte
 * order. */
static void put_uint(uint8_t *to, size_t size, uint64_t value)
{
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                   "low bytes come first");
    memcpy(to, &value, size);
}

/* Limit (value) to what (size) bytes hold: a hostile guest may send more. */
static uint64_t at_most(size_t size, uint64_t value)
{
    uint64_t most = UINT64_MAX >> (64 - 8 * size);

    return value < most ? value : most;
}

/* Store a text in the zeroed (size) bytes at (to), cut to fit. */
static void put_text(uint8_t *to, size_t size, const uint8_t *text,
                     size_t length)
{
    memcpy(to, text, length < size ? length : size - 1);
}

/* Store a file's name. A kernel may send a path, so the folders are removed. */
static void put_file_name(uint8_t *to, size_t size, const struct field *f)
{
    const uint8_t *slash = memrchr(f->bytes, '/', f->length);
    const uint8_t *name = slash != NULL ? slash + 1 : f->bytes;

    put_text(to, size, name, f->length - (size_t)(name - f->bytes));
}

/* Store the addresses of (f), each as the difference from the one before, in
 * the (size) bytes at (to), and their number at (count). */
static const char *put_chain(uint8_t *to, size_t size, uint8_t *count,
                             const struct field *f)
{
    struct cursor c = cursor_init(f->bytes, f->length);
    uint64_t address = 0;
    size_t n = 0;

    for (; cursor_left(&c) != 0; n++) {
        address += cursor_zigzag(&c);
        if (c.bad)
            return "a chain of addresses is cut";
        if (n == size / sizeof address)
            return "a chain of more than 16 addresses";
        put_uint(to + n * sizeof address, sizeof address, address);
    }
    put_uint(count, sizeof(uint32_t), n);
    return NULL;
}

/* Store the classes of (f) in the (size) bytes at (to). Classes of a later
 * version are left out. */
static const char *put_classes(uint8_t *to, size_t size, const struct field *f)
{
    struct cursor c = cursor_init(f->bytes, f->length);

    while (cursor_left(&c) != 0) {
        uint64_t at = cursor_uleb(&c), count = cursor_uleb(&c);

        if (c.bad)
            return "a histogram is cut";
        if (at < size / sizeof count)
            put_uint(to + at * sizeof count, sizeof count, count);
    }
    return NULL;
}

/* Store (f) in the struct at (to), by rule (r). Returns a text that says what
 * is wrong with (f), or NULL. */
static const char *put_field(uint8_t *to, const struct field_rule *r,
                             const struct field *f)
{
    uint8_t *member = to + r->offset;

    switch (r->kind) {
    case FIELD_UNTIL_MAX:
        if (f->value == UINT64_MAX)
            return NULL;
        put_uint(member, r->size, f->value);
        break;
    case FIELD_UINT:
        put_uint(member, r->size, at_most(r->size, f->value));
        break;
    case FIELD_FLAGS:
        put_uint(member, r->size, f->value);
        break;
    case FIELD_TEXT:
        put_text(member, r->size, f->bytes, f->length);
        break;
    case FIELD_FILE_NAME:
        put_file_name(member, r->size, f);
        break;
    case FIELD_BOOT_ID:
        if (f->length != r->size)
            return "boot id is not of 16 bytes";
        memcpy(member, f->bytes, f->length);
        break;
    case FIELD_BUILD_ID:
        if (f->length > r->size)
            return "build-id is longer than 64 bytes";
        memcpy(member, f->bytes, f->length);
        put_uint(to + r->told, sizeof(uint32_t), f->length);
        return NULL;
    case FIELD_CHAIN:
        return put_chain(member, r->size, to + r->told, f);
    case FIELD_CLASSES:
        return put_classes(member, r->size, f);
    }
    if (r->told != 0)
        to[r->told] = true;
    return NULL;
}

const char *field_rules_read(const uint8_t *body, size_t length, void *to,
                             const struct field_rule *rules, size_t count,
                             const char *cut)
{
    struct cursor c = cursor_init(body, length);
    struct field f;

    while (field_rules_next(&c, &f)) {
        size_t i = 0;

        while (i < count && rules[i].tag != f.tag)
            i++;
        const char *wrong = i < count ? put_field(to, &rules[i], &f) : NULL;

        if (wrong != NULL)
            return wrong;
    }
    return c.bad ? cut : NULL;
}
