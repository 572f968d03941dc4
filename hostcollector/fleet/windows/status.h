/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `collector serve` knows of its guests and of itself, for other processes
 * of it: a table in memory that the process which serves writes, and those that
 * it forked read at any time. Readers take copies, and trust nothing in them:
 * the writer meets guests. A copy is of one moment, row by row.
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
    STATUS_WAITING,   /* it is not there, or has not introduced itself */
    STATUS_SAMPLING,  /* samples come */
    STATUS_FAILED,    /* it sent nonsense, and is tried again later */
    STATUS_LEAVING,   /* asked to stop; its last counters are to come */
    STATUS_NO_MEMORY, /* others have it all: it waits */
};

/* A guest. Counts are since this process began. */
struct status_guest {
    char name[STATUS_NAME_MAX]; /* letters, digits and . _ - */
    uint32_t state;             /* enum status_state */
    uint32_t cores;             /* 0: not known */
    uint32_t rate_hz;           /* asked for */
    bool has_busy;              /* is the next one known? */
    uint32_t busy_ppm; /* of its cores' time in the last seconds, not idle */
    /* Files that it runs, as numbers from 1 on in a list that readers have; 0
     * behind the last. */
    uint16_t images[STATUS_IMAGES];
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* taken or due, and not delivered */
    uint64_t crashed;   /* see below */
    uint64_t windows;   /* in the spool */
    uint64_t bytes;     /* ... and their size */
    uint64_t window_ms; /* start of the last one, since 1970; 0: none yet */
    uint64_t lost_window_samples; /* in windows that could not be kept */
    uint64_t dropped; /* of (samples): too many for the rate, and not kept */
};

/* The whole. */
struct status_totals {
    uint64_t start_ms; /* when it began to serve, since 1970 */
    uint64_t alive_ms; /* the loop's last sign, at least once a second */
    uint64_t lag_ms;   /* from the last cut to when its last window was kept */
    uint64_t windows;  /* kept */
    uint64_t lost_windows;        /* could not be kept ... */
    uint64_t lost_window_samples; /* ... with so many samples */
    uint64_t spool_files, spool_bytes;
    uint64_t removed; /* windows that the limits have removed */
    /* Those of them for which push had another receiver; and their samples, as
     * far as this process has kept them. */
    uint64_t unsent, unsent_samples;
    uint64_t samples, lost, dropped;
    /* In windows that an earlier process had open when it was killed. */
    uint64_t crashed;
    uint32_t guests; /* all, those that are sampled now ... */
    uint32_t sampling;
    uint32_t no_memory; /* ... and those for which none is left */
};

/* What waited for a receiver of collector push when windows were merged last,
 * which is once a minute. */
struct status_wait {
    char tag[STATUS_TAG]; /* hexadecimal digits; "": there is none */
    uint64_t windows;
    uint64_t oldest_ms; /* start of the oldest one, since 1970; 0: none waits */
};

/* Samples of a core in a window that an earlier process had open when it was
 * killed; whether that guest is there now or not. */
struct status_crashed {
    char guest[STATUS_NAME_MAX];
    uint32_t core;
    uint64_t samples;
};

struct status;

/* Now, as the times above: milliseconds since 1970. */
uint64_t status_now_ms(void);

/* A table for (rows) guests, and of (crashed) cores, shared with processes that
 * are forked from now on. NULL with (e) filled if there is no memory. */
struct status *status_new(size_t rows, size_t crashed, struct err *e);

/* Release this process's view of (s). NULL is allowed. */
void status_free(struct status *s);

/* Write row (row), or the totals; one process does. Rows that are not there are
 * ignored. */
void status_put(struct status *s, size_t row, const struct status_guest *g);
void status_put_totals(struct status *s, const struct status_totals *t);

/* Write place (i) of STATUS_TAGS; the process that merges does. Read it:
 * false, if there is no such receiver. */
void status_put_wait(struct status *s, size_t i, const struct status_wait *w);
bool status_get_wait(const struct status *s, size_t i, struct status_wait *w);

/* Write core (i) of those; read it: false, if there are not so many. */
void status_put_crashed(struct status *s, size_t i,
                        const struct status_crashed *c);
bool status_get_crashed(const struct status *s, size_t i,
                        struct status_crashed *c);

/* How many rows there are; status_get() knows which are in use. */
size_t status_rows(const struct status *s);

/* Copy row (row). Returns false, and (*g) is all zero, if it is free, or if the
 * writer did not let go of it. Text ends in a NUL. */
bool status_get(const struct status *s, size_t row, struct status_guest *g);

/* Processes that are started again when they end: whoever does so counts it. */
enum status_part {
    STATUS_PAGE,    /* answers by HTTP */
    STATUS_MERGING, /* merges windows */
    STATUS_PARTS,
};
void status_again(struct status *s, enum status_part part);
uint64_t status_starts(const struct status *s, enum status_part part);

/* Copy the totals. Returns false as above. */
bool status_get_totals(const struct status *s, struct status_totals *t);

#endif
