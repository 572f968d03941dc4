/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks in a spool: beside a file X that a receiver has, `collector push` keeps
 * X.sent-TAG, where TAG stands for the receiver. A receiver is one of the
 * folder's if any file there has its mark.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_MARKS_H
#define TPROF_RECORDING_SPOOL_SPOOL_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "recording/spool/spool_name.h"
#include "util/err.h"

#define SPOOL_TAG  8u  /* digits of one */
#define SPOOL_TAGS 32u /* receivers of a folder, at most */
#define SPOOL_MARK (SPOOL_NAME + SPOOL_TAG + 8u)

/* Receivers of a folder. Zeroed: none. */
struct spool_tags {
    char list[SPOOL_TAGS][SPOOL_TAG + 1];
    size_t count;
};

/* Is (name), in the folder (fd), the mark of a file that is there? Then its
 * receiver is one of (tags). Returns 0; -1 with (e) filled: there are too
 * many. */
int spool_tags_take(struct spool_tags *tags, int fd, const char *name,
                    struct err *e);

/* Is (name), in the folder (fd), the mark of a merged file that is not there?
 * The one who merged was killed before it had its name
 * (recording/spool/replace.h). */
bool spool_mark_is_left(int fd, const char *name);

/* The mark of the file (name) for (tag), in (mark). Returns (mark). */
const char *spool_mark_name(char mark[SPOOL_MARK], const char *name,
                            const char *tag);

/* Has the file (name) of the folder (fd) the mark for (tag)? */
bool spool_is_marked(int fd, const char *name, const char *tag);

/* Remove the marks of the file (name) in the folder (fd), also those that were
 * not finished. Returns whether each of (tags) had one. */
bool spool_marks_remove(int fd, const char *name,
                        const struct spool_tags *tags);

#endif
