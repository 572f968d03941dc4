/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns symbols into names for people: demangled, and safe to print on a
 * terminal. Each name is kept once.
 */
#ifndef TPROF_IMAGE_NAMES_NAMES_H
#define TPROF_IMAGE_NAMES_NAMES_H

#include <stddef.h>

#include "util/arena.h"
#include "util/pair_map.h"

struct names_entry;
struct pascal_hint;

/* A table from text to text. The keys are hashes, because a struct pair_map has
 * numbers as keys. */
struct names_table {
    /* hash, and a number for texts with equal hashes -> entry */
    struct pair_map by_hash;
    struct names_entry *entries;
    size_t count, room;
};

/* A set of names. All zero: empty. */
struct names {
    struct names_table raw;   /* raw name -> name to show */
    struct names_table shown; /* displayed name -> the same name, kept once */
    struct arena arena;
};

/* Names longer than this are cut, and end in "...". */
#define NAMES_MAX 4096u

/*
 * Returns the displayed name of the symbol or path (raw). Names of C++, Rust
 * and Free Pascal are demangled. Bytes that are no printable UTF-8 become \xNN.
 * Equal names are equal pointers; they live as long as (n). Returns NULL if
 * there is no memory.
 */
const char *names_get(struct names *n, const char *raw);

/* Like names_get(), for a symbol. (hint) may show which letters are
 * capitals. */
const char *names_get_with(struct names *n, const char *raw,
                           const struct pascal_hint *hint);

/* Keep (text), which is no symbol: escape it, but do not demangle it. */
const char *names_keep(struct names *n, const char *text);

/* Memory of (n) in bytes. */
size_t names_bytes(const struct names *n);

/* Release all names; (n) is empty then. */
void names_fini(struct names *n);

#endif
