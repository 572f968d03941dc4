/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of each deadline of one core. Leaf.
 *
 *     deadlines = ticks + missed
 *     ticks = samples + lost + ring_full + reentered
 *
 * Counting starts at the core's first frame in this stream. The counts are
 * exact for the end of the core's last frame. What the guest did after that
 * frame is known only if (complete) is set.
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
     * add up. If this is not 0, tprof has a defect or the guest lies. */
    uint64_t violations;
    /* Times that the counters went back over a gap in the stream: the guest was
     * set back to an earlier state, as by a snapshot. */
    uint64_t restored;
    bool complete; /* a final STATS came: nothing is missing at the end */
};

static inline uint64_t account_ticks(const struct account *a)
{
    return a->samples + a->lost + a->ring_full + a->reentered;
}

static inline uint64_t account_deadlines(const struct account *a)
{
    return account_ticks(a) + a->missed;
}

#endif
