/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of sent files in a spool. When a receiver has a file X, `collector
 * push` creates X.sent-TAG, where TAG stands for the receiver. The receivers of
 * a folder are the receivers that have a mark on any of its files.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_MARKS_H
#define TPROF_RECORDING_SPOOL_SPOOL_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "recording/spool/spool_name.h"
#include "util/err.h"

#define SPOOL_TAG  8u  /* digits of a tag */
#define SPOOL_TAGS 32u /* most receivers of a folder */
#define SPOOL_MARK (SPOOL_NAME + SPOOL_TAG + 8u)

/* Receivers of a folder. Zeroed: none. */
struct spool_tags {
    char list[SPOOL_TAGS][SPOOL_TAG + 1];
    size_t count;
};

/* If (name) is the mark of an existing file in the folder (fd), add its
 * receiver to (tags). Returns 0; -1 with (e) filled if there are too many
 * receivers. */
int spool_tags_take(struct spool_tags *tags, int fd, const char *name,
                    struct err *e);

/* Is (name) the mark of a merged file that does not exist in the folder (fd)? A
 * merging process that is killed leaves such a mark
 * (recording/spool/compact_parts.h). */
bool spool_mark_is_left(int fd, const char *name);

/* Write the name of the mark of the file (name) for (tag) into (mark). Returns
 * (mark). */
const char *spool_mark_name(char mark[SPOOL_MARK], const char *name,
                            const char *tag);

/* Does the file (name) of the folder (fd) have the mark for (tag)? */
bool spool_is_marked(int fd, const char *name, const char *tag);

/* Remove the marks of the file (name) in the folder (fd), also unfinished
 * marks. Returns whether the file had a mark for each of (tags). */
bool spool_marks_remove(int fd, const char *name,
                        const struct spool_tags *tags);

#endif
