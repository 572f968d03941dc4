/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample, and what the recorder of one core holds. Structs only. */
#ifndef TPROF_RECORD_H
#define TPROF_RECORD_H

#include <stdint.h>

#include "arch/arch.h"
#include "ring.h"
#include "stacks.h"
#include "unwind.h"

/* One tick, before it is written down. */
struct tprof_sample {
    struct tprof_registers at; /* where it interrupted */
    uint64_t time;             /* of the clock */
    uint64_t late;             /* clock ticks */
    uint64_t weight;           /* deadlines covered */
    uint64_t flags;            /* WIRE_SAMPLE_* */
};

/* Ticks that left no record since the last one. */
struct tprof_lost {
    uint64_t ticks;
    uint64_t missed;
};

/* What turns one core's ticks into records. Owned by that core's tick, but for
 * the ring's head. */
struct tprof_recorder {
    struct tprof_stacks stacks;
    uint64_t time;          /* units, of the last record */
    uint64_t began;         /* BEGIN's time, while that is unwritten; else 0 */
    uint32_t unwritten;     /* BEGIN or LOST has to come first */
    uint32_t shift;         /* a unit is 2^shift clock ticks */
    uint32_t depth;         /* most frames */
    uint32_t period;        /* units */
    uint32_t slow_at_tail;  /* tail at which a sample is not quick: sample.h */
    uint32_t watermark;     /* words in the ring that call for the pump */
    struct tprof_span span; /* where the last stack was */
    struct tprof_ring ring;
    struct tprof_stats counts; /* (samples) is worked out when asked for */
    struct tprof_lost lost[WIRE_DROP_REASONS];
    /* what STACK records share with the one before: two, taking turns */
    struct tprof_chain *last, *spare;
    struct tprof_chain chain[2];
};

#endif
