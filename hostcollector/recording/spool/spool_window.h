/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: spans of one guest, each a recording of its own whose bytes are
 * packed (RECORDING.md, "Packed wire"): of the guest of tests/bench spool 4.7
 * bytes a sample in windows of about 1000 samples, 2.3 in those of 50,000.
 *
 * A window packer takes the events of a decoder; spool_window_cut() makes a
 * recording of those since the last cut. Counters go on from window to window:
 * what was taken, delivered and lost on each core adds up over them, nothing
 * twice.
 *
 * A sample's time is rounded to a 64th of the period or finer; its weight,
 * stack and address are exact.
 */
#ifndef TPROF_RECORDING_SPOOL_SPOOL_WINDOW_H
#define TPROF_RECORDING_SPOOL_SPOOL_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/events.h"
#include "recording/recording.h"
#include "util/err.h"

struct window_packer;

/* A packer that keeps at most about (memory_max) bytes. NULL: no memory. */
struct window_packer *window_packer_new(uint64_t memory_max);

/* Release (w). NULL is allowed. */
void window_packer_free(struct window_packer *w);

/* For decode_new(), with the packer as the context. All callbacks are there, so
 * a joiner may call them beside others; samples must carry those numbers that
 * this table's stack() returned. */
extern const struct events window_events;

/* The clock's rate, measured: for guests that do not know it. */
void spool_window_clock(struct window_packer *w, uint64_t tsc_hz);

/* Cut now: soon there is no room, and what comes then counts as lost. */
bool spool_window_is_full(const struct window_packer *w);

/* Have new stacks no room any more? Then call spool_window_forget() at a cut,
 * and have the guest define its stacks anew (RESET). Samples of stacks that are
 * not defined again become samples without callers. */
bool spool_window_wants_reset(const struct window_packer *w);
void spool_window_forget(struct window_packer *w);

/* A recording, whole, in memory. */
struct spool_window_bytes {
    uint8_t *bytes; /* free() them; NULL: nothing came, there is no window */
    size_t size;
    uint64_t samples, lost; /* in it; lost on any leg before it */
};

/*
 * Make a recording of what came since the last cut: from (from_ns) to (to_ns),
 * CLOCK_MONOTONIC. (info) is its header. If (over), the guest's session has
 * ended, in order or not, and this window says which; else the next window goes
 * on where this one ends, and its account is complete.
 *
 * Returns 0; -1 with (e) filled if there is no memory: what came is lost, and
 * the next window counts it.
 */
int spool_window_cut(struct window_packer *w, const struct recording_info *info,
                     uint64_t from_ns, uint64_t to_ns, bool over,
                     struct spool_window_bytes *out, struct err *e);

#endif
