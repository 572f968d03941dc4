/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks whose samples were lost, and deadlines without a tick. */
#ifndef TPROF_DIAGNOSE_LOSS_H
#define TPROF_DIAGNOSE_LOSS_H

#include "diagnose/remarks.h"

/* Add remarks about losses: which cores of (p) lost samples, when and why, and
 * the reason for missing ticks. (v) is the view of (p). */
void loss_diagnose(struct remarks *r, const struct profile *p,
                   const struct view *v);

#endif
