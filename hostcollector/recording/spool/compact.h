/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges finished windows of a spool into files of several windows, which take
 * half the bytes. GUEST.MS-MS.tprof holds the windows of GUEST that begin
 * between the two times, and readers ignore the separate files of these
 * windows. A merged file is complete when it gets its name. If a process is
 * killed before it removes merged windows, the next process removes them.
 *
 * `collector push` sends each file once to each receiver. Windows are merged
 * when all receivers of the folder have them, so the merged file counts as sent
 * to these receivers.
 *
 * A reader locks the folder with LOCK_SH; a merging process locks it
 * exclusively while the folder changes.
 */
#ifndef TPROF_RECORDING_SPOOL_COMPACT_H
#define TPROF_RECORDING_SPOOL_COMPACT_H

#include <stddef.h>
#include <stdint.h>

#include "recording/spool/spool_marks.h"
#include "util/err.h"

struct compact_config {
    /* longest span of a merged file; each file lies within a multiple of
     * this */
    uint64_t span_ms;
    /* since 1970; a window is finished half a minute after its end */
    uint64_t now_ms;
};

/* The windows that wait for one receiver of the folder. */
struct compact_wait {
    char tag[SPOOL_TAG + 1]; /* tag of the receiver's marks */
    uint64_t files;
    uint64_t oldest_ms; /* start of the oldest waiting window; 0: none waits */
};

struct compact_sums {
    uint64_t files, windows; /* merged files that were made; windows in them */
    /* sizes of these windows, and of these files */
    uint64_t bytes_before, bytes;
    uint64_t unsent;   /* windows that had not been sent to every receiver */
    uint64_t unusable; /* damaged windows, which stay as they are */
    uint64_t early; /* windows that were not merged yet, because others may come
                     * in their span */
    struct compact_wait waits[SPOOL_TAGS]; /* windows that were waiting before
                                            * the merge */
    size_t wait_count;
};

/*
 * Merge the finished windows in the folder (fd) once. Returns 0; -1 with (e)
 * filled, also if another process merges there. After an error some windows
 * may have been merged.
 */
int spool_compact(int fd, const struct compact_config *config,
                  struct compact_sums *sums, struct err *e);

#endif
