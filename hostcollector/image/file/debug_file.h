/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the file that holds the debug information that was stripped from an
 * image: by build-id in image/file/folders.h, else by the name and checksum in
 * .gnu_debuglink, beside the image, in .debug/ there, or below /usr/lib/debug.
 * Only files of this folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_DEBUG_FILE_H
#define TPROF_IMAGE_FILE_DEBUG_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "image/file/object.h"

struct debug_file {
    char *path;
    struct object object;
};

/* The debug file of (o), an ELF file whose build-id is the (len) bytes at (id).
 * NULL if there is no such file, if the file is of another build, or if the
 * file has no DWARF. */
struct debug_file *debug_file_find(const struct object *o, const uint8_t *id,
                                   size_t len);

/* The same for the file (path), if that file matches (o). */
struct debug_file *debug_file_take(const struct object *o, const char *path,
                                   const uint8_t *id, size_t len);

/* Release (d). NULL is allowed. */
void debug_file_close(struct debug_file *d);

/* The file name in .gnu_debuglink of (o), without a folder. NULL if there is
 * none. */
const char *debug_file_link(const struct object *o);

#endif
