/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of locks as a part of the sums (sums.h), and their frames LOCK and
 * LOCK_WAIT (WIRE.md 12) */
#ifndef TPROF_LOCK_SUMS_H
#define TPROF_LOCK_SUMS_H

#include <stdatomic.h>
#include <stdint.h>

#include "threads/sums.h"

struct tprof_lock_sums {
    struct tprof_sums_part part;
    /* clock: the start of the sums. 0: no call counts. Release in begin(),
     * lock_sums.c; acquire in lock_calls.c: the tables are ready. */
    _Atomic uint64_t since;
};
extern struct tprof_lock_sums tprof_lock_sums;

#endif
