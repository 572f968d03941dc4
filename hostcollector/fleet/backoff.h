/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time to wait before the next try. The time doubles with each failure, up to a
 * minute. A random part of up to half is subtracted, so that a thousand senders
 * do not return at once. The time is never less than the receiver asked for.
 * Leaf.
 */
#ifndef TPROF_FLEET_BACKOFF_H
#define TPROF_FLEET_BACKOFF_H

#include <stdint.h>

#define BACKOFF_FIRST_MS 250u
#define BACKOFF_MOST_MS  60000u

/* Milliseconds to wait after (failures) in a row, 1 or more. (chance) is a
 * random number. (asked_ms) is the time that the receiver asked for, or 0;
 * more than an hour counts as an hour. */
static inline uint64_t backoff_ms(unsigned failures, uint32_t chance,
                                  uint64_t asked_ms)
{
    uint64_t longest = failures > 8
                           ? BACKOFF_MOST_MS
                           : (uint64_t)BACKOFF_FIRST_MS << (failures - 1);
    uint64_t wait = longest - chance % (longest / 2 + 1);
    const uint64_t hour = 3600000;

    asked_ms = asked_ms < hour ? asked_ms : hour;
    return wait > asked_ms ? wait : asked_ms;
}

#endif
