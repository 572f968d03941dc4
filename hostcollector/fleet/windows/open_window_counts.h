/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many samples of each core lie in windows that are not cut yet: a file in
 * the spool's folder, which outlives a process that is killed. The next process
 * reads there what that one took with it.
 *
 * The file is mapped, and has all its blocks before. Processes that are forked
 * do not have it: whoever cuts it short ends the one that has (SIGBUS).
 */
#ifndef TPROF_FLEET_WINDOWS_OPEN_WINDOW_COUNTS_H
#define TPROF_FLEET_WINDOWS_OPEN_WINDOW_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "recording/spool/spool.h"
#include "util/err.h"

struct open_window_counts;

/* A core of a guest, and its samples. */
struct open_window_core {
    char guest[SPOOL_GUEST_MAX + 4]; /* ends in a NUL */
    uint32_t core;
    uint64_t samples;
};

/* Read the file in the folder (fd), which stays as it is. (places): of so many
 * cores at once this process will have samples. Returns NULL with (e) filled,
 * also where another process has that folder. */
struct open_window_counts *open_window_counts_open(int fd, size_t places,
                                                   struct err *e);

/* From here on the file is this process's: what an earlier one left is in it no
 * more. So a process that may still fail to start does not call this. Returns
 * 0; -1 with (e) filled, as where the disk is full: the counts are in memory
 * alone, and all else goes on. */
int open_window_counts_begin(struct open_window_counts *u, struct err *e);

/* Release (u); NULL is allowed. The file stays. */
void open_window_counts_close(struct open_window_counts *u);

/* What an earlier process took with it: (count) cores by guest and number, each
 * once, and the sums of it. */
struct open_window_losses {
    const struct open_window_core *cores;
    size_t count;
    uint64_t samples, guests;
};
struct open_window_losses
open_window_counts_lost(const struct open_window_counts *u);

/* Likewise, the samples of all cores of the guest (name). */
uint64_t open_window_counts_lost_of(const struct open_window_counts *u,
                                    const char *name);

/* A place for core (core) of the guest (name), or OPEN_WINDOW_COUNTS_NONE,
 * where nothing is counted. */
#define OPEN_WINDOW_COUNTS_NONE UINT32_MAX
uint32_t open_window_counts_reserve(struct open_window_counts *u,
                                    const char *name, uint32_t core);

/* So many samples more are in that core's open window. */
void open_window_counts_add(struct open_window_counts *u, uint32_t place,
                            uint64_t samples);

/* Its window is cut: returns how many there were. A process that is killed
 * between keeping a window and saying so here has lost nothing, but the next
 * one thinks so. */
uint64_t open_window_counts_clear(struct open_window_counts *u, uint32_t place);

/* Clear it, and give it to others. */
void open_window_counts_give_back(struct open_window_counts *u, uint32_t place);

#endif
