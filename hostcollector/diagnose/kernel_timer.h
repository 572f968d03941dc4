/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer that causes ticks, and kernels that use this timer themselves. */
#ifndef TPROF_DIAGNOSE_KERNEL_TIMER_H
#define TPROF_DIAGNOSE_KERNEL_TIMER_H

#include "diagnose/remarks.h"

/* Did the agent leave the timer of (core) to the kernel? */
bool timer_is_kept(const struct profile_core *core);

/* Question to ask about a core without ticks, without the first word and "?".
 * It depends on the guest's config.timer. */
const char *timer_question(const struct profile *p);

/* Sentences that say why no core had a tick. */
const char *timer_why_none(const struct profile *p);

/* Add remarks about the timers that the kernel uses or has used. */
void timer_diagnose(struct remarks *r, const struct profile *p,
                    const struct view *v);

#endif
