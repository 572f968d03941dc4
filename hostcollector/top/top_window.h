/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last seconds of a growing profile. The samples between two looks are kept
 * for a while, and are summed into a profile of the window. So the memory
 * depends on the window's contents, not on the length of the run.
 */
#ifndef TPROF_TOP_TOP_WINDOW_H
#define TPROF_TOP_TOP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct top_window;

/* An empty window that keeps (seconds) of the guest's time, in (memory) bytes:
 * if they are full, it becomes shorter. NULL if there is no memory. */
struct top_window *top_window_new(double seconds, uint64_t memory);

/* Release (w) and its profile. NULL is allowed. */
void top_window_free(struct top_window *w);

/*
 * Keep the samples that (p) has gained since the last look. All looks are at
 * the same growing profile. Returns 0; -1 if there is no memory: then the next
 * look finds these samples.
 */
int top_window_look(struct top_window *w, const struct profile *p);

/*
 * The profile of the last (seconds), a second or more longer or shorter, as
 * looks came: entries with their sums, accounts, and how many seconds they
 * cover in duration_s. What it points to beside that is of (p), at which the
 * last look was. 0 seconds: only what came between the last two looks.
 *
 * Valid until the next call. NULL if there is no memory.
 */
const struct profile *top_window_profile(struct top_window *w,
                                         const struct profile *p,
                                         double seconds);

#endif
