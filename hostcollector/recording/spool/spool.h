/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A spool: a folder with one file for each window, GUEST.MS.tprof, where MS is
 * the window's start in milliseconds since 1970. A file is there whole or not
 * at all, whenever the process ends. When the folder has more bytes than it
 * may, the guest that has most gives up its oldest windows, and others none;
 * windows that are too old go, too. What `collector push` keeps beside them
 * goes with them.
 *
 * When power fails, what was there at the last spool_settle() stays, whole.
 * A file that came later may be there, or its name with other bytes, which its
 * reader finds out.
 *
 * Everything goes through the folder's descriptor, so a confined process needs
 * no other path.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_H
#define TPROF_RECORDING_SPOOL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define SPOOL_GUEST_MAX 128u /* bytes of a guest's name */

struct spool_limits {
    uint64_t bytes; /* 0: no limit */
    uint64_t age_s; /* 0: no limit; a while longer where the clock was set */
    /* No window that comes begins so much later than now. Those that do were
     * written by a wrong clock, and count as the oldest. */
    uint64_t window_ms;
    /* Take a line on what changed for all windows: the clock was set, the disk
     * is full. NULL: nobody does. */
    void (*say)(void *context, const char *line);
    void *context;
};

struct spool;

/*
 * The spool in the folder (fd), which stays the caller's; what is there already
 * counts. What a killed process has left half written is removed. Returns NULL
 * with (e) filled.
 */
struct spool *spool_open(int fd, const struct spool_limits *limits,
                         struct err *e);

/* Release (s). NULL is allowed. The files stay. */
void spool_close(struct spool *s);

/*
 * Keep (size) bytes, a window of (guest) that began at (start_ms) and has so
 * many (samples). The name is of [A-Za-z0-9._-], and does not begin with a
 * point; a window of the same guest and start is put a millisecond later. If
 * the disk is full, windows go as if they were too many. Then remove what is
 * too much, and once in a while, a 16th of the age but not more than a minute,
 * what is too old. Returns 0; -1 with (e) filled, and nothing is kept.
 */
int spool_put(struct spool *s, const char *guest, uint64_t start_ms,
              const void *bytes, size_t size, uint64_t samples, struct err *e);

/* What was put into the folder (fd) before stays there when power fails,
 * whoever put it; the disk is waited for. Returns 0; -1 with (e) filled. */
int spool_settle(int fd, struct err *e);

struct spool_totals {
    uint64_t files, bytes;
    uint64_t removed, removed_bytes; /* by the limits, since spool_open() */
    /* Files among these for which a receiver of the folder waited; and their
     * samples, of windows that were put here. */
    uint64_t unsent, unsent_samples;
    uint64_t oldest_ms; /* start of the oldest one; 0: empty */
};
struct spool_totals spool_sums(const struct spool *s);

#endif
