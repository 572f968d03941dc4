/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Status of `collector serve` and its guests, for its other processes: a table
 * in memory that the serving process writes and forked processes read at any
 * time. Readers copy rows and trust nothing in them, since the writer reads
 * untrusted bytes. A copied row is consistent.
 */
#ifndef TPROF_FLEET_WINDOWS_STATUS_H
#define TPROF_FLEET_WINDOWS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define STATUS_NAME_MAX 64u /* NUL included */
#define STATUS_IMAGES   8u
#define STATUS_TAG      16u /* NUL included */
#define STATUS_TAGS     32u

enum status_state {
    STATUS_FREE,      /* no guest has this row */
    STATUS_WAITING,   /* absent, or has not sent HELLO */
    STATUS_SAMPLING,  /* samples come */
    STATUS_FAILED,    /* it sent invalid bytes, and is tried again later */
    STATUS_LEAVING,   /* stopping; its last counters have not arrived yet */
    STATUS_NO_MEMORY, /* waits, since other guests have all memory */
};

/* A guest. Counts are since the start of this process. */
struct status_guest {
    char name[STATUS_NAME_MAX]; /* letters, digits, '.', '_' and '-' */
    uint32_t state;             /* enum status_state */
    uint32_t cores;             /* 0: unknown */
    uint32_t rate_hz;           /* requested rate */
    bool has_busy;              /* is (busy_ppm) known? */
    uint32_t busy_ppm; /* busy part of its cores' time in the last seconds */
    /* Files that the guest runs, as numbers from 1 on in a list that readers
     * have; 0 after the last. */
    uint16_t images[STATUS_IMAGES];
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* ticks taken or due, and not delivered */
    uint64_t crashed;   /* samples that an earlier process lost: see below */
    uint64_t windows;   /* in the spool */
    uint64_t bytes;     /* size of these windows */
    uint64_t window_ms; /* start of the last window, since 1970; 0: none yet */
    uint64_t lost_window_samples; /* samples in windows that could not be
                                   * kept */
    /* part of (samples) that was dropped, since the rate was too high */
    uint64_t dropped;
};

/* Totals of all guests. */
struct status_totals {
    uint64_t start_ms; /* start of serving, since 1970 */
    uint64_t alive_ms; /* time of the last sign of the loop, at least once a
                        * second */
    /* time between the last cut and its last kept window */
    uint64_t lag_ms;
    uint64_t windows;             /* kept */
    uint64_t lost_windows;        /* windows that could not be kept */
    uint64_t lost_window_samples; /* samples in these windows */
    uint64_t spool_files, spool_bytes;
    uint64_t removed; /* windows that the limits have removed */
    /* Removed windows that were not yet sent to a receiver; and the samples in
     * them, as far as this process has kept the windows. */
    uint64_t unsent, unsent_samples;
    uint64_t samples, lost, dropped;
    /* Lost samples in open windows of an earlier process that was killed. */
    uint64_t crashed;
    uint32_t guests; /* all guests; those that are sampled now */
    uint32_t sampling;
    uint32_t no_memory; /* guests for which no memory is left */
};

/* Windows that waited for a receiver of collector push at the last merge, once
 * a minute. */
struct status_wait {
    char tag[STATUS_TAG]; /* hexadecimal digits; "": no receiver */
    uint64_t windows;
    /* start of the oldest window, since 1970; 0: none waits */
    uint64_t oldest_ms;
};

/* Samples of a core in an open window of an earlier process that was killed.
 * The guest may be gone. */
struct status_crashed {
    char guest[STATUS_NAME_MAX];
    uint32_t core;
    uint64_t samples;
};

struct status;

/* The current time in the unit of the times above: milliseconds since 1970. */
uint64_t status_now_ms(void);

/* Create a table for (rows) guests and (crashed) cores, shared with processes
 * that are forked later. NULL with (e) filled if there is no memory. */
struct status *status_new(size_t rows, size_t crashed, struct err *e);

/* Release this process's view of (s). NULL is allowed. */
void status_free(struct status *s);

/* Write row (row), or the totals. Only one process writes. Rows outside the
 * table are ignored. */
void status_put(struct status *s, size_t row, const struct status_guest *g);
void status_put_totals(struct status *s, const struct status_totals *t);

/* status_put_wait() writes place (i) of STATUS_TAGS, in the merging process
 * only. status_get_wait() reads the place; false if there is no such
 * receiver. */
void status_put_wait(struct status *s, size_t i, const struct status_wait *w);
bool status_get_wait(const struct status *s, size_t i, struct status_wait *w);

/* status_put_crashed() writes crashed core (i). status_get_crashed() reads it;
 * false if there is no such core. */
void status_put_crashed(struct status *s, size_t i,
                        const struct status_crashed *c);
bool status_get_crashed(const struct status *s, size_t i,
                        struct status_crashed *c);

/* Number of rows. status_get() says whether a row is in use. */
size_t status_rows(const struct status *s);

/* Copy row (row). Returns false, with (*g) all zero, if the row is free or the
 * writer does not finish it. Texts end in a NUL. */
bool status_get(const struct status *s, size_t row, struct status_guest *g);

/* Processes that are restarted when they exit. The process that restarts them
 * counts. */
enum status_part {
    STATUS_PAGE,    /* answers by HTTP */
    STATUS_MERGING, /* merges windows */
    STATUS_PARTS,
};
void status_again(struct status *s, enum status_part part);
uint64_t status_starts(const struct status *s, enum status_part part);

/* Copy the totals. Returns false if the writer does not finish them. */
bool status_get_totals(const struct status *s, struct status_totals *t);

#endif
