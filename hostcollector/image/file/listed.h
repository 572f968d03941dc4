/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of an image that has no symbol table, from a list of addresses, types
 * and names, as nm prints it and as Linux keeps one of itself. Only files of
 * this folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_LISTED_H
#define TPROF_IMAGE_FILE_LISTED_H

#include <stddef.h>
#include <stdint.h>

#include "image/file/object.h"

/* Zeroed: empty. */
struct listed {
    struct symtab_candidate *list;
    size_t count, room;
};

/* Add the symbol of (type), a letter as nm has it, with the (length) bytes at
 * (name), if it may name code. Names live as long as (o). Returns 0; -1 if
 * there is no memory. */
int listed_add(struct listed *l, struct object *o, uint64_t address, char type,
               const char *name, size_t length);

/* Make those of (l) that are in code of (o), (slide) less far, the symbols of
 * (o), which has none. Releases (l). Returns 0; -1 if there is no memory. */
int listed_fill(struct listed *l, struct object *o, uint64_t slide);

/* Release (l), which is not to be filled in. */
void listed_fini(struct listed *l);

#endif
