/* SPDX-License-Identifier: BSD-2-Clause */
/* For how long a core has had no tick, while others went on. */
#ifndef TPROF_DIAGNOSE_SILENCE_H
#define TPROF_DIAGNOSE_SILENCE_H

#include "model/profile.h"

/* Seconds from the last one in which (core) of (p) had a tick up to the end of
 * the time line, which a very long profile goes on behind. 0 where there are no
 * seconds. */
double silence_of(const struct profile *p, const struct profile_core *core);

#endif
