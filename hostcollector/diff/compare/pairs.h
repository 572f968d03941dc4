/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches the functions of several runs by name and by the file that declares
 * them. Addresses and folders may differ between builds. Parts that a compiler
 * made of a function (f.part.0, f.constprop.0) are joined with the function,
 * unless both sides have the same parts.
 *
 * If both sides have only one function of a name, it is the same function, even
 * if its file has another name: the file was renamed, or the function was
 * moved. Uncertain matches stay separate and are marked.
 */
#ifndef TPROF_DIFF_COMPARE_PAIRS_H
#define TPROF_DIFF_COMPARE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/arena.h"
#include "util/pair_map.h"

/* A function, on one side or on both. */
struct pair {
    const char *name;
    const char *file;   /* the file that declares it; NULL: unknown */
    const char *joined; /* names of its parts, "f.part.0, f.isra.0"; or NULL */
    const char *file_before; /* name of its file on side 0, if it differs; or
                              * NULL */
    /* The other side has several functions of this name, and the matching one
     * is unknown. */
    bool unsure;
    bool has[2]; /* by side: has samples of its own */
};

struct pairs_sum;
struct pairs_identity;

/* Zeroed: none. */
struct pairs {
    struct arena arena;
    struct pair_map numbers; /* (hash of name, of file) -> identity */
    struct pairs_identity *list;
    size_t identities, room;
    struct pairs_sum *sums;
    size_t sum_count, sum_room;
    /* Valid after pairs_finish(). The first (count) functions have samples of
     * their own. After them come functions of pairs_know() without such
     * samples. */
    struct pair *functions;
    size_t count, known;
    struct amount *amounts; /* in the layout of struct compare_input */
};

/*
 * Add (amount) to the function (name) declared in (file), in run (run) of
 * (side) 0 or 1. (file) may be NULL. (name) is NULL if the function is unknown.
 * Strings are copied.
 * Returns 0; -1 if there is no memory.
 */
int pairs_add(struct pairs *p, uint32_t run, unsigned side, const char *name,
              const char *file, const struct amount *amount);

/* Register the function (name) declared in (file) on (side), even if it has no
 * samples of its own.
 * Returns its number for pairs_number(); PAIRS_NONE if there is no memory. */
#define PAIRS_NONE UINT32_MAX
uint32_t pairs_know(struct pairs *p, unsigned side, const char *name,
                    const char *file);

/* Returns the bytes of memory that (p) takes, including those that
 * pairs_finish() will take for (runs). */
uint64_t pairs_bytes(const struct pairs *p, size_t runs);

/* Fill functions and amounts after all (runs) were added.
 * Returns 0; -1 if there is no memory. */
int pairs_finish(struct pairs *p, size_t runs);

/* Returns the index in p->functions of the function with the number (known) of
 * pairs_know(). Call it after pairs_finish(). */
uint32_t pairs_number(const struct pairs *p, uint32_t known);

/* Release what (p) holds. */
void pairs_fini(struct pairs *p);

/* Copies (name) into (arena) without the compiler's suffixes: "f [app]" for
 * "f.isra.0.part.1 [app]", and "f(int)" for "f(int) [clone .cold]". Returns
 * NULL if there is no memory. */
const char *without_compiler_suffix(struct arena *arena, const char *name);

#endif
