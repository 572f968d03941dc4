/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the samples whose stacks contain functions that --exclude names. No
 * view is needed. */
#ifndef TPROF_VIEW_EXCLUDE_H
#define TPROF_VIEW_EXCLUDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct image_map;

#define EXCLUDE_NAMES 16
/* Room for the text about one name. */
#define EXCLUDE_TEXT  240

struct exclude {
    const char *const *names; /* as typed; EXCLUDE_NAMES at most */
    size_t count;
    uint64_t memory; /* as for view_new() */
    void *context;
    /* Called once, with the argument for aggregate_leave_out(). */
    void (*leave_out)(void *context, bool *const *out);
};

/* The functions for which one of the names stands. */
struct excluded {
    /* If this is 0, no function matches, and (text) has similar names, as
     * find_near() writes them. Otherwise (text) lists the functions: "push", or
     * "all with 'pus' in the name (push, pusher and 2 more)". */
    size_t functions;
    char text[EXCLUDE_TEXT];
};

/*
 * Leave out the samples of (p) whose stack contains an excluded function,
 * inlined or not. A name excludes the function of that name. If there is no
 * such function, the name excludes all functions whose names contain it.
 * Addresses get the same names as in view_new(). Fills found[i] for name (i).
 * Returns 0; -1 if there is no memory.
 */
int view_exclude(const struct exclude *x, const struct profile *p,
                 const struct image_map *image_map, struct excluded *found);

#endif
