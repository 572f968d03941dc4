/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of guests that are served: what each one sends is cut at multiples of
 * a span of the wall clock, and put into a spool. A window that cannot be put
 * there is counted and told, and serving goes on.
 */
#ifndef TPROF_FLEET_WINDOWS_WINDOWS_H
#define TPROF_FLEET_WINDOWS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/windows/allowance.h"
#include "fleet/windows/busy.h"
#include "fleet/windows/open_window_counts.h"
#include "fleet/windows/shares.h"
#include "fleet/windows/watched.h"
#include "model/events.h"
#include "recording/recording.h"
#include "recording/spool/spool.h"
#include "util/err.h"

struct windows; /* of all guests */

struct windows_config {
    const char *folder; /* is made if it is not there */
    struct spool_limits limits;
    uint64_t span_ms;
    uint64_t memory; /* of (shares): it bounds how many cores there are */
};

/* Open the spool, before the process is confined: afterwards it opens and
 * removes files in that folder alone. Processes that are forked later have
 * nothing of it open. NULL with (e) filled, also where another process keeps
 * windows there. */
struct windows *windows_open(const struct windows_config *config,
                             struct err *e);

/* Nothing keeps the process from serving any more, and no guest has come: see
 * open_window_counts_begin(). */
int windows_begin(struct windows *w, struct err *e);

/* Release (w). NULL is allowed. */
void windows_close(struct windows *w);

/* What an earlier process had in open windows when it was killed. */
struct open_window_losses windows_crashed(const struct windows *w);
uint64_t windows_crashed_of(const struct windows *w, const char *name);

/* One guest. Zeroed but for (watched) and (busy), whose owner is the caller,
 * (shares), (rate_hz), and (all): NULL where no windows are kept. */
struct windows_guest {
    struct watched watched;
    struct busy busy;
    struct windows *all;
    struct shares *shares; /* of all guests */
    const char *name;
    uint32_t rate_hz; /* that it was asked for, at most */
    struct allowance allowance;
    uint64_t allowed_hz; /* samples; none are kept beyond that */
    uint64_t dropped;    /* samples that came beyond; windows count them lost */
    struct window_packer *packer; /* NULL: it has not come */
    uint32_t *places; /* in struct open_window_counts, of each core */
    size_t place_count;
    uint64_t memory;           /* promised to it: see windows_events */
    uint64_t dictionaries;     /* bytes of it that are for its cores */
    bool refused;              /* there was none left */
    uint64_t from_ns, from_ms; /* where the open window began */
    uint64_t start_ms;         /* as it is called */
    /* Numbers of stacks up to here were given before the packer forgot. */
    uint32_t forgotten, last_stack;
    uint64_t kept, bytes, last_ms; /* windows, their size, the last start */
    uint64_t lost_samples;         /* in windows that could not be kept */
};

/* For pipeline_config.tap; the context is a struct windows_guest. HELLO fails
 * where the memory has no room for the dictionaries of the guest's cores, and,
 * where windows are kept, for 256 KiB of its open window, which has up to 8 MiB
 * if its share allows. */
extern const struct events windows_events;

/* The stream has ended, and was cut: its memory is others'. */
void windows_end(struct windows_guest *g);

/* As windows_events, for pipeline_config.clock. */
void windows_clock(void *context, uint64_t tsc_hz);

/* When windows are to be cut next, for a clock_ns() of (now_ns). */
uint64_t windows_due(const struct windows *w, uint64_t now_ns);

/* Is the guest's window to be cut? Its span is over, or it is full. */
bool windows_is_over(const struct windows_guest *g);

/*
 * Cut it and put it into the spool. (info) is its header but for the times.
 * (ended): the stream has ended, and another one may come. Returns 0; -1 with
 * (e) filled: the window is lost, and counted. (*reset): have the guest define
 * its stacks anew.
 */
int windows_cut(struct windows_guest *g, const struct recording_info *info,
                bool ended, bool *reset, struct err *e);

struct windows_totals {
    uint64_t kept, lost;   /* windows */
    uint64_t lost_samples; /* of those that are lost */
    uint64_t lag_ms; /* from the end of the last one to when it was kept */
    struct spool_totals spool;
};
struct windows_totals windows_sums(const struct windows *w);

#endif
