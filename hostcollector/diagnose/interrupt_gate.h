/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents whose interrupt handler writes to the interrupted stack. */
#ifndef TPROF_DIAGNOSE_INTERRUPT_GATE_H
#define TPROF_DIAGNOSE_INTERRUPT_GATE_H

#include "diagnose/remarks.h"

/* Does the agent's interrupt use the interrupted stack on any core? */
bool gate_is_on_stack(const struct profile *p);

/* Warn that such an interrupt destroys values which (units) compile units keep
 * below RSP. (names) lists the units. Does nothing for 0 units. */
void gate_diagnose(struct remarks *r, size_t units, const char *names);

#endif
