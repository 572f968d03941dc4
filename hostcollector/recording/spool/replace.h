/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts merged files in place of the windows that are in them, several at once:
 * the disk is waited for, and the folder looked through, once for all of these.
 *
 * A file and its marks are on the disk before the file has its name, and the
 * name is before a window is removed. So whoever is killed, and whatever power
 * fails, the windows are there or the file is, or both: then the windows are
 * removed later.
 */
#ifndef TPROF_RECORDING_SPOOL_REPLACE_H
#define TPROF_RECORDING_SPOOL_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "recording/spool/compact.h"
#include "recording/spool/spool_marks.h"
#include "recording/spool/spool_name.h"
#include "util/err.h"

#define REPLACE_FILES 64u /* at once: the folder is locked meanwhile */

/* A file of a spool. */
struct spool_entry {
    char *name;
    struct spool_name n;
};

/* A file that is to come. */
struct replace_file {
    char name[SPOOL_NAME];
    struct stat st;
    const struct spool_entry *windows; /* by start */
    size_t count;
    size_t within;  /* windows that the file would cover */
    uint64_t bytes; /* of (windows) */
    bool good;      /* it may take their place */
};

struct replace {
    int fd;   /* the folder */
    int lock; /* its time tells who keeps the limits that the folder changed */
    struct compact_sums *sums;
    struct spool_tags tags;
    struct replace_file files[REPLACE_FILES];
    size_t count;
};

/* Begin (r) in the folder (fd), which nobody else merges as long as (lock) is
 * held: what a killed process has begun is removed. */
void replace_init(struct replace *r, int fd, int lock,
                  struct compact_sums *sums);

/*
 * The (size) bytes at (bytes) are to take the place of (count) windows of one
 * guest at (windows), which stay the caller's until replace_all(). If there are
 * many of them by now, that is called. Returns 0; -1 with (e) filled.
 */
int replace_add(struct replace *r, const struct spool_entry *windows,
                size_t count, const void *bytes, size_t size, struct err *e);

/* Put all files in place whose windows are all there and sent; the others are
 * forgotten. Waits for readers of the folder. Returns 0; -1 with (e) filled. */
int replace_all(struct replace *r, struct err *e);

/* Do (a) and (b) have the same guest? */
bool replace_same_guest(const struct spool_entry *a,
                        const struct spool_entry *b);

/* Have all of (tags) the (count) files at (entries) of the folder (fd)? */
bool replace_all_sent(int fd, const struct spool_entry *entries, size_t count,
                      const struct spool_tags *tags);

/* Remove the window (name) of the folder (fd), which is in a file of several,
 * and its marks of (tags). */
void replace_remove(int fd, const char *name, const struct spool_tags *tags);

#endif
