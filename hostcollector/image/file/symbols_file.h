/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of symbols in a file of its own, for images that have no symbol table:
 * lines of an address, a type and a name, as nm prints them, as a kernel's
 * build writes them to System.map, and as Linux shows them in /proc/kallsyms,
 * where the kernel may have moved. Of the process, like the folders
 * (folders.h).
 */
#ifndef TPROF_IMAGE_FILE_SYMBOLS_FILE_H
#define TPROF_IMAGE_FILE_SYMBOLS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct object;

/* Read images' symbols from (path), too, which must live on. Returns 0; -1 with
 * (e) filled: there is such a file already. */
int symbols_file_use(const char *path, struct err *e);

/* The path of that file; NULL: none. */
const char *symbols_file(void);

/* Give (o), which has no symbols, those of the file that are in its code.
 * Returns 0, also without a file; -1 with (e) filled: it cannot be read, or
 * there is no memory. */
int symbols_file_read(struct object *o, struct err *e);

/* The same of the (size) bytes at (text). Returns 0; -1 if there is no memory.
 */
int symbols_file_parse(struct object *o, const uint8_t *text, size_t size);

#endif
