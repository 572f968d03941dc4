/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many samples of each guest lie in windows that are not cut yet: a file in
 * the spool's folder, mapped, so that it outlives a process that is killed. The
 * next process reads there what that one took with it.
 */
#ifndef TPROF_SERVE_UNCUT_H
#define TPROF_SERVE_UNCUT_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct uncut;

/* The file in the folder (fd), for (rows) guests; what an earlier process left
 * in it is kept aside. Returns NULL with (e) filled, also where another process
 * has that folder. */
struct uncut *uncut_open(int fd, size_t rows, struct err *e);

/* Release (u); NULL is allowed. The file stays. */
void uncut_close(struct uncut *u);

/* Samples that an earlier process took with it, and of how many guests. */
struct uncut_lost {
    uint64_t samples, guests;
};
struct uncut_lost uncut_lost(const struct uncut *u);

/* Likewise, of the guest (name). */
uint64_t uncut_lost_of(const struct uncut *u, const char *name);

/* Row (row) is the guest (name), which has (samples) in its open window. Rows
 * that are not there are ignored. A process that is killed between keeping a
 * window and saying 0 here has lost nothing, but the next one thinks so. */
void uncut_put(struct uncut *u, size_t row, const char *name, uint64_t samples);

#endif
