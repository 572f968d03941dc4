/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges windows of a spool that are over into files of several, which take
 * half the bytes: GUEST.MS-MS.tprof has those of GUEST that begin from the one
 * time to the other, and readers take no other file for these. So the file's
 * name, which is there from one moment to the next, is all that changes;
 * windows that are in two files, because a process was killed, are removed by
 * the next one.
 *
 * `collector push` sends each file once for each receiver. Windows are merged
 * when all receivers of which the folder knows have them; the merged file
 * counts as sent to these. A reader has the folder locked (LOCK_SH); while it
 * is changed, it is locked against them.
 */
#ifndef TPROF_RECORDING_SPOOL_COMPACT_H
#define TPROF_RECORDING_SPOOL_COMPACT_H

#include <stddef.h>
#include <stdint.h>

#include "recording/spool/spool_marks.h"
#include "util/err.h"

struct compact_config {
    uint64_t span_ms; /* of a merged file, at most: cut at its multiples */
    uint64_t now_ms;  /* since 1970; what ended half a minute ago is over */
};

/* What waits for a receiver of the folder. */
struct compact_wait {
    char tag[SPOOL_TAG + 1]; /* of its marks */
    uint64_t files;
    uint64_t oldest_ms; /* start of the oldest; 0: none waits */
};

struct compact_sums {
    uint64_t files, windows;      /* that were made; that are in them */
    uint64_t bytes_before, bytes; /* of these windows; of these files */
    uint64_t unsent;              /* windows for which a receiver waits */
    uint64_t unusable;            /* windows that stay as they are: damaged */
    uint64_t early;               /* ... since more may come of their span */
    struct compact_wait waits[SPOOL_TAGS]; /* before they were merged */
    size_t wait_count;
};

/*
 * Merge what is over in the folder (fd), once. Returns 0; -1 with (e) filled,
 * also if another process merges there: what was done until then is done.
 */
int spool_compact(int fd, const struct compact_config *config,
                  struct compact_sums *sums, struct err *e);

#endif
