/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles for the pictures of collector top.
 *
 * top_window.c: the last seconds of a growing profile. A look reads the
 * profile's sums. The samples between two looks are kept for a while, and are
 * added up to a profile of the window. So the memory depends on the window's
 * contents, not on the length of the run.
 */
#ifndef TPROF_TOP_TOP_WINDOW_H
#define TPROF_TOP_TOP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct top_window;

/* Make an empty window of (seconds) of the guest's time, in (memory) bytes. If
 * the memory is full, the window becomes shorter. NULL if there is no
 * memory. */
struct top_window *top_window_new(double seconds, uint64_t memory);

/* Release (w) and its profile. NULL is allowed. */
void top_window_free(struct top_window *w);

/*
 * Keep the samples that (p) has gained since the last look. All looks must be
 * at the same growing profile. Returns 0; -1 if there is no memory: then the
 * next look finds these samples.
 */
int top_window_look(struct top_window *w, const struct profile *p);

/*
 * Returns the profile of the last (seconds), to the nearest look: entries with
 * their sums, accounts, and the covered seconds in duration_s. Its other
 * pointers point into (p) of the last look. 0 seconds: only the samples between
 * the last two looks. Valid until the next call. NULL if there is no memory.
 */
const struct profile *top_window_profile(struct top_window *w,
                                         const struct profile *p,
                                         double seconds);

/* limit_entries.c: makes a profile with fewer entries. Then a picture takes at
 * most a tenth of a second, and the guest's data is read in time. The entries
 * with the most time keep their stacks. The other entries keep only their
 * leaves. */

/* Zeroed: none. */
struct entry_limit {
    struct profile profile;
    struct profile_core *cores;
    struct profile_entry *entries;
};

/*
 * Returns (p) itself if it has at most (most) entries. Otherwise returns a
 * profile in which (most) entries keep their stacks, and all other samples are
 * in one entry of STACK_OTHERS for each core and leaf. This profile is valid
 * until the next call, and while (p) exists. NULL if there is no memory.
 */
const struct profile *limit_entries(struct entry_limit *t,
                                    const struct profile *p, size_t most);

/* Release what (t) holds. */
void limit_entries_fini(struct entry_limit *t);

#endif
