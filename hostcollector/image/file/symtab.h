/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a symbol table, by address. Only files of this folder
 * include this header. */
#ifndef TPROF_IMAGE_FILE_SYMTAB_H
#define TPROF_IMAGE_FILE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/file/image.h"

struct symtab {
    struct image_function *functions; /* rising, one for each start */
    size_t count;
};

/* A symbol that may name a function. */
struct symtab_candidate {
    struct image_function f; /* size 0: a label */
    uint64_t limit;          /* where its section ends, above its start */
    unsigned rank;           /* among aliases the highest wins */
    unsigned order;          /* of equal ranks the lowest wins */
};

/* Should a report show (name)? It may be NULL. */
bool symtab_wants(const char *name);

/*
 * Fill (t), which is zero, from the (n) candidates at (c), which it sorts;
 * names must outlive it. Returns 0; -1 with errno set if there is no memory.
 */
int symtab_fill(struct symtab *t, struct symtab_candidate *c, size_t n);

/* Release the memory of (t), which may be all zero. */
void symtab_fini(struct symtab *t);

/* The innermost function that holds (address), or NULL. */
const struct image_function *symtab_function(const struct symtab *t,
                                             uint64_t address);

#endif
