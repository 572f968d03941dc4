/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by its first bytes. Leaf. */
#ifndef TPROF_GUARD_MAGIC_H
#define TPROF_GUARD_MAGIC_H

#include <stddef.h>

#define MAGIC_SIZE 64u /* bytes from which to tell */

enum magic {
    MAGIC_NONE, /* no file, or none that can be read */
    MAGIC_EMPTY,
    MAGIC_RECORDING,
    MAGIC_ELF,  /* an image */
    MAGIC_CORE, /* an ELF file of memory */
    MAGIC_PE,
    MAGIC_OTHER,
};

/* What begins with the (size) bytes at (bytes), of which MAGIC_SIZE tell all.
 */
enum magic magic_of(const void *bytes, size_t size);

/* The same for the regular file (path). */
enum magic magic_of_file(const char *path);

#endif
