/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample, and the recorder of one core. Structs only. */
#ifndef TPROF_RECORD_H
#define TPROF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "sample/ring.h"
#include "sample/stacks.h"
#include "sample/unwind.h"

/* One tick, before it is a record */
struct tprof_sample {
    struct tprof_registers at; /* the interrupted code */
    uint64_t time;             /* by the clock */
    uint64_t late;             /* clock ticks from the deadline to the tick */
    uint64_t weight;           /* number of deadlines that the tick covers */
    uint64_t flags;            /* WIRE_SAMPLE_* */
    /* WIRE_END_LENT or WIRE_END_REST: a time without ticks, so (at) is only the
     * code at its end. 0: a normal sample. */
    uint32_t unseen;
};

/* Ticks without a record, since the last LOST was written */
struct tprof_lost {
    uint64_t ticks;
    uint64_t missed; /* further deadlines that those ticks cover */
};

/* A place between two records of a core's ring, with the core's counters there
 */
struct tprof_place {
    uint64_t counter[WIRE_COUNTERS];
    uint32_t tail;
};

#define TPROF_KNOWN_WORDS 580u

/* The recorder turns the ticks of one core into records. Owned by that core's
 * tick, except the ring's head. */
struct tprof_recorder {
    struct tprof_stacks stacks;
    uint64_t time;          /* of the last record, in units */
    uint64_t began;         /* time of a BEGIN that is not written yet, or 0 */
    uint32_t unwritten;     /* 1: a BEGIN or LOST must come before samples */
    uint32_t is_slow;       /* 1: samples come from NMIs, none is quick */
    uint32_t shift;         /* a unit is 2^shift clock ticks */
    uint32_t depth;         /* frames of a stack at most */
    uint32_t period;        /* in units */
    uint32_t slow_at_tail;  /* with this tail, no sample is quick: sample.h */
    uint32_t watermark;     /* words in the ring at which the pump is called */
    struct tprof_span span; /* image and range of the last stack */
    struct tprof_ring ring;
    /* All counters but (samples), which tprof_counts() computes. */
    struct tprof_stats counts;
    struct tprof_lost lost[WIRE_DROP_REASONS];
    uint32_t images; /* generation of the further images, for BEGIN */
    /* The place after which all stacks were described anew. Every later record
     * names only stacks that were described after this place. The place moves
     * each time half of the ring was written. */
    struct tprof_place anew;
    /* Two places not far before the tail. At most TPROF_KNOWN_WORDS were
     * written after the place in use. If the core was reset, the other place
     * may be half written. */
    struct tprof_place known[2];
    _Atomic uint32_t known_in_use;
    /* The chain of the last STACK record, and room for the next chain, which is
     * compared with it. The two pointers change places with each record. */
    struct tprof_chain *last, *spare;
    struct tprof_chain chain[2];
    /* (running): the id of the thread that this core runs, written by the
     * kernel. (told): the id in the last THREAD record, or 0 after BEGIN.
     * thread_calls.c and requests/ write another value to (told) if the
     * THREAD must be written again, with its REQUEST. Relaxed:
     * one sample may count for the previous thread. */
    _Atomic uint64_t running, told;
    /* Returns the serial of the thread with (id). NULL: no serials. */
    uint32_t (*_Atomic serial_of)(uint64_t id);
    /* Stores in (value) kind and number of the request that this core's thread
     * (id) works on. Returns false if there is none. NULL: no requests. */
    bool (*_Atomic request_of)(const struct tprof_recorder *r, uint64_t id,
                               uint64_t *value);
};

#endif
