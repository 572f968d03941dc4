/* SPDX-License-Identifier: BSD-2-Clause */
/* Selections: the cores, seconds and functions that a report covers. */
#ifndef TPROF_DIAGNOSE_SELECTED_H
#define TPROF_DIAGNOSE_SELECTED_H

#include <stdbool.h>

#include "model/profile.h"

/* Selected seconds since the profile's start. The end is at most the profile's
 * end. */
struct selected_range {
    double from_s, to_s;
    bool part; /* less than the whole profile */
};
struct selected_range selected_span(const struct profile *p);

/* Does the selection leave out a part of (core)? */
bool selected_has_less(const struct profile_core *core);

/* The samples of all cores that --exclude removed, and their time. */
struct tally selected_left_out(const struct profile *p);

/* Returns the part of (core)'s time that --exclude has kept; 1 without
 * --exclude. */
double selected_part(const struct profile_core *core);

/*
 * Returns the account of (core) within the selection. Samples, and the
 * deadlines that they missed, are counted exactly. Losses are counted by whole
 * seconds. All losses are in (lost), whatever their reason.
 */
struct account selected_account(const struct profile *p,
                                const struct profile_core *core);

/* Account of (core) without the samples that --exclude removed. Lost samples
 * and jumps of the clock have no function, so all of them are still counted. */
struct account selected_rest(const struct profile *p,
                             const struct profile_core *core);

/* Sum of selected_rest() over all cores. */
struct account selected_rest_of_all(const struct profile *p);

#endif
