/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a core in the order of time, for formats with a row for each
 * sample. If there was no memory to keep the times of some samples, these
 * samples come last, with one row for each entry. So no sample is missing.
 */
#ifndef TPROF_EXPORT_EXPORT_ROWS_H
#define TPROF_EXPORT_EXPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/aggregate/sample_log.h"
#include "report/render.h"

/* A row that is kept, for export_tracks.h. */
struct export_row {
    uint64_t ns, length_ns;
    uint32_t core, entry, track;
    bool timed;
};

struct export_rows {
    const struct report *report;
    /* Rows that are kept, instead of those of a core. NULL: none are. */
    const struct export_row *list, *list_end;
    const struct profile_core *core;
    struct sample_log_reader reader;
    bool timed;        /* (reader) still has rows */
    uint64_t last_ns;  /* of the last row from (reader) */
    double *time;      /* by entry: ticks in no row yet */
    uint64_t *samples; /* by entry: samples in no row yet */
    size_t next;       /* entry; for samples whose time was not kept */

    /* The row that export_rows_next() read. */
    uint64_t ns;        /* since the profile's start; never falls */
    size_t at;          /* index of its core */
    size_t entry;       /* as for view_path_of() */
    uint64_t count;     /* samples; 1 unless their times were not kept */
    uint64_t length_ns; /* time before (ns) that the row stands for */
};

/*
 * Prepare to read the rows of profile.cores[core] of (r). If there is no
 * memory, (to->no_memory) is set, and there are no rows. Call
 * export_rows_fini() in either case.
 */
void export_rows_init(struct export_rows *rows, struct render *to,
                      const struct report *r, size_t core);
void export_rows_fini(struct export_rows *rows);

/* Read the next row into (rows). Returns false after the last row. */
bool export_rows_next(struct export_rows *rows);

/*
 * Numbers of processes and threads, for formats that have them. A guest is a
 * process, its core at index (core) is a thread. (*next) is 0 at first, and
 * later the number of the next guest.
 */
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

/* Returns the index of thread (thread) of (p), for export_tid(). Indices of
 * threads follow those of cores. If (thread) is 0, returns the index of the
 * core. */
static inline size_t export_thread(const struct profile *p, size_t core,
                                   uint32_t thread)
{
    return thread != 0 ? p->core_count + thread - 1 : core;
}

#endif
