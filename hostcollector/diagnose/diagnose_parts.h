/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of diagnose.c. Each part adds remarks about one subject. */
#ifndef TPROF_DIAGNOSE_DIAGNOSE_PARTS_H
#define TPROF_DIAGNOSE_DIAGNOSE_PARTS_H

#include "diagnose/remarks.h"
#include "model/profile.h"
#include "model/view.h"

/* Add a warning for each impossible figure of (p). A report leaves such a
 * figure out, or limits it. */
void implausible_diagnose(struct remarks *r, const struct profile *p);

/* Did the agent leave the timer of (core) to the kernel? */
bool timer_is_kept(const struct profile_core *core);

/* Returns the question to ask about a core without ticks, without its first
 * word and "?". The question depends on the guest's config.timer. */
const char *timer_question(const struct profile *p);

/* Sentences that say why no core had a tick. */
const char *timer_why_none(const struct profile *p);

/* Add remarks about the timers that the kernel uses or has used. */
void timer_diagnose(struct remarks *r, const struct profile *p,
                    const struct view *v);

/* Add remarks about losses: which cores of (p) lost samples, when and why, and
 * the reason for missing ticks. (v) is the view of (p). */
void loss_diagnose(struct remarks *r, const struct profile *p,
                   const struct view *v);

/* Add the remarks about the stacks of (p) and (v). */
void stacks_diagnose(struct remarks *r, const struct profile *p,
                     const struct view *v);

#endif
