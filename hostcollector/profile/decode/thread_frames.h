/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: the records among samples that name the running thread, and the
 * frames with sums: WIRE.md 5.9 and 10. */
#ifndef TPROF_PROFILE_DECODE_THREAD_FRAMES_H
#define TPROF_PROFILE_DECODE_THREAD_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "profile/decode/frame.h"
#include "profile/decode/samples.h"
#include "util/cursor.h"

/* Read a THREAD record of (core) from (c), which is after the record's type.
 * Return NULL, or a text about the error in the record. */
const char *thread_frames_record(struct samples_decoder *d, struct core *core,
                                 struct cursor *c);

/* Replace the stack numbers of (count) samples by the numbers of these stacks
 * in core->thread, which is not 0. */
void thread_frames_of_samples(const struct samples_decoder *d,
                              const struct core *core, struct sample *samples,
                              size_t count);

/* Read (f) if it is a frame THREAD, WAIT, SCHED, LOCK or LOCK_WAIT of the guest
 * (g), and call the event of that frame. Returns whether the frame is such a
 * frame. Stores NULL in (*wrong), or a text about the first error in the frame.
 */
bool thread_frames_take(const struct samples_decoder *d, const struct guest *g,
                        const struct frame *f, const char **wrong);

#endif
