/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of locks as a part of the sums (sums.h), and their frames LOCK and
 * LOCK_WAIT (WIRE.md 12) */
#ifndef TPROF_LOCK_SUMS_H
#define TPROF_LOCK_SUMS_H

#include <stdint.h>

#include "threads/sums.h"

enum tprof_locks_state {
    TPROF_LOCKS_NONE = 0,  /* tprof_locks() was not called */
    TPROF_LOCKS_READY = 1, /* the tables are laid out */
    TPROF_LOCKS_COUNT = 2, /* the sums have begun: calls may count */
};

struct tprof_lock_sums {
    struct tprof_sums_part part;
    uint64_t since; /* clock: the start of the sums. The pump's. */
};
extern struct tprof_lock_sums tprof_lock_sums;

#endif
