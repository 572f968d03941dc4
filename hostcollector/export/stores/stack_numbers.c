/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of stacks, for stores that keep each stack once. */
#include "export/stores/stack_numbers.h"

#include <sha2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/hash.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Kinds of data in the hash of a step, so that different stacks never have
 * equal bytes. */
enum {
    TELLS_FILE = 1u << 0,
    TELLS_IMAGE = 1u << 1,
    IS_MARK = 1u << 2,
};

static const char *text_or_none(const char *text)
{
    return text != NULL ? text : "";
}

/*
 * Numbers of stacks in all reports of this process, by the bytes that are
 * hashed. A window has most stacks of the window before, and to compare bytes
 * takes a small part of the time of a SHA-256. When the room is used up, all
 * are forgotten.
 */
#define ROOM   (1u << 20) /* for bytes */
#define PROBES 8u         /* a guest may choose stacks that collide */

static struct {
    struct remembered {
        uint64_t number;
        size_t first, size; /* in (bytes) */
    } * stacks;
    size_t count, room;
    struct pair_map map; /* hash and a counter -> index of the stack */
    size_t size;
    uint8_t bytes[ROOM];
} known;

/* The bytes of a stack: in (known.bytes) from (first) on, or, if they do not
 * fit, hashed so far. */
struct hashed {
    size_t first;
    bool is_large;
    SHA2_CTX sha;
};

static void hash_put(struct hashed *h, const void *bytes, size_t size)
{
    if (!h->is_large && size > ROOM - known.size) {
        h->is_large = true;
        SHA256Init(&h->sha);
        SHA256Update(&h->sha, known.bytes + h->first, known.size - h->first);
    }
    if (h->is_large) {
        SHA256Update(&h->sha, bytes, size);
        return;
    }
    memcpy(known.bytes + known.size, bytes, size);
    known.size += size;
}

static uint64_t sha_end(SHA2_CTX *sha)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    uint64_t number;

    SHA256Final(digest, sha);
    memcpy(&number, digest, sizeof number);
    return number;
}

static void forget_all(void)
{
    known.count = known.size = 0;
    map_clear(&known.map);
}

/* Find the stack whose bytes are the last ones, or the place for it. NULL if
 * there is no place. */
static uint32_t *find_known(size_t first)
{
    size_t size = known.size - first;
    uint64_t hash = hash_bytes(known.bytes + first, size);

    for (uint64_t i = 0; i < PROBES; i++) {
        uint32_t *at = map_put(&known.map, hash, i);

        if (at == NULL || *at == MAP_NOTHING)
            return at;
        const struct remembered *s = &known.stacks[*at];

        if (s->size == size &&
            memcmp(known.bytes + s->first, known.bytes + first, size) == 0)
            return at;
    }
    return NULL;
}

/* The number of the stack (h), whose bytes are complete. */
static uint64_t hash_end(struct hashed *h)
{
    uint32_t *at = h->is_large ? NULL : find_known(h->first);
    size_t size = known.size - h->first;
    uint64_t number;

    if (h->is_large) {
        forget_all();
        return sha_end(&h->sha);
    }
    if (at != NULL && *at != MAP_NOTHING) {
        known.size = h->first;
        return known.stacks[*at].number;
    }
    SHA256Init(&h->sha);
    SHA256Update(&h->sha, known.bytes + h->first, size);
    number = sha_end(&h->sha);
    if (at == NULL || vec_grow(&known.stacks, &known.room, known.count,
                               sizeof *known.stacks) != 0) {
        forget_all();
        return number;
    }
    *at = (uint32_t)known.count;
    known.stacks[known.count++] = (struct remembered){number, h->first, size};
    return number;
}

static void hash_name(struct hashed *h, const char *text)
{
    hash_put(h, text, strlen(text) + 1);
}

static void hash_image(struct hashed *h, const struct view_image *i)
{
    uint64_t length = i->build_id_len;

    hash_name(h, text_or_none(i->name));
    hash_put(h, &length, sizeof length);
    if (length != 0)
        hash_put(h, i->build_id, length);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || strcmp(text_or_none(a), text_or_none(b)) == 0;
}

static bool same_image(const struct view_image *a, const struct view_image *b)
{
    return a == b ||
           (same_text(a->name, b->name) && a->build_id_len == b->build_id_len &&
            (a->build_id_len == 0 ||
             memcmp(a->build_id, b->build_id, a->build_id_len) == 0));
}

/*
 * Hash (step). To save time, only its differences from (before) are hashed,
 * because most steps have the same image, and many the same file. (before) is
 * the last step that is no mark; NULL: there is none.
 */
static void hash_step(struct hashed *h, const struct view *v,
                      const struct view_step *s, const struct view_step *before)
{
    const struct view_image *image = &v->images[s->image];
    bool file = before == NULL || !same_text(s->file, before->file);
    bool other =
        before == NULL || !same_image(image, &v->images[before->image]);
    uint8_t head[1 + sizeof s->line] = {
        (uint8_t)((file ? TELLS_FILE : 0u) | (other ? TELLS_IMAGE : 0u))};

    memcpy(head + 1, &s->line, sizeof s->line);
    hash_put(h, head, sizeof head);
    hash_name(h, v->functions[s->function].name);
    if (file)
        hash_name(h, text_or_none(s->file));
    if (other)
        hash_image(h, image);
}

static uint64_t number_of(const struct view *v, const struct view_path *path)
{
    static const uint8_t mark = IS_MARK;
    const struct view_step *before = NULL;
    struct hashed h = {.first = known.size};

    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *s = &path->steps[i];

        if (s->function < VIEW_MARKS) {
            hash_put(&h, &mark, sizeof mark);
            hash_name(&h, v->functions[s->function].name);
            continue;
        }
        hash_step(&h, v, s, before);
        before = s;
    }
    return hash_end(&h);
}

/* Numbers of the report's paths so far. Many entries have one path, and a
 * SHA-256 takes longer than all else that is done with an entry. */
struct numbered {
    struct numbered_path {
        uint64_t number;
        size_t first, count; /* its steps */
    } * paths;
    size_t count, room;
    struct numbered_step {
        const char *file;
        uint32_t function, image, line;
    } * steps;
    size_t step_count, step_room;
    struct pair_map map; /* weak hash and a counter -> index of the path */
};

static void numbered_fini(struct numbered *n)
{
    free(n->paths);
    free(n->steps);
    map_fini(&n->map);
}

static uint64_t weak_hash(const struct view_path *path)
{
    uint64_t h = path->count;

    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *s = &path->steps[i];

        h = (h ^ ((uint64_t)s->line << 32 | s->function)) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static bool same_path(const struct numbered *n, const struct numbered_path *p,
                      const struct view_path *path)
{
    bool same = p->count == path->count;

    for (size_t i = 0; same && i < p->count; i++) {
        const struct numbered_step *a = &n->steps[p->first + i];
        const struct view_step *b = &path->steps[i];

        same = a->function == b->function && a->image == b->image &&
               a->file == b->file && a->line == b->line;
    }
    return same;
}

/* Add (path) with its number. False if there is no memory. */
static bool add_path(struct numbered *n, const struct view_path *path,
                     uint64_t number)
{
    if (vec_grow(&n->paths, &n->room, n->count, sizeof *n->paths) != 0)
        return false;
    n->paths[n->count++] =
        (struct numbered_path){number, n->step_count, path->count};
    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *s = &path->steps[i];

        if (vec_grow(&n->steps, &n->step_room, n->step_count,
                     sizeof *n->steps) != 0)
            return false;
        n->steps[n->step_count++] =
            (struct numbered_step){s->file, s->function, s->image, s->line};
    }
    return true;
}

/* Find or compute the number of (path). False if there is no memory. */
static bool find_number(struct numbered *n, const struct view *v,
                        const struct view_path *path, uint64_t *number)
{
    uint64_t hash = weak_hash(path);
    uint32_t *at;

    for (uint64_t i = 0; (at = map_put(&n->map, hash, i)) != NULL; i++) {
        if (*at == MAP_NOTHING) {
            *at = (uint32_t)n->count;
            *number = number_of(v, path);
            return add_path(n, path, *number);
        }
        *number = n->paths[*at].number;
        if (same_path(n, &n->paths[*at], path))
            return true;
    }
    return false;
}

/* Returns the index of the first number of (core). If (core) is the number of
 * cores, returns the count of all numbers. A core has one number more than
 * entries, for its other samples. */
static size_t first_of(const struct profile *p, size_t core)
{
    size_t first = 0;

    for (size_t i = 0; i < core; i++)
        first += p->cores[i].entry_count + 1;
    return first;
}

static uint64_t *find_all(struct render *to, const struct report *r)
{
    size_t cores = r->profile->core_count, first = 0;
    uint64_t *list = calloc(first_of(r->profile, cores) + 1, sizeof(uint64_t));
    struct numbered n = {0};

    to->no_memory |= list == NULL;
    for (size_t core = 0; core < cores && !to->no_memory; core++) {
        struct export_cursor c = {.core = core};

        while (export_next(to, r, &c))
            to->no_memory |=
                !find_number(&n, r->view, &c.path, &list[first + c.entry]);
        first += r->profile->cores[core].entry_count + 1;
    }
    numbered_fini(&n);
    if (to->no_memory) {
        free(list);
        return NULL;
    }
    return list;
}

const uint64_t *stack_numbers_of(struct render *to, const struct report *r,
                                 size_t core)
{
    struct stack_numbers *n = r->numbers;

    if (n->list == NULL)
        n->list = find_all(to, r);
    return n->list != NULL ? n->list + first_of(r->profile, core) : NULL;
}
