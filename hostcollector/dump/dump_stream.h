/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent in a dead guest's memory would have sent: HELLO, STATUS, and
 * of each core the samples that are in its ring still, drained or not, and its
 * counters. So all that reads the wire reads a dump.
 *
 * A ring is read from its first BEGIN record on: what came before had another
 * clock and other stacks. Where the ring has none, the core has sampled for
 * longer than the ring holds, and stacks that were described before are not
 * known any more.
 */
#ifndef TPROF_DUMP_DUMP_STREAM_H
#define TPROF_DUMP_DUMP_STREAM_H

#include "dump/dump_frame.h"
#include "dump/dump_memory.h"
#include "util/err.h"

struct dump_stream;

/* The stream of what is in (m), which is the stream's from now on, also if this
 * fails. NULL with (e) filled. */
struct dump_stream *dump_stream_new(struct dump_memory *m, struct err *e);

/* Release (s). NULL is allowed. */
void dump_stream_free(struct dump_stream *s);

/* Of how many cores so far not all of the ring could be read: older samples of
 * theirs are missing. */
uint32_t dump_stream_unread(const struct dump_stream *s);

/* Did the agent know the rate of its clock? Else the rate in HELLO was worked
 * out from what a host had ordered; or is 0. */
bool dump_stream_knows_clock(const struct dump_stream *s);

/* The next frame, valid until the next call; NULL at the end. */
const struct dump_frame *dump_stream_next(struct dump_stream *s);

#endif
