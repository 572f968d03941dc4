/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the windows of a spool that are to be read: the windows of one guest
 * that begin in a span of time. A merged file is listed if it may have such
 * windows. The choice is by file names alone; nothing in the folder is
 * opened.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_LIST_H
#define TPROF_RECORDING_SPOOL_SPOOL_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "recording/spool/spool_name.h"
#include "util/err.h"

#define SPOOL_LIST_MAX (1u << 18) /* most windows: a month of 10 s each */

struct spool_pick {
    const char *folder;
    const char *guest; /* NULL: the only guest in the folder */
    uint64_t since_ms,
        /* windows that begin from (since_ms) to before (until_ms); (until_ms)
         * 0: no end */
        until_ms;
};

struct spool_window {
    uint64_t start_ms;
    /* start of the last window in a merged file; 0: one window */
    uint64_t last_ms;
    uint32_t digits; /* number of digits of (start_ms) in the file's name */
};

struct spool_list {
    char *folder;
    int fd; /* the folder, locked so that no process merges its windows */
    uint64_t since_ms, until_ms; /* as in struct spool_pick */
    char guest[SPOOL_GUEST_MAX + 1];
    struct spool_window *windows; /* in order of start */
    size_t count, room;
};

/*
 * Fill (list), which need not be initialized. Returns 0; -1 with (e) filled,
 * and nothing to release. Fails if the folder cannot be read, if it has no such
 * window, or if several guests have windows and (pick) names no guest.
 */
int spool_list_open(struct spool_list *list, const struct spool_pick *pick,
                    struct err *e);

/* Write the path of window (i) of (list) into the (size) bytes at (path), cut
 * to fit. Returns (path). */
char *spool_list_path(const struct spool_list *list, size_t i, char *path,
                      size_t size);

/* Release (list), which may be all zero. */
void spool_list_fini(struct spool_list *list);

#endif
