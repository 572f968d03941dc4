/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of an ELF symbol table, by address. Part of image, which says
 * what they mean to everybody else.
 */
#ifndef TPROF_SYMBOLIZE_SYMTAB_H
#define TPROF_SYMBOLIZE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "symbolize/image.h"

struct symtab {
    struct image_function *functions; /* rising, one for each start */
    size_t count;
};

/*
 * Fill (t) from .symtab, or .dynsym where that is missing. Names point into
 * (elf). What makes no sense is left out; no symbol table is an empty one.
 * Returns 0; -1 with errno set if there is no memory.
 */
int symtab_read(struct symtab *t, Elf *elf);

/* Release what symtab_read() got; (t) may be all zero. */
void symtab_fini(struct symtab *t);

/* The innermost function that holds (address), or NULL. */
const struct image_function *symtab_function(const struct symtab *t,
                                             uint64_t address);

/* Find the symbol (name) of any type; its value in (*address). */
bool symtab_find(Elf *elf, const char *name, uint64_t *address);

#endif
