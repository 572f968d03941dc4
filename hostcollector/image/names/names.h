/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns symbols into names for people: demangled and harmless on a terminal.
 * Each name is kept once.
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
    /* (hash, number of earlier texts with it) -> entry */
    struct pair_map by_hash;
    struct names_entry *entries;
    size_t count, room;
};

/* A set of names. All zero: empty. */
struct names {
    struct names_table raw;   /* raw name -> name to show */
    struct names_table shown; /* displayed name -> itself, to keep it once */
    struct arena arena;
};

/* Names longer than this are cut, and end in "...". */
#define NAMES_MAX 4096u

/*
 * The displayed name of the symbol or path (raw): C++, Rust and Free Pascal
 * demangled, and bytes that are no printable UTF-8 as \xNN. Equal results are
 * equal pointers; they live as long as (n). NULL if there is no memory.
 */
const char *names_get(struct names *n, const char *raw);

/* The same for a symbol whose capitals (hint) may give. */
const char *names_get_with(struct names *n, const char *raw,
                           const struct pascal_hint *hint);

/* Keep (text), which is no symbol: it is made harmless, but not demangled. */
const char *names_keep(struct names *n, const char *text);

/* Memory of (n) in bytes. */
size_t names_bytes(const struct names *n);

/* Release all names; (n) is empty then. */
void names_fini(struct names *n);

#endif
