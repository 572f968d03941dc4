/* SPDX-License-Identifier: BSD-2-Clause */
/* Times at which an absent or silent guest is tried again. */
#ifndef TPROF_GUEST_TALK_RETRY_H
#define TPROF_GUEST_TALK_RETRY_H

#include <stdint.h>

#include "guest/talk/talk.h"

#define RETRY_FIRST  100000000ull  /* nanoseconds */
#define SILENCE_MAX  5000000000ull /* longer than the time between STATS */
#define RETRY_RARELY 5000000000ull /* with backs_off, the longest time */

/* The time of the next try after one at (now_ns). With backs_off, the wait is
 * half as long as the guest has been away, so that thousands of absent guests
 * cost little. */
static inline uint64_t retry_absent(const struct talk *s, uint64_t now_ns)
{
    uint64_t since = s->entered_ns > s->begun_ns ? s->entered_ns : s->begun_ns;
    uint64_t wait = now_ns > since ? (now_ns - since) / 2 : 0;

    if (!s->backs_off || wait < RETRY_FIRST)
        wait = RETRY_FIRST;
    return now_ns + (wait < RETRY_RARELY ? wait : RETRY_RARELY);
}

/* Time after which a guest that is sampled counts as silent. */
static inline uint64_t silence_ns(const struct talk *s)
{
    bool listens = s->state == TALK_SAMPLING && !s->one_way;

    return listens && s->source->live ? s->heard_ns + SILENCE_MAX : TALK_NEVER;
}

#endif
