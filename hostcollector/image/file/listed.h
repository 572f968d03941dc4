/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of an image without a symbol table, from a list of addresses, types
 * and names. nm prints such a list, and a Linux image contains a list of its
 * own symbols. Only files of this folder include this header.
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

/* Add the symbol named by the (length) bytes at (name), if the symbol may name
 * code. (type) is a letter as nm prints it. Names live as long as (o). Returns
 * 0; -1 if there is no memory. */
int listed_add(struct listed *l, struct object *o, uint64_t address, char type,
               const char *name, size_t length);

/* Subtract (slide) from the addresses in (l), and add the symbols that are in
 * code of (o) to (o), which has no symbols. Releases (l). Returns 0; -1 if
 * there is no memory. */
int listed_fill(struct listed *l, struct object *o, uint64_t slide);

/* Release (l) without using it. */
void listed_fini(struct listed *l);

#endif
