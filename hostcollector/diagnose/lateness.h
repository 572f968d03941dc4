/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds code whose samples come late. A sample is late if it came LATE_TICKS or
 * more after its deadline. In the time before a late sample interrupts were
 * off, or the host did not run the core. Views add up the time of late samples.
 * The lateness of code is the late part of its time.
 */
#ifndef TPROF_DIAGNOSE_LATENESS_H
#define TPROF_DIAGNOSE_LATENESS_H

#include "model/profile.h"
#include "model/view.h"

/* Late part of (time), 0 to 1. (late) is the time of its late samples. */
double lateness_part(double late, double time);

/* A limit that no code reaches, for guests without an agent: their lateness has
 * no meaning. */
#define LATENESS_NEVER 2

/*
 * Returns the lateness from which on code is marked. A mark must distinguish
 * some code from other code. So if all code is late, the limit is twice the
 * mean lateness, or twice the lateness of the code that is least late. All code
 * is late if the host does not run the cores all the time (host_short), or if
 * timers fire late, as an emulator's do. A limit above 1 also means
 * LATENESS_NEVER.
 */
double lateness_least(const struct profile *p, const struct view *v,
                      bool host_short);

#endif
