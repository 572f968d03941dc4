/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's gate, and what its interrupt does to the interrupted stack. */
#ifndef TPROF_DIAGNOSE_GATE_H
#define TPROF_DIAGNOSE_GATE_H

#include "diagnose/remarks.h"

/* Does the agent's interrupt begin on the interrupted stack, on any core? */
bool gate_is_on_stack(const struct profile *p);

/* Warn that such an interrupt destroys values of (units) compile units, called
 * (names), which keep them below RSP. With 0 units nothing is said. */
void gate_diagnose(struct remarks *r, size_t units, const char *names);

#endif
