/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: spans of one guest, each a recording of its own with packed bytes
 * (RECORDING.md, "Packed wire"). In tests/bench spool a sample takes 4.7 bytes
 * in windows of about 1000 samples, and 2.3 bytes in windows of 50,000.
 *
 * A window packer takes the events of a decoder. spool_window_cut() makes a
 * recording of the events since the last cut. Counters continue from window to
 * window, so that samples, deliveries and losses of each core add up over
 * windows, and each counts once. A sample's time is rounded to a 64th of the
 * period or finer; its weight, stack and address are exact.
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

/* Bytes that a packer takes for a sample. */
#define SPOOL_WINDOW_SAMPLE 24u

/* Returns a packer that takes at most about (samples) bytes for samples and
 * losses, and (stacks) bytes for stacks, as they come. NULL if there is no
 * memory. */
struct window_packer *window_packer_new(uint64_t samples, uint64_t stacks);

/* Release (w). NULL is allowed. */
void window_packer_free(struct window_packer *w);

/* Callbacks for decode_new(), with the packer as the context. All callbacks are
 * set, so other code may call them as well. Samples must carry the stack
 * numbers that stack() of this table returned. */
extern const struct events window_events;

/* Set the measured rate of the clock, for guests that do not know it. */
void spool_window_clock(struct window_packer *w, uint64_t tsc_hz);

/* Is the window nearly full? Cut it now: later samples may not fit, and would
 * count as lost. */
bool spool_window_is_full(const struct window_packer *w);

/* Is there no room for new stacks? If so, call spool_window_forget() at a cut,
 * and have the guest define its stacks anew (RESET). Samples of stacks that
 * are not defined again lose their callers. */
bool spool_window_wants_reset(const struct window_packer *w);
void spool_window_forget(struct window_packer *w);

/* Is the window nearly full, or is there little room for new stacks? Then call
 * spool_window_allow() to allow (bytes) more, if there is memory. */
bool spool_window_wants_memory(const struct window_packer *w);
void spool_window_allow(struct window_packer *w, uint64_t bytes);

/* Is there room for (count) more samples of (core)? If not, allow more before
 * the samples come: otherwise they are lost. */
bool spool_window_has_room(const struct window_packer *w, uint32_t core,
                           size_t count);

/* A whole recording in memory. */
struct spool_window_bytes {
    /* released by free(); NULL: no event came, there is no window */
    uint8_t *bytes;
    size_t size;
    uint64_t samples, lost; /* in the window; lost anywhere before it */
};

/*
 * Make a recording of the events since the last cut, from (from_ns) to (to_ns),
 * CLOCK_MONOTONIC. (info) is its header.
 *
 * With (over), the guest's session has ended, and this window says whether it
 * ended in order. Without (over), the next window continues this window, whose
 * account is complete.
 *
 * Returns 0; -1 with (e) filled if there is no memory. The events are lost
 * then, and the next window counts them as lost.
 */
int spool_window_cut(struct window_packer *w, const struct recording_info *info,
                     uint64_t from_ns, uint64_t to_ns, bool over,
                     struct spool_window_bytes *out, struct err *e);

#endif
