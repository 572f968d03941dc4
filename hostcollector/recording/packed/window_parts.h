/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct window_packer, for the files of the window packer. */
#ifndef TPROF_RECORDING_PACKED_WINDOW_PARTS_H
#define TPROF_RECORDING_PACKED_WINDOW_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/sample_batch.h"
#include "profile/aggregate/stack_pool.h"
#include "recording/packed/pack_bytes.h"
#include "util/budget.h"
#include "util/err.h"

/* Samples of one unit and period. A run ends where the next one begins. */
struct window_run {
    size_t first;
    uint16_t period;
    uint8_t shift;
};

/* A LOST record: ticks that were dropped before sample (at). */
struct window_lost {
    size_t at;
    uint64_t ticks, missed;
    uint8_t counter;
};

/* A sample. Nearly all samples have weight 1 and no flags, and few guests have
 * room for more than one window: so it takes 24 bytes instead of 32. */
struct window_sample {
    uint64_t tsc, leaf;
    uint32_t stack;
    uint32_t late; /* from WINDOW_ODD on: WINDOW_ODD plus index in (odd) */
};
#define WINDOW_ODD (1u << 31)

/* The rest of a sample that has another weight, flags, or a long lateness. */
struct window_odd {
    uint32_t late, weight, flags;
};

struct window_core {
    struct window_sample *samples;
    size_t count, room;
    struct window_odd *odd;
    size_t odd_count, odd_room;
    struct window_run *runs;
    size_t run_count, run_room;
    struct window_lost *lost;
    size_t lost_count, lost_room;
    bool heard;                    /* an account came */
    struct account began, account; /* at the window's beginning, and now */
    /* Values of the guest's own counters at the beginning of (account). */
    bool has_offset;
    uint64_t offset[WIRE_COUNTERS];
    struct account session; /* the account when the session began */
    bool has_stats, has_first;
    struct core_stats first, stats; /* at the window's beginning, and now */
    uint64_t time;                  /* time of the last sample, in units */
};

struct window_packer {
    /* memory for samples and losses, and for stacks: allowed in all, and the
     * rest */
    uint64_t samples_max, stacks_max;
    struct budget samples_budget, stacks_budget;
    struct stack_pool stacks;
    uint64_t kept; /* samples since the last chunk */
    bool full;     /* a core has room for few samples more */

    bool has_guest, has_status;
    struct guest guest;
    /* Earlier windows contain the beginning of each core's account of boot, so
     * the next window is not of boot (WIRE_FEATURE_BOOT). */
    bool boot_told;
    struct guest_status status;
    uint64_t tsc_hz; /* measured rate, for guests that do not know their rate */
    struct guest_map maps[GUEST_MAPS_MAX];
    size_t map_count;
    struct guest_progress progress[WIRE_PROGRESS_COUNTERS];
    struct guest_progress progress_began[WIRE_PROGRESS_COUNTERS];
    bool has_progress[WIRE_PROGRESS_COUNTERS];
    uint64_t gap_frames;
    struct window_core *cores; /* at most guest.cores elements */
    size_t core_room;

    /* Finished chunks, each with its size before it, in 4 bytes. */
    uint8_t *done;
    size_t done_size, done_room;
    uint64_t done_samples, done_lost;
    bool failed; /* a chunk could not be made */
};

/* Return sample (i) of core (c), as the guest sent it. */
static inline struct sample window_sample_get(const struct window_core *c,
                                              size_t i)
{
    const struct window_sample *s = &c->samples[i];
    struct window_odd rest = {.late = s->late, .weight = 1};

    if (s->late >= WINDOW_ODD)
        rest = c->odd[s->late - WINDOW_ODD];
    return (struct sample){.tsc = s->tsc,
                           .leaf = s->leaf,
                           .stack = s->stack,
                           .late = rest.late,
                           .weight = rest.weight,
                           .flags = rest.flags};
}

/* Fill (counters) with the counters of core (c) that belong to the account
 * (a). */
void window_counters(const struct window_core *c, const struct account *a,
                     uint64_t counters[WIRE_COUNTERS]);

/*
 * Turn the open window into a finished chunk, and begin an empty window.
 * (later_ns), unless 0, is stored as the length of the window. The STATS of
 * each core are marked final if (whole), or if the guest marked them. Makes no
 * chunk until a core's counters have arrived. Returns 0; -1 with (e) filled.
 */
int window_seal(struct window_packer *w, uint64_t later_ns, bool whole,
                struct err *e);

/* pack_facts.c: writes the parts of a window that are not samples, as frames of
 * the wire. */

/* Append HELLO, MAPs, STATUS, and STATS with the counters at which each core
 * begins. */
void pack_facts_before(struct pack_bytes *b, const struct window_packer *w);

/* Append a SAMPLES frame of (core) with the counters (now) and without
 * samples. */
void pack_fact_counters(struct pack_bytes *b, uint32_t core,
                        const struct window_core *c,
                        const uint64_t now[WIRE_COUNTERS]);

/* Append the last STATS of each core, and PROGRESS. STATS are marked final if
 * (whole), or if the guest marked them. */
void pack_facts_after(struct pack_bytes *b, const struct window_packer *w,
                      bool whole);

#endif
