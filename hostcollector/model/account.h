/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fate of each deadline of one core. Leaf.
 *
 *     deadlines = ticks + missed
 *     ticks = samples + lost + ring_full + reentered
 *
 * Counting starts when the core begins to sample in a session. Losses of other
 * hosts before that do not count. The counts are exact up to the end of the
 * core's last frame, unless (cut), (begin_unknown), (restored) or (violations)
 * say otherwise. The guest's actions after that frame are known only if
 * (complete) is set.
 */
#ifndef TPROF_MODEL_ACCOUNT_H
#define TPROF_MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct account {
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* recorded by the guest, but lost in transport */
    uint64_t ring_full; /* dropped by the guest: its ring was full */
    uint64_t reentered; /* dropped by the guest: inside another tick */
    uint64_t missed;    /* deadlines that had no tick of their own */

    uint64_t unknown_stack; /* of (samples): the stack's definition was lost */
    uint64_t jumps;         /* of (samples): flagged WIRE_SAMPLE_JUMP */
    /* Frames whose counters contradict their records, or do not add up, or
     * exceed ACCOUNT_MAX. If this is not 0, tprof has a defect or the guest
     * sends false counters. */
    uint64_t violations;
    /* Times that the counters went backwards after a gap in the stream: the
     * guest was set back to an earlier state, for example to a snapshot. */
    uint64_t restored;
    /* Earlier sessions, of this boot or others, that ended without a final
     * STATS. Losses at the ends of these sessions are not known. */
    uint32_t cut;
    /* Sessions whose first frames of this core were lost, so that nothing is
     * known about the contents of these frames. */
    uint32_t begin_unknown;
    bool complete; /* a final STATS came, so nothing is missing at the end */
};

/*
 * Limit of a count: more than years of deadlines at the highest rate. A count
 * of a guest that sends more stops here. The counts of a thousand guests with a
 * thousand cores each still fit into 64 bits.
 */
#define ACCOUNT_MAX (1ull << 42)

/* Add (n) to (*count), up to ACCOUNT_MAX. Returns false if the limit was hit.
 */
static inline bool account_add(uint64_t *count, uint64_t n)
{
    bool fits = n <= ACCOUNT_MAX - *count;

    *count = fits ? *count + n : ACCOUNT_MAX;
    return fits;
}

/* Add the counts of (a) to (*sum). (*sum) is only a sum, and not the account of
 * a stream. */
static inline void account_sum(struct account *sum, const struct account *a)
{
    sum->samples += a->samples;
    sum->lost += a->lost;
    sum->ring_full += a->ring_full;
    sum->reentered += a->reentered;
    sum->missed += a->missed;
    sum->unknown_stack += a->unknown_stack;
}

/* Does (a) cover every deadline, without contradictions? */
static inline bool account_is_exact(const struct account *a)
{
    return a->complete && a->cut == 0 && a->begin_unknown == 0 &&
           a->restored == 0 && a->violations == 0;
}

static inline uint64_t account_ticks(const struct account *a)
{
    return a->samples + a->lost + a->ring_full + a->reentered;
}

static inline uint64_t account_deadlines(const struct account *a)
{
    return account_ticks(a) + a->missed;
}

#endif
