/* SPDX-License-Identifier: BSD-2-Clause */
/* The kind of a file, by its first bytes. Leaf. */
#ifndef TPROF_GUARD_MAGIC_H
#define TPROF_GUARD_MAGIC_H

#include <stddef.h>

#define MAGIC_SIZE 64u /* bytes that decide the kind */

enum magic {
    MAGIC_NONE, /* no file, or an unreadable one */
    MAGIC_EMPTY,
    MAGIC_RECORDING,
    MAGIC_ELF,  /* an image */
    MAGIC_CORE, /* an ELF core file: memory */
    MAGIC_PE,
    MAGIC_OTHER,
};

/* The kind of a file that begins with the (size) bytes at (bytes). MAGIC_SIZE
 * bytes are enough for every kind. */
enum magic magic_of(const void *bytes, size_t size);

/* The kind of the regular file (path). */
enum magic magic_of_file(const char *path);

#endif
