/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks about stacks that are short or lack callers. */
#ifndef TPROF_DIAGNOSE_SHORT_STACKS_H
#define TPROF_DIAGNOSE_SHORT_STACKS_H

#include "diagnose/remarks.h"

/* Add the remarks about the stacks of (p) and (v). */
void stacks_diagnose(struct remarks *r, const struct profile *p,
                     const struct view *v);

#endif
