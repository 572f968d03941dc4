/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangles by libiberty and pascal.c, escapes, and keeps each name once. */
#include "symbolize/names.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <demangle.h>

#include "symbolize/pascal.h"
#include "util/vec.h"

struct names_entry {
    const char *key, *value;
};

static uint64_t hash_of(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h ^ h >> 29;
}

/*
 * What (t) keeps for (key), or NULL. Then (*nth) is which one of those with
 * this (hash) it would be: nearly always 0.
 */
static const char *find_name(const struct names_table *t, const char *key,
                             uint64_t hash, uint64_t *nth)
{
    uint32_t i;

    for (*nth = 0; (i = map_get(&t->by_hash, hash, *nth)) != MAP_NOTHING;
         ++*nth) {
        if (strcmp(t->entries[i].key, key) == 0)
            return t->entries[i].value;
    }
    return NULL;
}

/* Keep (value) for (key). Returns 0; -1 if there is no memory. */
static int keep_name(struct names_table *t, uint64_t hash, uint64_t nth,
                     const char *key, const char *value)
{
    uint32_t *i;

    if (vec_grow(&t->entries, &t->room, t->count, sizeof *t->entries) != 0)
        return -1;
    i = map_put(&t->by_hash, hash, nth);
    if (i == NULL)
        return -1;
    *i = (uint32_t)t->count;
    t->entries[t->count++] = (struct names_entry){key, value};
    return 0;
}

/* A text that grows up to NAMES_MAX. */
struct text {
    char bytes[NAMES_MAX + 4];
    size_t len;
    jmp_buf full; /* only for demangle() */
};

/* A short mangled name can stand for gigabytes. longjmp() is the only way to
 * leave libiberty. */
static void add_demangled(const char *part, size_t len, void *opaque)
{
    struct text *t = opaque;

    if (len > NAMES_MAX - t->len)
        longjmp(t->full, 1);
    memcpy(t->bytes + t->len, part, len);
    t->len += len;
}

static bool demangle(struct text *t, const char *raw)
{
    /* what a template function returns would stand before its name */
    const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
    char *clone;

    t->len = 0;
    if (raw[0] != '_' || strlen(raw) > NAMES_MAX || setjmp(t->full) != 0)
        return false;
    if (!rust_demangle_callback(raw, options, add_demangled, t)) {
        t->len = 0;
        if (!cplus_demangle_v3_callback(raw, options, add_demangled, t))
            return false;
    }
    t->bytes[t->len] = '\0';
    /* "[clone .cold]" and the like: parts of the function, as in DWARF */
    clone = strstr(t->bytes, " [clone ");
    if (clone != NULL)
        *clone = '\0';
    return t->bytes[0] != '\0';
}

/*
 * The length of the UTF-8 character at (s) if it may be shown unchanged, else
 * 0. Controls, and characters that reverse the direction of writing, may not.
 */
static size_t printable(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0x20, 0xa0, 0x800, 0x10000};
    uint32_t code = *s;
    size_t len = code < 0x80       ? 1
                 : code >> 5 == 6  ? 2
                 : code >> 4 == 14 ? 3
                 : code >> 3 == 30 ? 4
                                   : 0;

    if (len > 1)
        code &= 0x7fu >> len;
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (len == 0 || code < least[len] || code == 0x7f || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff) ||
        (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2060 && code <= 0x206f) || code == 0xfeff)
        return 0;
    return len;
}

static void escape(struct text *t, const char *from)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)from;

    t->len = 0;
    while (*s != '\0' && t->len < NAMES_MAX - 4) {
        size_t len = printable(s);

        if (len != 0) {
            memcpy(t->bytes + t->len, s, len);
            t->len += len;
            s += len;
        } else {
            char code[4] = {'\\', 'x', hex[*s >> 4], hex[*s & 15]};

            memcpy(t->bytes + t->len, code, sizeof code);
            t->len += sizeof code;
            s++;
        }
    }
    if (*s != '\0') {
        memcpy(t->bytes + t->len, "...", 3);
        t->len += 3;
    }
    t->bytes[t->len] = '\0';
}

/* The one copy of (t) that all callers get. */
static const char *unique_copy(struct names *n, const struct text *t)
{
    uint64_t hash = hash_of(t->bytes), nth;
    const char *copy = find_name(&n->shown, t->bytes, hash, &nth);

    if (copy != NULL)
        return copy;
    copy = arena_strndup(&n->arena, t->bytes, t->len);
    if (copy == NULL || keep_name(&n->shown, hash, nth, copy, copy) != 0)
        return NULL;
    return copy;
}

const char *names_get_with(struct names *n, const char *raw,
                           const struct pascal_hint *hint)
{
    static _Thread_local struct text readable, shown;

    if (demangle(&readable, raw) ||
        pascal_name(raw, hint, readable.bytes, NAMES_MAX))
        raw = readable.bytes;
    escape(&shown, raw);
    return unique_copy(n, &shown);
}

const char *names_get(struct names *n, const char *raw)
{
    uint64_t hash = hash_of(raw), nth;
    const char *value = find_name(&n->raw, raw, hash, &nth), *key;

    if (value != NULL)
        return value;
    value = names_get_with(n, raw, &(struct pascal_hint){0});
    key = arena_strndup(&n->arena, raw, strlen(raw));
    if (key != NULL && value != NULL) /* else it is made again next time */
        (void)keep_name(&n->raw, hash, nth, key, value);
    return value;
}

static void table_fini(struct names_table *t)
{
    map_fini(&t->by_hash);
    free(t->entries);
}

void names_fini(struct names *n)
{
    table_fini(&n->raw);
    table_fini(&n->shown);
    arena_fini(&n->arena);
    *n = (struct names){0};
}
