/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of the cores' time the host took away. The host tells its guest, and
 * the guest tells the collector. */
#ifndef TPROF_DIAGNOSE_STEAL_H
#define TPROF_DIAGNOSE_STEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct steal {
    size_t cores;  /* for which it is known; 0: ignore what follows */
    double mean;   /* stolen share of these cores' time, 0 to 1 */
    double most;   /* stolen share of the core that lost most, */
    uint32_t core; /* and its number */
    /* More was stolen of a core than twice its time, so that the guest is
     * wrong; the shares are cut. */
    bool senseless;
};

struct steal steal_of(const struct profile *p);

#endif
