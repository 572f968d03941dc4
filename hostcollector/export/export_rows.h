/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a core in the order of time, for formats with a row for each.
 * Samples whose time was not kept, since there was no memory for it, come last,
 * all those of an entry in one row: so all of them are there.
 */
#ifndef TPROF_EXPORT_EXPORT_ROWS_H
#define TPROF_EXPORT_EXPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/aggregate/sample_log.h"
#include "report/render.h"

struct export_rows {
    const struct report *report;
    const struct profile_core *core;
    struct sample_log_reader reader;
    bool timed;       /* rows are still from (reader) */
    uint64_t last_ns; /* of the last of these */
    double *time; /* by entry, in TSC ticks: what no row has told yet, ... */
    uint64_t *samples; /* ... and how many samples that is */
    size_t next;       /* entry, of those whose time was not kept */

    /* The row, set by export_rows_next(). */
    uint64_t ns;        /* since the profile's start; never falls */
    size_t entry;       /* as for view_path_of() */
    uint64_t count;     /* samples; 1 unless their times were not kept */
    uint64_t length_ns; /* the time that it stands for, which is before (ns) */
};

/* Read the rows of profile.cores[core] of (r). Without memory (to->no_memory)
 * is set, and there is no row. export_rows_fini() in either case. */
void export_rows_init(struct export_rows *rows, struct render *to,
                      const struct report *r, size_t core);
void export_rows_fini(struct export_rows *rows);

/* The next row in (rows); false behind the last. */
bool export_rows_next(struct export_rows *rows);

/* How process and threads of a guest are numbered, in files that have such:
 * the guest, and its core at index (core). (*next) is 0 at first, and then the
 * number for the next guest. */
#define EXPORT_PID_FIRST 1000u
static inline uint32_t export_pid(uint32_t *next, size_t cores)
{
    uint32_t pid = *next != 0 ? *next : EXPORT_PID_FIRST;

    *next = pid + 1 + (uint32_t)cores;
    return pid;
}

static inline uint32_t export_tid(uint32_t pid, size_t core)
{
    return pid + 1 + (uint32_t)core;
}

#endif
