/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder remembers of one core: its dictionary and its account. */
#ifndef TPROF_DECODE_CORE_H
#define TPROF_DECODE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/stack.h"

#define CORE_DICT_SLOTS (1u << WIRE_CELL_ID_BITS)

struct core_slot {
    uint32_t stack;      /* as events.stack() numbered it */
    uint16_t generation; /* valid if it is the core's */
    uint16_t base;       /* of its leaves: index in samples_decoder.bases */
};

struct core {
    uint32_t number;
    uint32_t gaps_seen; /* of the stream's gaps: core_gap() for the others */
    uint64_t tsc;       /* of the last record */

    bool has_epoch;
    uint16_t epoch;
    uint16_t generation; /* not 0; counts how often the dictionary emptied */
    bool images; /* of this boot: STACK_AT records came, also ones now lost */
    struct core_slot dict[CORE_DICT_SLOTS];
    /* What the last STACK record defined, which the next may refer to. */
    bool chain_known;
    uint32_t depth;
    uint64_t chain[WIRE_STACK_FRAMES_MAX];

    bool has_counters; /* of this boot */
    bool gap;          /* records may have been lost since (counters) */
    uint64_t counters[WIRE_COUNTERS]; /* as the last frame gave them */
    uint64_t told_by_final_stats[WIRE_COUNTERS]; /* that a final STATS knew
                                                    beyond those */
    struct account account;
};

/* A core of which nothing is known. NULL if there is no memory. */
struct core *core_new(uint32_t number);

/* From now on no stack id is known: the epoch changed, or frames were lost. */
void core_forget_stacks(struct core *c);

/* Frames of whatever core were lost, or damaged. */
void core_gap(struct core *c);

/* The guest booted again: nothing that it said holds, but the account goes on.
 */
void core_reboot(struct core *c);

/* What a frame's records themselves say of the counters' growth in it. */
struct core_content {
    uint64_t counters[WIRE_COUNTERS];
};

/*
 * A frame has ended with cumulative counters (now): the account is brought up
 * to there. Returns, in (*lost), by how much the counters grew beyond
 * (content): what was lost in transport. A contradiction is a violation.
 */
void core_settle(struct core *c, const uint64_t now[WIRE_COUNTERS],
                 const struct core_content *content, struct core_content *lost);

/* A final STATS came: (s) agrees with itself and, at the end, with the frames.
 */
void core_stats(struct core *c, const struct core_stats *s,
                struct core_content *lost);

#endif
