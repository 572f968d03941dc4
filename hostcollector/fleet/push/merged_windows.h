/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of several windows, as a spool has them, and which windows they have.
 */
#ifndef TPROF_FLEET_PUSH_MERGED_WINDOWS_H
#define TPROF_FLEET_PUSH_MERGED_WINDOWS_H

#include <stddef.h>

struct several_file;

/* Zeroed: none. */
struct merged_windows {
    struct several_file *files;
    size_t count, room;
};

/* Keep in mind if (path) has several windows. Returns 0; -1: no memory. */
int merged_windows_note(struct merged_windows *s, const char *path);

/* Before merged_windows_contain(), behind the last merged_windows_note(). */
void merged_windows_sort(struct merged_windows *s);

/* Is (path), a window's, in one of those files, too? -1: no memory. */
int merged_windows_contain(const struct merged_windows *s, const char *path);

/* Forget all, but for the room; or that, too. */
void merged_windows_clear(struct merged_windows *s);
void merged_windows_fini(struct merged_windows *s);

#endif
