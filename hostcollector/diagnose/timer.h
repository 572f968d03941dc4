/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer that causes ticks, and what a kernel does with that timer. */
#ifndef TPROF_DIAGNOSE_TIMER_H
#define TPROF_DIAGNOSE_TIMER_H

#include "diagnose/remarks.h"

/* Did the agent leave the timer of (core) to the kernel? */
bool timer_is_kept(const struct profile_core *core);

/* What to ask where a core has no tick, by the guest's config.timer: the end of
 * a question, without "?". */
const char *timer_question(const struct profile *p);

/* Why no core had a tick, in sentences. */
const char *timer_why_none(const struct profile *p);

/* Tell which timers the kernel uses, or has used. */
void timer_diagnose(struct remarks *r, const struct profile *p,
                    const struct view *v);

#endif
