/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads source files, whose contents are not trusted. */
#ifndef TPROF_IMAGE_NAMES_SOURCE_FILE_H
#define TPROF_IMAGE_NAMES_SOURCE_FILE_H

#define SOURCE_FILE_MAX (1u << 20) /* bytes of a file that are read */

/*
 * Read the source file (path), a name that the compiler received. It is
 * searched below (folder) first, where its first folders may be missing;
 * (folder) may be NULL. The helper opens the file if there is one
 * (guard/opener.h). Returns up to SOURCE_FILE_MAX bytes, followed by a NUL,
 * which the caller frees. NULL if there is no such file, or no memory.
 */
char *source_file_read(const char *folder, const char *path);

/* The same for a (path) that a recording alone tells: only files below (folder)
 * are read, and (path) cannot leave (folder) by "..". */
char *source_file_read_below(const char *folder, const char *path);

#endif
