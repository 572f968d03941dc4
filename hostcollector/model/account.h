/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of each deadline of one core. Leaf.
 *
 *     deadlines = ticks + missed
 *     ticks = samples + lost + ring_full + reentered
 *
 * Counting starts where the core began to sample in each session, and what
 * other hosts lost before that does not count. The counts are exact for the end
 * of the core's last frame, unless (cut), (begin_unknown), (restored) or
 * (violations) say otherwise. What the guest did after that frame is known only
 * if (complete) is set.
 */
#ifndef TPROF_MODEL_ACCOUNT_H
#define TPROF_MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct account {
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* recorded by the guest, lost in transport */
    uint64_t ring_full; /* dropped by the guest: its ring was full */
    uint64_t reentered; /* dropped by the guest: inside another tick */
    uint64_t missed;    /* deadlines without a tick of their own */

    uint64_t unknown_stack; /* of (samples): the stack's definition was lost */
    uint64_t jumps;         /* of (samples): WIRE_SAMPLE_JUMP */
    /* Frames whose records contradict their counters, or whose counters do not
     * add up, or count more than ACCOUNT_MAX. If this is not 0, tprof has a
     * defect or the guest lies. */
    uint64_t violations;
    /* Times that the counters went back over a gap in the stream: the guest was
     * set back to an earlier state, as by a snapshot. */
    uint64_t restored;
    /* Sessions before the last one, of this boot or of others, that ended
     * without a final STATS: what was lost at their ends is not known. */
    uint32_t cut;
    /* Sessions of which frames were lost before this core's first one, and
     * nothing has told what was in them. */
    uint32_t begin_unknown;
    bool complete; /* a final STATS came: nothing is missing at the end */
};

/*
 * More than a core can do: years of deadlines at the highest rate. A guest that
 * claims more lies, and its counts end here. So the counts of a thousand guests
 * with a thousand cores each can be added up in 64 bits.
 */
#define ACCOUNT_MAX (1ull << 42)

/* Add (n) to (*count), up to ACCOUNT_MAX. Returns whether that is the sum. */
static inline bool account_add(uint64_t *count, uint64_t n)
{
    bool fits = n <= ACCOUNT_MAX - *count;

    *count = fits ? *count + n : ACCOUNT_MAX;
    return fits;
}

/* Add the counts of (a) to (*sum), which is no account of a stream. */
static inline void account_sum(struct account *sum, const struct account *a)
{
    sum->samples += a->samples;
    sum->lost += a->lost;
    sum->ring_full += a->ring_full;
    sum->reentered += a->reentered;
    sum->missed += a->missed;
    sum->unknown_stack += a->unknown_stack;
}

/* Is nothing missing in (a), and nothing in it that did not happen? */
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
