/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the frames that the agent in a dead guest's memory would have sent:
 * HELLO, STATUS, and for each core its counters and the samples that are still
 * in its ring. The ring also contains samples that a host has read already.
 * Every reader of the wire can therefore read a dump.
 *
 * A ring is read from its first BEGIN record on, because earlier records used
 * another clock and other stacks. If a core has sampled for longer than its
 * ring holds, the ring has no BEGIN record. Such a ring is read from its oldest
 * record on, without the stacks that were defined earlier.
 */
#ifndef TPROF_DUMP_DUMP_STREAM_H
#define TPROF_DUMP_DUMP_STREAM_H

#include "dump/dump_frame.h"
#include "dump/dump_memory.h"
#include "util/err.h"

struct dump_stream;

/* Make the stream of the dump (m). The stream owns (m) from now on, even if
 * this call fails. NULL with (e) filled on failure. */
struct dump_stream *dump_stream_new(struct dump_memory *m, struct err *e);

/* Release (s). NULL is allowed. */
void dump_stream_free(struct dump_stream *s);

/* Returns the number of cores, so far, whose ring could only be read in part,
 * so that their older samples are missing. */
uint32_t dump_stream_unread(const struct dump_stream *s);

/* Did the agent know the rate of its clock? If not, the rate in HELLO was
 * calculated from the period and the rate that a host had ordered, or is 0. */
bool dump_stream_knows_clock(const struct dump_stream *s);

/* Returns the next frame, valid until the next call; NULL at the end. */
const struct dump_frame *dump_stream_next(struct dump_stream *s);

#endif
