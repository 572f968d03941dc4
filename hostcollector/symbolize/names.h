/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as people read them: demangled, harmless on a terminal, and each of
 * them once.
 */
#ifndef TPROF_SYMBOLIZE_NAMES_H
#define TPROF_SYMBOLIZE_NAMES_H

#include <stddef.h>

#include "util/arena.h"
#include "util/map.h"

struct names_entry;
struct pascal_hint;

/* Text -> text. Maps have numbers for keys, so this one's are hashes. */
struct names_table {
    struct map by_hash; /* (hash, how many had it before) -> entry */
    struct names_entry *entries;
    size_t count, room;
};

/* All zero is an empty set of names. */
struct names {
    struct names_table raw;   /* what came in -> what goes out */
    struct names_table shown; /* what goes out, so that it is unique */
    struct arena arena;
};

/* Names longer than this are cut, and end in "...". */
#define NAMES_MAX 4096u

/*
 * The name to show for the symbol or path (raw): C++, Rust and Free Pascal
 * demangled, what is no printable UTF-8 as \xNN. Equal results are equal
 * pointers; they live as long as (n). NULL if there is no memory.
 */
const char *names_get(struct names *n, const char *raw);

/* The same for a symbol whose letters (hint) may know better. */
const char *names_get_with(struct names *n, const char *raw,
                           const struct pascal_hint *hint);

/* Release all names; (n) is empty then. */
void names_fini(struct names *n);

#endif
