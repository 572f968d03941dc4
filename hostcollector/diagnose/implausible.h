/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of figures that no guest can have. */
#ifndef TPROF_DIAGNOSE_IMPLAUSIBLE_H
#define TPROF_DIAGNOSE_IMPLAUSIBLE_H

#include "diagnose/remarks.h"

/* Add a warning for each figure of (p) that is impossible, and that a report
 * therefore leaves out or limits. */
void implausible_diagnose(struct remarks *r, const struct profile *p);

#endif
