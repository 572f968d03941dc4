/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists a folder's recordings, and those that a receiver is done with, by file
 * names alone. */
#ifndef TPROF_FLEET_PUSH_LISTING_H
#define TPROF_FLEET_PUSH_LISTING_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted strings. Zeroed: empty. */
struct listing_names {
    char **list;
    size_t count, room;
};

struct listing {
    struct listing_names recordings;
    struct listing_names marks; /* recordings that have a mark */
};

/* Fill (l) with the recordings in the folder (path), and with those that have
 * a mark of (tag). Returns 0; -1 with errno. Call listing_fini() in both
 * cases. */
int listing_read(struct listing *l, const char *path, const char *tag);
void listing_fini(struct listing *l);

/* Is (name) the name of a recording? */
bool listing_is_recording(const char *name);

/* Append the first (length) bytes of (name). Returns 0; -1 if there is no
 * memory. */
int listing_add(struct listing_names *n, const char *name, size_t length);
void listing_sort(struct listing_names *n);
void listing_free(struct listing_names *n);

#endif
