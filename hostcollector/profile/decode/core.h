/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder remembers of one core: the dictionary and the account. */
#ifndef TPROF_PROFILE_DECODE_CORE_H
#define TPROF_PROFILE_DECODE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/stack.h"

#define CORE_DICT_SLOTS (1u << WIRE_CELL_ID_BITS)

struct core_slot {
    uint32_t stack;      /* number that events.stack() returned */
    uint16_t generation; /* the slot is valid if it equals core.generation */
    uint16_t base;       /* index in core.bases, for leaves */
};

struct core {
    uint32_t number;
    uint32_t gaps_seen; /* gaps of the stream that core_gap() was told of */
    uint64_t tsc;       /* of the last record */

    bool has_epoch;
    uint16_t epoch;
    uint16_t generation; /* not 0; counts how often the dictionary emptied */
    bool images;         /* STACK_AT records came in this boot */
    uint32_t images_generation; /* as BEGIN told; GENERATION_NONE: unknown */
    struct core_slot dict[CORE_DICT_SLOTS];
    /* The addresses from which short leaves are counted: the start of text,
     * then those that STACK_AT records of this epoch gave. */
    uint64_t bases[1 + WIRE_STACK_BASES_MAX];
    uint16_t base_count; /* of STACK_AT's */
    /* The chain that the last STACK record defined; the next STACK record may
     * refer to it. */
    bool chain_known;
    uint32_t depth;
    uint64_t chain[WIRE_STACK_FRAMES_MAX];

    bool has_counters; /* of this session */
    bool gap;          /* records may have been lost since (counters) */
    bool had_gap;      /* since the session's beginning */
    uint64_t counters[WIRE_COUNTERS]; /* as the last frame gave them */
    /* Where this session's counting starts: at (base). Until (base_known) that
     * is where the first frame that came began. */
    bool base_known;
    bool base_doubtful; /* frames were lost before that one */
    bool late;          /* the stream began in the middle of this session */
    bool earlier;       /* (counters) may be an earlier session's, same boot */
    uint64_t base[WIRE_COUNTERS];
    /* How much of the counters' next growth a final STATS has told already. */
    uint64_t told_by_final_stats[WIRE_COUNTERS];
    struct account account;
};

/* A core of which nothing is known. NULL if there is no memory. */
struct core *core_new(uint32_t number);

/* Forget all stack ids: the epoch changed, or frames were lost. */
void core_forget_stacks(struct core *c);

/* Frames were lost or damaged, perhaps frames of this core. */
void core_gap(struct core *c);

/* A session begins; after a boot if (reboot). Forget everything but the
 * account, which goes on. */
void core_session(struct core *c, bool reboot);

/* By how much the counters grew in a frame, as the frame's records say. */
struct core_content {
    uint64_t counters[WIRE_COUNTERS];
};

/*
 * Bring the account up to the end of a frame, whose cumulative counters are
 * (now). (*lost) becomes the growth of the counters that (content) does not
 * explain: it was lost in transport. A contradiction counts as a violation.
 */
void core_settle(struct core *c, const uint64_t now[WIRE_COUNTERS],
                 const struct core_content *content, struct core_content *lost);

/* Frames of this session that came before all that did are lost, and what was
 * in them is not known. */
void core_doubt(struct core *c);

/*
 * The counters were (began) when the core began to sample in this session.
 * (*lost) becomes what is missing before the first frame that came: it was lost
 * in transport.
 */
void core_begin(struct core *c, const uint64_t began[WIRE_COUNTERS],
                struct core_content *lost);

/* Close the account by the final STATS (s). (*lost): as of core_settle(). */
void core_finish(struct core *c, const struct core_stats *s,
                 struct core_content *lost);

#endif
