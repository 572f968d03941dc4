/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of several windows, as a spool has them, and which windows they have.
 */
#ifndef TPROF_FLEET_PUSH_MERGED_WINDOWS_H
#define TPROF_FLEET_PUSH_MERGED_WINDOWS_H

#include <stddef.h>

struct several_file;

/* Zeroed: none. */
struct several {
    struct several_file *files;
    size_t count, room;
};

/* Keep in mind if (path) has several windows. Returns 0; -1: no memory. */
int several_note(struct several *s, const char *path);

/* Before several_has(), behind the last several_note(). */
void several_sort(struct several *s);

/* Is (path), a window's, in one of those files, too? -1: no memory. */
int several_has(const struct several *s, const char *path);

/* Forget all, but for the room; or that, too. */
void several_clear(struct several *s);
void several_fini(struct several *s);

#endif
