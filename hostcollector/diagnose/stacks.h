/* SPDX-License-Identifier: BSD-2-Clause */
/* Why stacks are short, or lack callers. */
#ifndef TPROF_DIAGNOSE_STACKS_H
#define TPROF_DIAGNOSE_STACKS_H

#include "diagnose/remarks.h"

/* Add the remarks that the stacks of (p) and (v) give reason for. */
void stacks_diagnose(struct remarks *r, const struct profile *p,
                     const struct view *v);

#endif
