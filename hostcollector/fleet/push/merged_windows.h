/* SPDX-License-Identifier: BSD-2-Clause */
/* Merged files of a spool, and the windows that they hold, by file names
 * alone. */
#ifndef TPROF_FLEET_PUSH_MERGED_WINDOWS_H
#define TPROF_FLEET_PUSH_MERGED_WINDOWS_H

#include <stddef.h>

struct several_file;

/* Zeroed: empty. */
struct merged_windows {
    struct several_file *files;
    size_t count, room;
};

/* Add (path) if it is a merged file. Returns 0; -1 if there is no memory. */
int merged_windows_note(struct merged_windows *s, const char *path);

/* Sort the files. Call it after the last merged_windows_note() and before
 * merged_windows_contain(). */
void merged_windows_sort(struct merged_windows *s);

/* Is the window (path) also in a merged file? Returns -1 if there is no
 * memory. */
int merged_windows_contain(const struct merged_windows *s, const char *path);

/* Forget all files, but keep the room; or release that, too. */
void merged_windows_clear(struct merged_windows *s);
void merged_windows_fini(struct merged_windows *s);

#endif
