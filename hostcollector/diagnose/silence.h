/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the time for which a core had no ticks while other cores had ticks. */
#ifndef TPROF_DIAGNOSE_SILENCE_H
#define TPROF_DIAGNOSE_SILENCE_H

#include "model/profile.h"

/* End of the time line of (p) in seconds; 0 without a time line. A very long
 * profile is longer than its time line. */
double silence_end(const struct profile *p);

/* Seconds from the last tick of (core) to (end). */
double silence_of(const struct profile_core *core, double end);

#endif
