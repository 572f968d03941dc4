/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of served guests. The samples of each guest are cut at multiples of
 * a span of the wall clock, and put into a spool. A window that cannot be put
 * there is counted and reported, and serving goes on.
 */
#ifndef TPROF_FLEET_WINDOWS_WINDOWS_H
#define TPROF_FLEET_WINDOWS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/windows/allowance.h"
#include "model/events.h"
#include "recording/recording.h"
#include "recording/spool/spool.h"
#include "util/err.h"

struct busy;
struct open_window_losses;
struct shares;
struct watched;
struct windows; /* state of all guests */

struct windows_config {
    const char *folder; /* is created if it does not exist */
    struct spool_limits limits;
    uint64_t span_ms;
    uint64_t memory; /* of (shares): limits the number of cores */
};

/* Open the spool. Call this before the process is confined; afterwards the
 * process opens and removes files in that folder only. Processes that are
 * forked later inherit nothing of the spool. Returns NULL with (e) filled, also
 * if another process keeps windows there. */
struct windows *windows_open(const struct windows_config *config,
                             struct err *e);

/* Call this when the start can no longer fail, and before a guest comes: see
 * open_window_counts_begin(). */
int windows_begin(struct windows *w, struct err *e);

/* Keep an image beside the windows, as spool_image_keep() does. */
int windows_keep_image(const struct windows *w, const char *name,
                       const uint8_t *bytes, uint64_t size, struct err *e);

/* Release (w). NULL is allowed. */
void windows_close(struct windows *w);

/* Losses in open windows of an earlier process that was killed. */
struct open_window_losses windows_crashed(const struct windows *w);
uint64_t windows_crashed_of(const struct windows *w, const char *name);

/* One guest. Zeroed, except (rate_hz) and the pointers to objects of the
 * caller. */
struct windows_guest {
    struct windows *all;     /* NULL: no windows are kept */
    struct shares *shares;   /* of all guests */
    struct watched *watched; /* these two receive the guest's events */
    struct busy *busy;
    const char *name;
    uint32_t rate_hz; /* highest rate that the collector has requested */
    struct allowance allowance;
    uint64_t allowed_hz; /* samples a second; more are not kept */
    /* samples beyond that limit; windows count them as lost */
    uint64_t dropped;
    struct window_packer *packer; /* NULL: no HELLO came */
    uint32_t *places; /* place of each core in struct open_window_counts */
    size_t place_count;
    uint64_t memory;           /* taken from (shares): see windows_events */
    uint64_t dictionaries;     /* part of (memory) for the decoder's cores */
    bool refused;              /* no memory was left for the guest */
    uint64_t from_ns, from_ms; /* when the open window began */
    uint64_t start_ms;         /* start of the open window in its file name */
    /* Stack numbers up to (forgotten) are older than the last time that the
     * packer forgot its stacks. */
    uint32_t forgotten, last_stack;
    /* windows, their size, start of the last one */
    uint64_t kept, bytes, last_ms;
    uint64_t lost_samples; /* in windows that could not be kept */
};

/* For pipeline_config.tap; the context is a struct windows_guest. HELLO fails
 * if no memory is left for the window that begins, with room for the samples
 * that were asked for. The open window gets more, up to 8 MiB, when it needs
 * more and the guest's share allows that. */
extern const struct events windows_events;

/* For pipeline_config.grown, as windows_events. Fails if no memory is left. */
int windows_grown(void *context, uint64_t bytes, struct err *e);

/* Handle the end of the stream, after its window was cut. Frees its memory for
 * others. */
void windows_end(struct windows_guest *g);

/* For pipeline_config.clock, as windows_events. */
void windows_clock(void *context, uint64_t tsc_hz);

/* Returns the time of clock_ns() at which windows must be cut next, if it is
 * (now_ns) now. */
uint64_t windows_due(const struct windows *w, uint64_t now_ns);

/* Must the guest's window be cut? True if its span is over or it is full. */
bool windows_is_over(const struct windows_guest *g);

/*
 * Cut the guest's window and put it into the spool. (info) is its header except
 * for the times. (ended): the stream has ended, and another one may follow. If
 * (*reset) becomes true, make the guest define its stacks anew. Returns 0; -1
 * with (e) filled: the window is lost, and counted.
 */
int windows_cut(struct windows_guest *g, const struct recording_info *info,
                bool ended, bool *reset, struct err *e);

struct windows_totals {
    uint64_t kept, lost;   /* windows */
    uint64_t lost_samples; /* samples in the lost windows */
    uint64_t lag_ms; /* time between the end of the last window and the moment
                      * when it was kept */
    struct spool_totals spool;
};
struct windows_totals windows_sums(const struct windows *w);

#endif
