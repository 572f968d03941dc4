/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's time line: samples and losses in each second. */
#ifndef TPROF_PROFILE_AGGREGATE_SECONDS_H
#define TPROF_PROFILE_AGGREGATE_SECONDS_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "util/budget.h"

/* Zeroed: empty. free() releases the list. */
struct second_list {
    struct profile_second *list;
    size_t count, capacity;
    /* the second of the last sample, nearly always that of the next, too */
    struct profile_second *last;
    int64_t from, to; /* span of (last), in ticks since the start */
};

/* The second at (ticks) of a clock of (hz); (hz) 0 means that the rate is
 * unknown. Valid until the next call. NULL if there is no room for the
 * second. */
struct profile_second *seconds_at(struct second_list *s, uint64_t hz,
                                  int64_t ticks, struct budget *b);

/* Add (lost) ticks, which were lost between (from) and (to). */
void seconds_lose(struct second_list *s, uint64_t hz, uint64_t lost,
                  int64_t from, int64_t to, struct budget *b);

#endif
