/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangles and escapes names, and keeps each name once. */
#include "image/names/names.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <demangle.h>

#include "image/names/pascal.h"
#include "util/text.h"
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
 * Returns the value of (key). NULL if there is none: then (*nth) is the number
 * of keys in the table with the same (hash), nearly always 0.
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

/* Append a part of a demangled name. A short mangled name can expand to
 * gigabytes, and longjmp() is the only way to stop libiberty. */
static void add_demangled(const char *part, size_t len, void *opaque)
{
    struct text *t = opaque;

    if (len > NAMES_MAX - t->len)
        longjmp(t->full, 1);
    if (len != 0) /* (part) may be NULL if (len) is 0 */
        memcpy(t->bytes + t->len, part, len);
    t->len += len;
}

static bool demangle(struct text *t, const char *raw)
{
    /* without DMGL_RET_DROP the return type of a template function precedes its
     * name */
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
    /* drop "[clone .cold]" and the like: parts of the function, as in DWARF */
    clone = strstr(t->bytes, " [clone ");
    if (clone != NULL)
        *clone = '\0';
    return t->bytes[0] != '\0';
}

static void escape(struct text *t, const char *from)
{
    static const char hex[] = "0123456789abcdef";

    t->len = 0;
    while (*from != '\0' && t->len < NAMES_MAX - 4) {
        size_t len = text_character(from);

        if (len != 0) {
            memcpy(t->bytes + t->len, from, len);
            t->len += len;
            from += len;
        } else {
            unsigned char c = (unsigned char)*from++;
            char code[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};

            memcpy(t->bytes + t->len, code, sizeof code);
            t->len += sizeof code;
        }
    }
    if (*from != '\0') {
        memcpy(t->bytes + t->len, "...", 3);
        t->len += 3;
    }
    t->bytes[t->len] = '\0';
}

/* The one copy of (t) for all callers. */
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

const char *names_keep(struct names *n, const char *text)
{
    static _Thread_local struct text shown;

    escape(&shown, text);
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
    if (key != NULL &&
        value != NULL) /* otherwise the name is made again next time */
        (void)keep_name(&n->raw, hash, nth, key, value);
    return value;
}

static size_t table_bytes(const struct names_table *t)
{
    return map_bytes(&t->by_hash) + t->room * sizeof *t->entries;
}

size_t names_bytes(const struct names *n)
{
    return table_bytes(&n->raw) + table_bytes(&n->shown) +
           arena_bytes(&n->arena);
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
