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
    uint64_t time;             /* by the clock */
    uint64_t late;             /* clock ticks after the deadline */
    uint64_t weight;           /* deadlines that the tick covers */
    uint64_t flags;            /* WIRE_SAMPLE_* */
    uint32_t unseen; /* WIRE_END_LENT or WIRE_END_REST; 0: (at) is true */
};

/* Ticks without a record, since the last LOST was written. */
struct tprof_lost {
    uint64_t ticks;
    uint64_t missed; /* further deadlines that those ticks cover */
};

/* A place between two records of a core's ring, and what the core's counters
 * were there. */
struct tprof_place {
    uint64_t counter[WIRE_COUNTERS];
    uint32_t tail;
};

#define TPROF_KNOWN_WORDS 580u

/* Turns the ticks of one core into records. Owned by that core's tick, except
 * the ring's head. */
struct tprof_recorder {
    struct tprof_stacks stacks;
    uint64_t time;          /* of the last record, in units */
    uint64_t began;         /* time of a BEGIN that is not written yet, or 0 */
    uint32_t unwritten;     /* 1: a BEGIN or LOST must come before samples */
    uint32_t shift;         /* a unit is 2^shift clock ticks */
    uint32_t depth;         /* frames of a stack at most */
    uint32_t period;        /* in units */
    uint32_t slow_at_tail;  /* at this tail no sample is quick: sample.h */
    uint32_t watermark;     /* words in the ring that call for the pump */
    struct tprof_span span; /* image and range of the last stack */
    struct tprof_ring ring;
    /* All but (samples), which tprof_counts() tells. */
    struct tprof_stats counts;
    struct tprof_lost lost[WIRE_DROP_REASONS];
    uint32_t images; /* generation of the further images, for BEGIN */
    /* Where stacks were described anew: all that later records name was
     * described later, too. Moves when half of the ring was written since. */
    struct tprof_place anew;
    /* Two places. Behind the one in use at most TPROF_KNOWN_WORDS were written;
     * the other may be half written, if the core was reset meanwhile. */
    struct tprof_place known[2];
    _Atomic uint32_t known_in_use;
    /* The chain of the last STACK record, with which the next one is compared,
     * and room for that; they take turns. */
    struct tprof_chain *last, *spare;
    struct tprof_chain chain[2];
};

#endif
