/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder's recordings, and which of them a receiver is done with, out of the
 * names alone. */
#ifndef TPROF_FLEET_PUSH_LISTING_H
#define TPROF_FLEET_PUSH_LISTING_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted strings. Zeroed: none. */
struct listing_names {
    char **list;
    size_t count, room;
};

struct listing {
    struct listing_names recordings;
    struct listing_names marks; /* recordings by whose mark they were found */
};

/* Fill (l) with the names in the folder (path), and with marks of (tag).
 * Returns 0, or -1 with errno. listing_fini() in either case. */
int listing_read(struct listing *l, const char *path, const char *tag);
void listing_fini(struct listing *l);

/* Is a file called (name) a recording? */
bool listing_is_recording(const char *name);

/* Append the first (length) bytes of (name). Returns 0; -1: no memory. */
int listing_add(struct listing_names *n, const char *name, size_t length);
void listing_sort(struct listing_names *n);
void listing_free(struct listing_names *n);

#endif
