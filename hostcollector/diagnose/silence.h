/* SPDX-License-Identifier: BSD-2-Clause */
/* For how long a core has had no tick, while others went on. */
#ifndef TPROF_DIAGNOSE_SILENCE_H
#define TPROF_DIAGNOSE_SILENCE_H

#include "model/profile.h"

/* Where the time line of (p) ends, in seconds. 0 if the profile has none. A
 * very long profile goes on behind its end. */
double silence_end(const struct profile *p);

/* Seconds from the last tick of (core) to (end). */
double silence_of(const struct profile_core *core, double end);

#endif
