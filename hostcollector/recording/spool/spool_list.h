/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which windows of a spool are to be read: those of one guest that begin in a
 * span of time, by their names alone; of files with several windows, those that
 * may have some. Nothing in the folder is opened.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_LIST_H
#define TPROF_RECORDING_SPOOL_SPOOL_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "recording/spool/spool_name.h"
#include "util/err.h"

#define SPOOL_LIST_MAX (1u << 18) /* windows: a month of 10 s each */

struct spool_pick {
    const char *folder;
    const char *guest; /* NULL: the only one that is there */
    uint64_t since_ms,
        until_ms; /* windows that begin from the one to before
                   * the other; (until_ms) of 0: all later ones */
};

struct spool_window {
    uint64_t start_ms;
    uint64_t last_ms; /* start of the last one in the file; 0: it has one */
    uint32_t digits;  /* of (start_ms), in the file's name */
};

struct spool_list {
    char *folder;
    int fd; /* the folder, locked: nobody merges windows of the list */
    uint64_t since_ms, until_ms; /* as it was picked */
    char guest[SPOOL_GUEST_MAX + 1];
    struct spool_window *windows; /* the oldest first */
    size_t count, room;
};

/*
 * Fill (list), which need not be initialized. Returns 0; -1 with (e) filled,
 * and nothing to release: the folder cannot be read, no window is picked, or
 * several guests have some and none was named.
 */
int spool_list_open(struct spool_list *list, const struct spool_pick *pick,
                    struct err *e);

/* The path of window (i) of (list), in the (size) bytes at (path); it is cut if
 * it does not fit. Returns (path). */
char *spool_list_path(const struct spool_list *list, size_t i, char *path,
                      size_t size);

/* Release (list), which may be all zero. */
void spool_list_fini(struct spool_list *list);

#endif
