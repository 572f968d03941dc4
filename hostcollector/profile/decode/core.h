/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the decoder for one core: the dictionary of stacks, and the
 * account. */
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
    /* gaps of the stream about which core_gap() was called */
    uint32_t gaps_seen;
    uint64_t tsc; /* of the last record */

    bool has_epoch;
    uint16_t epoch;
    /* never 0; grows each time the dictionary is emptied */
    uint16_t generation;
    uint32_t thread; /* number of the thread that runs; 0: none is known */
    /* 1 + the kind of the request of the samples; 0: none is known */
    uint32_t request;
    uint64_t request_number; /* the kernel's */
    bool images;             /* STACK_AT records came in this boot */
    /* of the last BEGIN; GENERATION_NONE: unknown */
    uint32_t images_generation;
    /* The addresses from which short leaves are counted: the start of text,
     * then the addresses in STACK_AT records of this epoch. */
    uint64_t bases[1 + WIRE_STACK_BASES_MAX];
    uint16_t base_count; /* number of bases that are from STACK_AT records */
    /* The chain of the last STACK record, to which the next STACK record may
     * refer. */
    bool chain_known;
    uint32_t depth;
    uint64_t chain[WIRE_STACK_FRAMES_MAX];

    bool has_counters; /* (counters) came in this session */
    bool gap;          /* records may have been lost since (counters) */
    bool had_gap;      /* records may have been lost since the session's
                        * beginning */
    uint64_t counters[WIRE_COUNTERS]; /* cumulative counters of the last
                                       * frame */
    /* Counters at the beginning of this session. If (base_known) is false, the
     * counters at the beginning of the first frame that came. */
    bool base_known;
    bool base_doubtful; /* frames were lost before that frame */
    bool late;          /* the stream began in the middle of this session */
    bool earlier; /* (counters) may be of an earlier session of the same boot */
    uint64_t base[WIRE_COUNTERS];
    /* Growth of the counters that a final STATS has reported before the records
     * did. */
    uint64_t told_by_final_stats[WIRE_COUNTERS];
    struct account account;
    /* The dictionary. It is last, and zeroed at first: so the operating system
     * gives memory only to the slots before (dict_end). */
    uint32_t dict_end;
    struct core_slot dict[CORE_DICT_SLOTS];
};

/* Returns the state of a core that has sent nothing yet. NULL if there is no
 * memory. */
struct core *core_new(uint32_t number);

/* Release (c). NULL is allowed. */
void core_free(struct core *c);

/* Forget all stack ids and the running thread, because the epoch changed or
 * frames were lost. */
void core_forget_stacks(struct core *c);

/* Note that frames were lost or damaged, perhaps frames of this core. */
void core_gap(struct core *c);

/* Begin a session; after a reboot if (reboot). Forgets everything except the
 * account, which continues. */
void core_session(struct core *c, bool reboot);

/* Growth of the counters in a frame, by the frame's records. */
struct core_content {
    uint64_t counters[WIRE_COUNTERS];
};

/*
 * Bring the account up to the end of a frame, whose cumulative counters are
 * (now). Stores in (*lost) the growth of the counters that (content) does not
 * explain, because it was lost in transport. A contradiction counts as a
 * violation.
 */
void core_settle(struct core *c, const uint64_t now[WIRE_COUNTERS],
                 const struct core_content *content, struct core_content *lost);

/* Note that frames with unknown content were lost before the first frame of
 * this session that came. */
void core_doubt(struct core *c);

/*
 * Set the counters at the beginning of the session to (began). Stores in
 * (*lost) the growth between (began) and the first frame that came, because it
 * was lost in transport.
 */
void core_begin(struct core *c, const uint64_t began[WIRE_COUNTERS],
                struct core_content *lost);

/* Close the account by the final STATS (s). Stores in (*lost) the growth that
 * was lost in transport, as core_settle() does. */
void core_finish(struct core *c, const struct core_stats *s,
                 struct core_content *lost);

#endif
