/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs the functions of several runs, in three rounds. */
#include "diff/compare/pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/text.h"
#include "util/vec.h"

#define CLONE " [clone "

static const char *const words[] = {"part", "constprop", "isra",      "cold",
                                    "llvm", "lto_priv",  "localalias"};

/* Is the text at (s), which ends at (end), one of the words? */
static bool is_word(const char *s, const char *end)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == (size_t)(end - s) &&
            memcmp(s, words[i], (size_t)(end - s)) == 0)
            return true;
    return false;
}

/* The last dot before (end) and after the first byte of (name); NULL if there
 * is none. */
static const char *last_dot(const char *name, const char *end)
{
    for (const char *c = end; c-- > name + 1;)
        if (*c == '.')
            return c;
    return NULL;
}

/* The end of (name) without one suffix; (end) if (name) has no suffix. */
static const char *without_suffix(const char *name, const char *end)
{
    const char *dot = last_dot(name, end), *word_end = end;

    if (dot == NULL)
        return end;
    if (strspn(dot + 1, "0123456789") >= (size_t)(end - dot - 1)) {
        word_end = dot; /* the number after the word */
        dot = last_dot(name, word_end);
    }
    return dot != NULL && is_word(dot + 1, word_end) ? dot : end;
}

const char *without_compiler_suffix(struct arena *arena, const char *name)
{
    const char *clone = strstr(name, CLONE);
    const char *all = name + strlen(name);
    const char *image = all; /* " [app]" after the name */

    if (all > name && all[-1] == ']')
        while (image > name && *image != '[')
            image--;
    if (image > name && image[-1] == ' ' && *image == '[' &&
        strncmp(image - 1, CLONE, strlen(CLONE)) != 0)
        image--;
    else
        image = all;
    const char *end = clone != NULL && clone < image ? clone : image;

    for (const char *shorter = without_suffix(name, end); shorter != end;
         shorter = without_suffix(name, end))
        end = shorter;
    size_t size = (size_t)(end - name) + strlen(image) + 1;
    char *stem = arena_alloc(arena, size);

    if (stem != NULL)
        (void)snprintf(stem, size, "%.*s%s", (int)(end - name), name, image);
    return stem;
}

#define NONE      PAIRS_NONE
/* Bytes for the names of a function's parts; further names are dropped. */
#define PARTS_MAX 1024

struct pairs_identity {
    const char *name, *stem, *file;
    const char *joined, *file_before;
    uint32_t into; /* the identity that this identity is a part of; or itself */
    uint32_t number; /* of functions[] */
    bool has[2];     /* has samples of its own, by side */
    bool known[2], unsure;
};

struct pairs_sum {
    uint32_t run, identity; /* NONE: the function is unknown */
    struct amount amount;
};

/* FNV-1a. Functions whose hashes collide would be compared as one function. */
static uint64_t hash(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; s != NULL && *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static const char *copy(struct pairs *p, const char *s)
{
    return s == NULL ? NULL : arena_strndup(&p->arena, s, strlen(s));
}

/* The number of the identity, added if necessary; NONE if there is no
 * memory. */
static uint32_t identity_of(struct pairs *p, const char *name, const char *file)
{
    uint32_t *number = map_put(&p->numbers, hash(name), hash(file));

    if (number == NULL || *number != MAP_NOTHING)
        return number == NULL ? NONE : *number;
    if (vec_grow(&p->list, &p->room, p->identities, sizeof *p->list) != 0)
        return NONE;
    struct pairs_identity *i = &p->list[p->identities];

    *i = (struct pairs_identity){.name = copy(p, name),
                                 .stem =
                                     without_compiler_suffix(&p->arena, name),
                                 .file = copy(p, file),
                                 .into = (uint32_t)p->identities};
    if (i->name == NULL || i->stem == NULL || (file != NULL && i->file == NULL))
        return NONE;
    return *number = (uint32_t)p->identities++;
}

int pairs_add(struct pairs *p, uint32_t run, unsigned side, const char *name,
              const char *file, const struct amount *amount)
{
    uint32_t identity = name != NULL ? identity_of(p, name, file) : NONE;

    if ((name != NULL && identity == NONE) ||
        vec_grow(&p->sums, &p->sum_room, p->sum_count, sizeof *p->sums) != 0)
        return -1;
    if (identity != NONE)
        p->list[identity].has[side] = p->list[identity].known[side] = true;
    p->sums[p->sum_count++] = (struct pairs_sum){run, identity, *amount};
    return 0;
}

uint32_t pairs_know(struct pairs *p, unsigned side, const char *name,
                    const char *file)
{
    uint32_t identity = identity_of(p, name, file);

    if (identity != NONE)
        p->list[identity].known[side] = true;
    return identity;
}

/* The identity that (i) is a part of, at the end of the chain. */
static struct pairs_identity *whole_of(const struct pairs *p,
                                       struct pairs_identity *i)
{
    while (&p->list[i->into] != i)
        i = &p->list[i->into];
    return i;
}

static void join(const struct pairs *p, struct pairs_identity *part,
                 struct pairs_identity *whole)
{
    part->into = (uint32_t)(whole - p->list);
    whole->has[0] |= part->has[0];
    whole->has[1] |= part->has[1];
    whole->known[0] |= part->known[0];
    whole->known[1] |= part->known[1];
    if (whole->file == NULL)
        whole->file = part->file;
}

/* Add (name) to the parts of (whole). */
static int tell_part(struct pairs *p, struct pairs_identity *whole,
                     const char *name)
{
    const char *old = whole->joined != NULL ? whole->joined : "";
    size_t size = strlen(old) + 2 + strlen(name) + 1;
    char *text = size <= PARTS_MAX ? arena_alloc(&p->arena, size) : NULL;

    if (text == NULL)
        return size <= PARTS_MAX ? -1 : 0;
    (void)snprintf(text, size, "%s%s%s", old, old[0] != '\0' ? ", " : "", name);
    whole->joined = text;
    return 0;
}

/* Join the (n) identities at (group), which are parts of one function. If both
 * sides have the same parts, each part stays separate. */
static int join_parts(struct pairs *p, struct pairs_identity **group, size_t n)
{
    struct pairs_identity *whole = group[0];
    bool same = true;

    for (size_t i = 0; i < n; i++) {
        same &= group[i]->known[0] && group[i]->known[1];
        if (strcmp(group[i]->name, group[i]->stem) == 0)
            whole = group[i];
    }
    for (size_t i = 0; i < n && !same && n > 1; i++) {
        if (strcmp(group[i]->name, group[i]->stem) != 0 &&
            tell_part(p, whole, group[i]->name) != 0)
            return -1;
        if (group[i] != whole)
            join(p, group[i], whole);
    }
    if (!same && n > 1)
        whole->name = whole->stem;
    return 0;
}

/* Are both files certainly the same file? */
static bool same_file(const char *a, const char *b)
{
    return a == NULL || b == NULL ||
           strcmp(text_base_name(a), text_base_name(b)) == 0;
}

/* Join moved functions among the (n) identities at (group), which have the same
 * name. One identity before and one identity after are the same function if no
 * other can be meant: each is alone on its side, and their files have the same
 * name, or no third function has this name. */
static int join_moved(struct pairs *p, struct pairs_identity **group, size_t n)
{
    struct pairs_identity *only[2] = {NULL, NULL};
    size_t count[2] = {0, 0}, paired = 0;

    for (size_t i = 0; i < n; i++) {
        struct pairs_identity *whole = whole_of(p, group[i]);
        unsigned side = whole->known[1];

        if (whole != group[i])
            continue;
        if (whole->known[0] && whole->known[1]) {
            paired++;
            continue;
        }
        only[side] = whole;
        count[side]++;
    }
    if (count[0] == 0 || count[1] == 0)
        return 0;
    bool same = same_file(only[0]->file, only[1]->file);

    if (count[0] == 1 && count[1] == 1 && (same || paired == 0)) {
        only[1]->file_before = same ? NULL : only[0]->file;
        join(p, only[0], only[1]);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        group[i]->unsure |= !(group[i]->known[0] && group[i]->known[1]);
    return 0;
}

static int compare_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Order by stem and file, then by name. */
static int compare_stems(const void *a, const void *b)
{
    const struct pairs_identity *const *l = a, *const *r = b;
    int order = strcmp((*l)->stem, (*r)->stem);

    if (order == 0)
        order = compare_text((*l)->file, (*r)->file);
    return order != 0 ? order : strcmp((*l)->name, (*r)->name);
}

static int compare_names(const void *a, const void *b)
{
    const struct pairs_identity *const *l = a, *const *r = b;
    int order = strcmp((*l)->name, (*r)->name);

    return order != 0 ? order : compare_text((*l)->file, (*r)->file);
}

static bool same_stem(const struct pairs_identity *a,
                      const struct pairs_identity *b)
{
    return strcmp(a->stem, b->stem) == 0 && compare_text(a->file, b->file) == 0;
}

static bool same_name(const struct pairs_identity *a,
                      const struct pairs_identity *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* A rule for making groups of identities, and the function that joins a group.
 */
struct round {
    int (*order)(const void *a, const void *b);
    bool (*same)(const struct pairs_identity *a,
                 const struct pairs_identity *b);
    int (*join)(struct pairs *p, struct pairs_identity **group, size_t n);
};

static int run_round(struct pairs *p, struct pairs_identity **sorted,
                     const struct round *round)
{
    for (size_t i = 0; i < p->identities; i++)
        sorted[i] = &p->list[i];
    /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(sorted, p->identities, sizeof sorted[0], round->order);
    for (size_t i = 0, n; i < p->identities; i += n) {
        for (n = 1;
             i + n < p->identities && round->same(sorted[i], sorted[i + n]);)
            n++;
        if (round->join(p, &sorted[i], n) != 0)
            return -1;
    }
    return 0;
}

static int join_all(struct pairs *p)
{
    static const struct round rounds[] = {
        {compare_stems, same_stem, join_parts},
        {compare_names, same_name, join_moved},
    };
    struct pairs_identity **sorted = calloc(p->identities + 1, sizeof(void *));
    int result = sorted != NULL ? 0 : -1;

    for (size_t i = 0; result == 0 && i < 2; i++)
        result = run_round(p, sorted, &rounds[i]);
    free(sorted);
    return result;
}

/* Number the identities that have, or do not have, (samples) of their own. */
static void number_functions(struct pairs *p, bool samples)
{
    for (size_t i = 0; i < p->identities; i++) {
        struct pairs_identity *whole = &p->list[i];

        if (whole_of(p, whole) != whole ||
            (whole->has[0] || whole->has[1]) != samples)
            continue;
        whole->number = (uint32_t)p->known;
        p->functions[p->known++] = (struct pair){
            whole->name,        whole->file,   whole->joined,
            whole->file_before, whole->unsure, {whole->has[0], whole->has[1]}};
    }
}

static void amount_add_to(struct amount *to, const struct amount *a)
{
    to->samples += a->samples;
    to->weight += a->weight;
    to->time += a->time;
    to->time_sq += a->time_sq;
}

uint64_t pairs_bytes(const struct pairs *p, size_t runs)
{
    uint64_t functions = p->identities + 1;

    return arena_bytes(&p->arena) + map_bytes(&p->numbers) +
           p->room * sizeof *p->list + p->sum_room * sizeof *p->sums +
           functions * (sizeof(void *) + sizeof *p->functions) +
           functions * runs * sizeof *p->amounts;
}

int pairs_finish(struct pairs *p, size_t runs)
{
    p->functions = calloc(p->identities + 1, sizeof *p->functions);
    if (p->functions == NULL || join_all(p) != 0)
        return -1;
    number_functions(p, true);
    p->count = p->known;
    number_functions(p, false);
    p->amounts = calloc(runs * (p->count + 1), sizeof *p->amounts);
    if (p->amounts == NULL)
        return -1;
    for (size_t i = 0; i < p->sum_count; i++) {
        const struct pairs_sum *s = &p->sums[i];
        size_t number = s->identity == NONE
                            ? p->count
                            : whole_of(p, &p->list[s->identity])->number;

        amount_add_to(&p->amounts[s->run * (p->count + 1) + number],
                      &s->amount);
    }
    return 0;
}

uint32_t pairs_number(const struct pairs *p, uint32_t known)
{
    return whole_of(p, &p->list[known])->number;
}

void pairs_fini(struct pairs *p)
{
    arena_fini(&p->arena);
    map_fini(&p->numbers);
    free(p->list);
    free(p->sums);
    free(p->functions);
    free(p->amounts);
    *p = (struct pairs){0};
}
