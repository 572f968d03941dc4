/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the samples that go through functions which the user does not want to
 * see, before there is a view. */
#ifndef TPROF_VIEW_EXCLUDE_H
#define TPROF_VIEW_EXCLUDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct image_map;

#define EXCLUDE_NAMES 16
/* Room for what is told of a name. */
#define EXCLUDE_TEXT  240

struct exclude {
    const char *const *names; /* as typed; EXCLUDE_NAMES at most */
    size_t count;
    uint64_t memory; /* as of view_new() */
    void *context;
    /* Called once with what aggregate_leave_out() needs. */
    void (*leave_out)(void *context, bool *const *out);
};

/* What one of the names stands for. */
struct excluded {
    /* 0: nothing is called so, and (text) tells names that are near, as
     * find_near() does; else (text) tells the functions: "push", or "all with
     * 'pus' in the name (push, pusher and 2 more)". */
    size_t functions;
    char text[EXCLUDE_TEXT];
};

/*
 * Have those samples of (p) left out whose stack has a function, inlined or
 * not, that one of the names stands for: the function of that name, or if there
 * is none, all with that as a part of their names. Addresses are named as by
 * view_new(). Fills found[i] for name (i).
 *
 * Returns 0; -1 if there is no memory.
 */
int view_exclude(const struct exclude *x, const struct profile *p,
                 const struct image_map *image_map, struct excluded *found);

#endif
