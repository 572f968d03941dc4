/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a profile was selected, by core and by time: all that a report says
 * is of that. */
#ifndef TPROF_DIAGNOSE_SELECTED_H
#define TPROF_DIAGNOSE_SELECTED_H

#include <stdbool.h>

#include "model/profile.h"

/* The selected seconds since the profile's start; the end is not behind that of
 * the profile. */
struct selected_range {
    double from_s, to_s;
    bool part; /* they are not the whole profile */
};
struct selected_range selected_span(const struct profile *p);

/* Was anything of (core) left out? */
bool selected_has_less(const struct profile_core *core);

/* The samples and the time that were left out of all cores. */
struct tally selected_left_out(const struct profile *p);

/* What part of (core)'s time is left where functions were left out; else 1. */
double selected_part(const struct profile_core *core);

/*
 * The account of (core), of selected cores and seconds. Of a part of the time
 * it has samples and what they missed; what was lost is counted by whole
 * seconds, and all of it is in (lost), for whatever reason.
 */
struct account selected_account(const struct profile *p,
                                const struct profile_core *core);

/* The same without the samples that were left out. Of what was lost, and of
 * jumps, nobody knows in which function they were: all of them are in both. */
struct account selected_rest(const struct profile *p,
                             const struct profile_core *core);

/* The same, added up over all cores. */
struct account selected_rest_of_all(const struct profile *p);

#endif
