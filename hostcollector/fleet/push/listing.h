/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings in folders, by file names alone. Lists all recordings, and the
 * recordings that a receiver is done with. Watches for new recordings. */
#ifndef TPROF_FLEET_PUSH_LISTING_H
#define TPROF_FLEET_PUSH_LISTING_H

#include <stdbool.h>
#include <stddef.h>

/* A list of strings, sorted after listing_read(). Zeroed: empty. */
struct listing_names {
    char **list;
    size_t count, room;
};

struct listing {
    struct listing_names recordings;
    struct listing_names marks; /* recordings that have a mark */
};

/* Fill (l) with the recordings in the folder (path), and with the recordings
 * that have a mark of (tag). Returns 0; -1 with errno. Call listing_fini() in
 * both cases. */
int listing_read(struct listing *l, const char *path, const char *tag);
void listing_fini(struct listing *l);

/* Is (name) the name of a recording? */
bool listing_is_recording(const char *name);

/* Append the first (length) bytes of (name). Returns 0; -1 if there is no
 * memory. */
int listing_add(struct listing_names *n, const char *name, size_t length);
void listing_sort(struct listing_names *n);
void listing_free(struct listing_names *n);

/* watch.c: reports new and changed recordings in folders, without reading the
 * folders. */

struct watch;

/* Watch the (count) files and folders at (paths), which must outlive the
 * watch. NULL if the system provides no watch. */
struct watch *watch_open(const char *const *paths, size_t count);
void watch_close(struct watch *w);

/* Returns a descriptor that is readable when something has changed; -1 if (w)
 * is NULL. */
int watch_fd(const struct watch *w);

/*
 * Stores in (*taken) the paths of recordings that have changed since the last
 * call. The paths are valid until the next call. Changes by other machines on a
 * network file system may be missing. Returns false if more has changed, so
 * that the folders must be read.
 */
bool watch_take(struct watch *w, const struct listing_names **taken);

#endif
