/* SPDX-License-Identifier: BSD-2-Clause */
/* Stolen time: the part of the cores' time for which the host did not run them.
 * The host reports it to the guest, and the guest to the collector. */
#ifndef TPROF_DIAGNOSE_STEAL_H
#define TPROF_DIAGNOSE_STEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct steal {
    size_t cores;  /* cores whose stolen time is known; 0: ignore the rest */
    double mean;   /* stolen share of these cores' time, 0 to 1 */
    double most;   /* stolen share of the core with the most, */
    uint32_t core; /* and the number of this core */
    /* A core reports more stolen time than twice its time. The guest's figures
     * are wrong, and the shares are limited to 1. */
    bool senseless;
};

struct steal steal_of(const struct profile *p);

#endif
