/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks for the reader of a report: one function for each kind of trouble. */
#ifndef TPROF_DIAGNOSE_DIAGNOSE_H
#define TPROF_DIAGNOSE_DIAGNOSE_H

#include "diagnose/remarks.h"
#include "model/profile.h"
#include "model/view.h"

/* Add all remarks about (p) and its view (v): why samples are missing or few,
 * what was lost and where, why stacks are short. Each remark says what to
 * do. */
void diagnose_profile(struct remarks *r, const struct profile *p,
                      const struct view *v);

/* Add a warning to (r) if (p) or (v) had no room for everything. (memory) is
 * the limit that the user gave: for this guest (alone), or for several
 * guests. */
void diagnose_memory(struct remarks *r, const struct profile *p,
                     const struct view *v, uint64_t memory, bool alone);

/* interrupt_gate.c: agents whose interrupt handler writes to the interrupted
 * stack. */

/* Does the agent's interrupt use the interrupted stack on any core? */
bool gate_is_on_stack(const struct profile *p);

/* Warn that such an interrupt destroys values which (units) compile units keep
 * below SP. (names) lists the units. Does nothing for 0 units. */
void gate_diagnose(struct remarks *r, size_t units, const char *names);

#endif
