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

struct names_entry {
    uint64_t hash;
    const char *key; /* NULL: free */
    const char *value;
};

static uint64_t hash_of(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* Where (key) is, or the free entry where it belongs. */
static struct names_entry *probe(const struct names_table *t, const char *key,
                                 uint64_t hash)
{
    for (size_t i = hash & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct names_entry *e = &t->entries[i];

        if (e->key == NULL || (e->hash == hash && strcmp(e->key, key) == 0))
            return e;
    }
}

static int grow(struct names_table *t)
{
    struct names_table bigger = {.room = t->room != 0 ? t->room * 2 : 1024};

    if (t->count * 2 < t->room)
        return 0;
    bigger.entries = calloc(bigger.room, sizeof *bigger.entries);
    if (bigger.entries == NULL)
        return -1;
    for (size_t i = 0; i < t->room; i++) {
        if (t->entries[i].key != NULL)
            *probe(&bigger, t->entries[i].key, t->entries[i].hash) =
                t->entries[i];
    }
    bigger.count = t->count;
    free(t->entries);
    *t = bigger;
    return 0;
}

static void enter(struct names_table *t, struct names_entry *e, uint64_t hash,
                  const char *key, const char *value)
{
    *e = (struct names_entry){hash, key, value};
    t->count++;
}

/* A text that grows up to NAMES_MAX. */
struct text {
    char bytes[NAMES_MAX + 4];
    size_t len;
    jmp_buf full; /* only for demangle() */
};

/* A short mangled name can mean gigabytes, and there is no other way out. */
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
 * The length of the UTF-8 character at (s) if it may be shown as it is, else
 * 0. Not shown: controls, and what reverses the direction of writing.
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

/* The one copy of (t) that is handed out. */
static const char *unique(struct names *n, const struct text *t)
{
    uint64_t hash = hash_of(t->bytes);
    struct names_entry *e;
    char *copy;

    if (grow(&n->shown) != 0)
        return NULL;
    e = probe(&n->shown, t->bytes, hash);
    if (e->key != NULL)
        return e->key;
    copy = arena_strndup(&n->arena, t->bytes, t->len);
    if (copy != NULL)
        enter(&n->shown, e, hash, copy, copy);
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
    return unique(n, &shown);
}

const char *names_get(struct names *n, const char *raw)
{
    uint64_t hash = hash_of(raw);
    struct names_entry *e;
    const char *key, *value;

    if (grow(&n->raw) != 0)
        return NULL;
    e = probe(&n->raw, raw, hash);
    if (e->key != NULL)
        return e->value;
    value = names_get_with(n, raw, &(struct pascal_hint){0});
    key = arena_strndup(&n->arena, raw, strlen(raw));
    if (key != NULL && value != NULL)
        enter(&n->raw, e, hash, key, value);
    return value;
}

void names_fini(struct names *n)
{
    free(n->raw.entries);
    free(n->shown.entries);
    arena_fini(&n->arena);
    *n = (struct names){0};
}
