/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as they travel from decode to aggregate. Leaf. */
#ifndef TPROF_MODEL_SAMPLE_H
#define TPROF_MODEL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

/*
 * A leaf of which nothing is known but that it was: its stack was lost in
 * transport, and with it the image that the leaf lies in.
 */
#define LEAF_UNKNOWN 0u

struct sample {
    uint64_t tsc;    /* guest's clock, a multiple of the batch's unit */
    uint64_t leaf;   /* interrupted run-time address, or LEAF_UNKNOWN */
    uint32_t stack;  /* as events.stack() numbered it, or STACK_UNKNOWN */
    uint32_t late;   /* units; of a short sample the middle of its range */
    uint32_t weight; /* deadlines covered, at least 1 */
    uint32_t flags;  /* WIRE_SAMPLE_* */
};

/* Samples of one core that have unit and period in common, in order. */
struct sample_batch {
    uint32_t core;
    uint8_t shift;   /* a unit is 2^shift TSC ticks */
    uint16_t period; /* units */
    const struct sample *samples;
    size_t count;
};

enum loss_reason {
    LOSS_RING_FULL, /* the guest's ring was full */
    LOSS_REENTERED, /* a tick inside another tick */
    LOSS_TRANSPORT, /* recorded, but its frame never came or was damaged */
    LOSS_REASONS
};

/* Ticks of one core that left no sample here. */
struct loss {
    uint32_t core;
    enum loss_reason reason;
    uint64_t from_tsc, to_tsc; /* somewhere between these */
    uint64_t ticks;
    uint64_t missed; /* deadlines beyond those; not known of transport: 0 */
};

#endif
