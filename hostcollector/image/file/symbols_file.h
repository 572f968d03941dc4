/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with a list of symbols, for images that have no symbol table. Each
 * line has an address, a type and a name. nm prints such lines. A kernel's
 * build writes them to System.map, and Linux shows them in /proc/kallsyms, with
 * the addresses of the running kernel. There is one list for the process, as
 * for folders (folders.h).
 */
#ifndef TPROF_IMAGE_FILE_SYMBOLS_FILE_H
#define TPROF_IMAGE_FILE_SYMBOLS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct object;

/* Add the symbols in (path) to images without symbols. (path) must remain
 * valid. Returns 0; -1 with (e) filled if a file was named before. */
int symbols_file_use(const char *path, struct err *e);

/* Returns the path given to symbols_file_use(); NULL if there is none. */
const char *symbols_file(void);

/* Add the file's symbols that are in code of (o) to (o), which has no symbols.
 * Returns 0, also without a file; -1 with (e) filled if the file cannot be
 * read, or if there is no memory. */
int symbols_file_read(struct object *o, struct err *e);

/* Like symbols_file_read(), for the (size) bytes at (text). Returns 0; -1 if
 * there is no memory. */
int symbols_file_parse(struct object *o, const uint8_t *text, size_t size);

#endif
