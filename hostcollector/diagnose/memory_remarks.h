/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of stacks that were folded because memory was full. */
#ifndef TPROF_DIAGNOSE_MEMORY_REMARKS_H
#define TPROF_DIAGNOSE_MEMORY_REMARKS_H

#include "diagnose/remarks.h"

/* Add a warning to (r) if (p) or (v) had no room for everything. (memory) is
 * the limit that the user gave: for this guest (alone), or for several
 * guests. */
void memory_remarks_diagnose(struct remarks *r, const struct profile *p,
                             const struct view *v, uint64_t memory, bool alone);

#endif
