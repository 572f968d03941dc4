/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of merging, for compact.c: windows become the bytes of a merged
 * file, and the file takes the place of the windows. */
#ifndef TPROF_RECORDING_SPOOL_COMPACT_PARTS_H
#define TPROF_RECORDING_SPOOL_COMPACT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "recording/spool/compact.h"
#include "recording/spool/spool_marks.h"
#include "recording/spool/spool_name.h"
#include "util/err.h"

/* merged_file.c: files of single windows -> the bytes of one merged file. */

struct merged_file;

/* Returns an empty file. NULL if there is no memory. */
struct merged_file *merged_file_new(void);

/* Release (f). NULL is allowed. */
void merged_file_free(struct merged_file *f);

enum merged_took {
    MERGED_TOOK,
    /* the window has another header, and belongs into the next file */
    MERGED_OTHER,
    MERGED_UNUSABLE /* the window keeps its own file; nothing was added */
};

/* Add the window in the file (fd), which began at (start_ms) by its file
 * name. */
enum merged_took merged_file_add(struct merged_file *f, int fd,
                                 uint64_t start_ms);

/* Returns the bytes of the merged file, which the caller frees. Empties (f).
 * NULL with (e) filled on failure. */
uint8_t *merged_file_end(struct merged_file *f, size_t *size, struct err *e);

/*
 * replace.c: puts merged files in place of the windows that they hold. Several
 * files are put in place together, because waiting for the disk and searching
 * the folder then happen once for all of them.
 *
 * Order of steps: the file and its marks are on the disk before the file gets
 * its name, and its name is on the disk before a window is removed. So after a
 * kill or a loss of power the folder has the windows, the file, or both. If it
 * has both, the windows are removed later.
 */

/* limit of files at a time, because the folder is locked meanwhile */
#define REPLACE_FILES 64u

/* A file of a spool. */
struct spool_entry {
    char *name;
    struct spool_name n;
};

/* A merged file to be put in place. */
struct replace_file {
    char name[SPOOL_NAME];
    struct stat st;
    const struct spool_entry *windows; /* in order of start */
    size_t count;
    size_t within;  /* windows in the folder that the file would cover */
    uint64_t bytes; /* size of (windows) */
    bool good;      /* the file may take the place of its windows */
};

struct replace {
    int fd; /* the folder */
    /* an open lock file; its time tells the processes that keep the limits of a
     * merge */
    int lock;
    struct compact_sums *sums;
    struct spool_tags tags;
    struct replace_file files[REPLACE_FILES];
    size_t count;
};

/* Begin (r) in the folder (fd). No other process merges there while (lock) is
 * held. Removes unfinished files of killed processes. */
void replace_init(struct replace *r, int fd, int lock,
                  struct compact_sums *sums);

/*
 * Let the (size) bytes at (bytes) replace (count) windows of one guest at
 * (windows), which must stay valid until replace_all(). Calls replace_all() if
 * REPLACE_FILES have gathered. Returns 0; -1 with (e) filled.
 */
int replace_add(struct replace *r, const struct spool_entry *windows,
                size_t count, const void *bytes, size_t size, struct err *e);

/* Put the files in place if all of their windows still exist and were sent;
 * drop the other files. Waits for readers of the folder. Returns 0; -1 with (e)
 * filled. */
int replace_all(struct replace *r, struct err *e);

/* Are (a) and (b) of the same guest? */
bool replace_same_guest(const struct spool_entry *a,
                        const struct spool_entry *b);

/* Do the (count) files at (entries) of the folder (fd) have marks for all of
 * (tags)? */
bool replace_all_sent(int fd, const struct spool_entry *entries, size_t count,
                      const struct spool_tags *tags);

/* Remove the window (name), which is in a merged file, from the folder (fd),
 * and its marks for (tags). */
void replace_remove(int fd, const char *name, const struct spool_tags *tags);

#endif
