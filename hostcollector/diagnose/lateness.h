/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which code is later than it should be.
 *
 * A sample came late if it came LATE_TICKS after its deadline or more: then
 * interrupts were off before, or the host did not run the core. Views sum up
 * the time of such samples; how late something is, is the part that this has of
 * its time.
 */
#ifndef TPROF_DIAGNOSE_LATENESS_H
#define TPROF_DIAGNOSE_LATENESS_H

#include "model/profile.h"
#include "model/view.h"

/* The part that (late) has of (time), 0 to 1. */
double lateness_part(double late, double time);

#define LATENESS_NEVER 2 /* from outside, where being late means nothing */

/*
 * The least part of some code's time that must have come late to deserve a
 * mark. A mark tells one function from others. Where all code is late alike, as
 * on a host that does not run the cores all the time (host_short), or whose
 * timers fire late, as an emulator's, that is twice the part of the code that
 * is late least, or of all. A part above 1 is LATENESS_NEVER, too.
 */
double lateness_least(const struct profile *p, const struct view *v,
                      bool host_short);

#endif
