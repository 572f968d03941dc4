/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads source files, whose contents are not trusted. */
#ifndef TPROF_IMAGE_NAMES_SOURCE_FILE_H
#define TPROF_IMAGE_NAMES_SOURCE_FILE_H

#define SOURCE_FILE_MAX (1u << 20) /* bytes of a file that are read */

/*
 * Read the source file (path), a name that the compiler received. First search
 * (path) below (folder), also without its first folders; (folder) may be NULL.
 * The helper opens the file if there is a helper (guard/opener.h). Returns up
 * to SOURCE_FILE_MAX bytes, followed by a NUL, which the caller frees. NULL if
 * there is no such file, or no memory.
 */
char *source_file_read(const char *folder, const char *path);

/* Like source_file_read(), for a (path) that comes from a recording: reads only
 * files below (folder), which (path) cannot leave by "..". */
char *source_file_read_below(const char *folder, const char *path);

#endif
