/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of the cores' time the host took away, as their guest was told. */
#ifndef TPROF_DIAGNOSE_STEAL_H
#define TPROF_DIAGNOSE_STEAL_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct steal {
    size_t cores; /* of which it is known; 0: nothing below holds */
    double mean;  /* share of those cores' time, 0 to 1 */
    double most;  /* of one of them: */
    uint32_t core;
};

struct steal steal_of(const struct profile *p);

#endif
