/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the samples of each core in open windows, in a file in the spool's
 * folder. The file survives a process that is killed, so the next process knows
 * how many samples were lost.
 *
 * The file's blocks are allocated before the file is mapped, so a full disk
 * cannot raise SIGBUS later. Children do not inherit the mapping. If another
 * process truncates the file, this process dies of SIGBUS.
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

/* Read the file in the folder (fd), without changing it. (places) is the
 * largest number of cores at a time. Returns NULL with (e) filled, also if
 * another process uses that folder. */
struct open_window_counts *open_window_counts_open(int fd, size_t places,
                                                   struct err *e);

/* Take over the file and clear the counts of an earlier process. After this
 * call the losses of the earlier process are known to this process only, so
 * call it when the start can no longer fail. Returns 0; -1 with (e) filled, for
 * example if the disk is full. After an error the counts are in memory only. */
int open_window_counts_begin(struct open_window_counts *u, struct err *e);

/* Release (u); NULL is allowed. The file stays. */
void open_window_counts_close(struct open_window_counts *u);

/* Losses of an earlier process that was killed: (count) cores sorted by guest
 * and number, without repetition, and their sum. */
struct open_window_losses {
    const struct open_window_core *cores;
    size_t count;
    uint64_t samples, guests;
};
struct open_window_losses
open_window_counts_lost(const struct open_window_counts *u);

/* The lost samples of all cores of the guest (name). */
uint64_t open_window_counts_lost_of(const struct open_window_counts *u,
                                    const char *name);

/* Allocate a place for core (core) of the guest (name). Returns
 * OPEN_WINDOW_COUNTS_NONE if there is no place; then nothing is counted. */
#define OPEN_WINDOW_COUNTS_NONE UINT32_MAX
uint32_t open_window_counts_reserve(struct open_window_counts *u,
                                    const char *name, uint32_t core);

/* Add (samples) to the core's open window. */
void open_window_counts_add(struct open_window_counts *u, uint32_t place,
                            uint64_t samples);

/* Clear the count, because the core's window was cut. Returns the count. If the
 * process is killed after the window was kept and before this call, the next
 * process counts the samples as lost although they are not. */
uint64_t open_window_counts_clear(struct open_window_counts *u, uint32_t place);

/* Clear the place, and free it for others. */
void open_window_counts_give_back(struct open_window_counts *u, uint32_t place);

#endif
