/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit of the guest's work costs, where its kernel counts it. */
#ifndef TPROF_DIAGNOSE_WORK_SHARE_H
#define TPROF_DIAGNOSE_WORK_SHARE_H

#include "model/profile.h"
#include "model/view.h"

struct work_rate {
    double seconds; /* of guest time in which the units were done */
    double rate;    /* units a second */
    double busy_s;  /* seconds of busy core time that one unit took; 0: not
                       known */
};

/* Of (w), one of (p); (v) is its view. All 0 if it is not known. */
struct work_rate work_of(const struct profile *p, const struct view *v,
                         const struct profile_work *w);

#endif
