/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as people read them: demangled and harmless on a terminal. Each name is
 * kept once.
 */
#ifndef TPROF_IMAGE_NAMES_NAMES_H
#define TPROF_IMAGE_NAMES_NAMES_H

#include <stddef.h>

#include "util/arena.h"
#include "util/pair_map.h"

struct names_entry;
struct pascal_hint;

/* Text -> text. A struct pair_map has numbers as keys, so its keys are hashes.
 */
struct names_table {
    struct pair_map by_hash; /* (hash, how many texts had it before) -> entry */
    struct names_entry *entries;
    size_t count, room;
};

/* All zero is an empty set of names. */
struct names {
    struct names_table raw;   /* raw name -> name to show */
    struct names_table shown; /* name to show -> itself, to keep it once */
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

/* (text), which is no raw symbol: it is made harmless, but not demangled. */
const char *names_keep(struct names *n, const char *text);

/* Bytes that (n) takes. */
size_t names_bytes(const struct names *n);

/* Release all names; (n) is empty then. */
void names_fini(struct names *n);

#endif
