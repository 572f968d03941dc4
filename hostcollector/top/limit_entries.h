/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a profile with fewer entries, so that a picture takes at most a tenth
 * of a second and the guest's data is read in time. The entries with the most
 * time keep their stacks. The other entries keep only their leaves.
 */
#ifndef TPROF_TOP_LIMIT_ENTRIES_H
#define TPROF_TOP_LIMIT_ENTRIES_H

#include <stddef.h>

#include "model/profile.h"

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
