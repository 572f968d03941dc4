/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest's physical memory that QEMU shares: where its pieces lie, by what the
 * monitor says, and reading them without a word to QEMU. They are read as files
 * and not mapped: one that somebody cuts off must not end this process.
 */
#ifndef TPROF_OUTSIDE_SHARED_H
#define TPROF_OUTSIDE_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/monitor.h"

#define SHARED_FILES_MAX  8u
#define SHARED_PIECES_MAX 64u

struct shared_piece {
    uint64_t start, size; /* physical */
    uint64_t offset;      /* in the file */
    int fd;
};

struct shared {
    struct shared_piece piece[SHARED_PIECES_MAX];
    size_t piece_count; /* 0: nothing is shared */
    int fd[SHARED_FILES_MAX];
    size_t file_count;
    bool missed; /* shared_read() was asked for what is not shared */
};

/* Find what the guest of (m) shares; before the process is confined. That there
 * is nothing, or it cannot be opened, is no error. Returns 0; -1 with (e)
 * filled: the monitor failed. */
int shared_init(struct shared *s, struct monitor *m, struct err *e);
void shared_fini(struct shared *s);

/* Read physical memory, as struct paging wants it; (shared): a struct shared.
 */
long shared_read(void *shared, uint64_t address, void *to, size_t size);

#endif
