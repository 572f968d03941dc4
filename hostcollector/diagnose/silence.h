/* SPDX-License-Identifier: BSD-2-Clause */
/* For how long a core has had no tick, while others went on. */
#ifndef TPROF_DIAGNOSE_SILENCE_H
#define TPROF_DIAGNOSE_SILENCE_H

#include "model/profile.h"

/* Seconds from the last tick of (core) of (p) to the end of the time line. 0 if
 * the profile has no time line. A very long profile goes on behind its end. */
double silence_of(const struct profile *p, const struct profile_core *core);

#endif
