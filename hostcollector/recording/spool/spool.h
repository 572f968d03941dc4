/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A spool: a folder with one file for each window, GUEST.MS.tprof, where MS is
 * the window's start in milliseconds since 1970. A file is written whole or not
 * at all, even if the process is killed.
 *
 * Windows that are too old are removed. If the folder exceeds its limit of
 * bytes, the oldest windows of the largest guest are removed, and no others.
 * The marks of `collector push` for a window are removed with the window.
 *
 * After a loss of power, the files that existed at the last spool_settle() are
 * whole. A later file may be missing or have wrong bytes, which readers detect.
 * All accesses use the folder's descriptor, so a confined process needs no
 * other path.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_H
#define TPROF_RECORDING_SPOOL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define SPOOL_GUEST_MAX 128u /* bytes of a guest's name */

struct spool_limits {
    uint64_t bytes; /* 0: no limit */
    /* 0: no limit; not applied while the clock is doubtful */
    uint64_t age_s;
    /* Longest time from now to the start of a new window. If a file has a later
     * start, a wrong clock has named it, and the file counts as the oldest. */
    uint64_t window_ms;
    /* Called with a line of text about events that concern all windows: the
     * clock was set, the disk is full. May be NULL. */
    void (*say)(void *context, const char *line);
    void *context;
};

struct spool;

/*
 * Open the spool in the folder (fd), which stays the caller's. The folder's
 * files count towards the limits. Unfinished files of a killed process are
 * removed. Returns NULL with (e) filled on failure.
 */
struct spool *spool_open(int fd, const struct spool_limits *limits,
                         struct err *e);

/* Release (s). NULL is allowed. The files stay. */
void spool_close(struct spool *s);

/*
 * Write (size) bytes, a window of (guest) that began at (start_ms) and has
 * (samples) samples. The guest's name consists of [A-Za-z0-9._-], and does not
 * begin with a period. If the guest has a window with the same start, the new
 * window counts as a millisecond later. If the disk is full, windows are
 * removed as if the limit were exceeded.
 *
 * Afterwards excess windows are removed. Windows that are too old are removed
 * at intervals of a 16th of their maximum age, and at least once a minute.
 *
 * Returns 0; -1 with (e) filled if the window was not kept.
 */
int spool_put(struct spool *s, const char *guest, uint64_t start_ms,
              const void *bytes, size_t size, uint64_t samples, struct err *e);

/* Wait until all files of the folder (fd), of whatever process, are on the disk
 * and would survive a loss of power. Returns 0; -1 with (e) filled. */
int spool_settle(int fd, struct err *e);

struct spool_totals {
    uint64_t files, bytes;
    /* files removed because of the limits since spool_open() */
    uint64_t removed, removed_bytes;
    /* Removed files that had not been sent to every receiver, and their
     * samples, as far as known: of files that spool_put() of (s) wrote. */
    uint64_t unsent, unsent_samples;
    uint64_t oldest_ms; /* start of the oldest window; 0: the spool is empty */
};
struct spool_totals spool_sums(const struct spool *s);

/* spool_images.c: images beside the windows, a file for each build, so that
 * reports have names when the kernel's file was rebuilt or is elsewhere. */

#define SPOOL_IMAGES    16u         /* most images; the oldest is removed */
#define SPOOL_IMAGE_MAX (64u << 20) /* bytes; a larger image is not kept */

/* Keep the (size) bytes at (bytes), an image, as the file (name) in the folder
 * (fd). Does nothing if the file exists. Returns 0; -1 with (e) filled. */
int spool_image_keep(int fd, const char *name, const uint8_t *bytes,
                     uint64_t size, struct err *e);

#endif
