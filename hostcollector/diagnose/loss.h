/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks whose samples were lost, and deadlines that had no tick. */
#ifndef TPROF_DIAGNOSE_LOSS_H
#define TPROF_DIAGNOSE_LOSS_H

#include "diagnose/remarks.h"

/* Add the remarks that the counters of the cores of (p) give reason for: which
 * cores lost samples, when and why, and what kept ticks away. (v) is the view
 * of (p). */
void loss_diagnose(struct remarks *r, const struct profile *p,
                   const struct view *v);

#endif
