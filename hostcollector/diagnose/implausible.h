/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of figures that no guest can have. */
#ifndef TPROF_DIAGNOSE_IMPLAUSIBLE_H
#define TPROF_DIAGNOSE_IMPLAUSIBLE_H

#include "diagnose/remarks.h"

/* Add a warning for each figure that a report leaves out or cuts, since what
 * the guest of (p) says of it makes no sense. */
void implausible_diagnose(struct remarks *r, const struct profile *p);

#endif
