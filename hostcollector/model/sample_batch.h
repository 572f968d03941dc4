/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as they travel from decode to aggregate. Leaf. */
#ifndef TPROF_MODEL_SAMPLE_BATCH_H
#define TPROF_MODEL_SAMPLE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

/*
 * Address of a sample whose address is unknown, because the definition of its
 * stack was lost in transport. The definition names the image in which the
 * address lies.
 */
#define LEAF_UNKNOWN 0u

/* Returns the lateness of a short sample, in units. The wire gives only the
 * length of the lateness in bits, (bits). The result is the middle of the range
 * of that length. */
#define SHORT_LATE(bits) (3u << (bits) >> 2)

struct sample {
    uint64_t tsc;    /* guest's clock, a multiple of the batch's unit */
    uint64_t leaf;   /* interrupted run-time address, or LEAF_UNKNOWN */
    uint32_t stack;  /* number from events.stack(), or STACK_UNKNOWN */
    uint32_t late;   /* units; for a short sample the middle of a range */
    uint32_t weight; /* deadlines covered, at least 1 */
    uint32_t flags;  /* WIRE_SAMPLE_* */
};

/* Samples of one core, by rising time, with the same unit and period. */
struct sample_batch {
    uint32_t core;
    uint8_t shift;   /* one unit is 2^shift TSC ticks */
    uint16_t period; /* units */
    const struct sample *samples;
    size_t count;
    /* All samples have weight 1 and no flags, and only the length of their
     * lateness in bits is known. False: this is not known. */
    bool is_short;
};

enum loss_reason {
    LOSS_RING_FULL, /* the guest's ring was full */
    LOSS_REENTERED, /* the tick came inside another tick */
    LOSS_TRANSPORT, /* the sample was recorded, but its frame was lost or
                     * damaged */
    LOSS_REASONS
};

/* Ticks of one core that have no sample here. */
struct loss {
    uint32_t core;
    enum loss_reason reason;
    uint64_t from_tsc, to_tsc; /* times before and after the ticks */
    uint64_t ticks;
    uint64_t missed; /* deadlines without a tick; 0 for LOSS_TRANSPORT */
};

#endif
