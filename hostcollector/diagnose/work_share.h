/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost of a unit of the guest's work, if the guest counts its work. */
#ifndef TPROF_DIAGNOSE_WORK_SHARE_H
#define TPROF_DIAGNOSE_WORK_SHARE_H

#include "model/profile.h"
#include "model/view.h"

struct work_rate {
    double seconds; /* guest time in which the units were done */
    double rate;    /* units per second */
    double busy_s;  /* busy core time of one unit in seconds; 0: unknown */
};

/* The rate of (w), a counter of (p). (v) is the view of (p). All members are 0
 * if the rate is unknown. */
struct work_rate work_of(const struct profile *p, const struct view *v,
                         const struct profile_work *w);

#endif
