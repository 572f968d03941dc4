/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One core's samples in the order of time, in eight bytes each: what a time
 * line is drawn from, and what formats with a row a sample are written from.
 */
#ifndef TPROF_PROFILE_AGGREGATE_SAMPLE_LOG_H
#define TPROF_PROFILE_AGGREGATE_SAMPLE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/sample.h"
#include "util/budget.h"

struct moments_block;

/* Zeroed: empty. */
struct sample_log {
    struct moments_block *first, *last;
    size_t words;    /* in all blocks */
    bool full;       /* some did not fit: none of those behind is kept */
    int64_t ticks;   /* of the last one */
    uint16_t period; /* likewise, as of struct sample_batch */
    uint8_t shift;
};

/* Release what (m) holds. */
void sample_log_fini(struct sample_log *m);

/* Add (count) samples of (batch)'s unit and period. The profile began at
 * (start_tsc) of their clock; sample[i] is in entry entries[i]. */
void sample_log_add(struct sample_log *m, const struct sample_batch *batch,
                    const struct sample *samples, uint64_t start_tsc,
                    const uint32_t *entries, size_t count, struct budget *b);

/* One sample, as its entry counts it. */
struct moment {
    int64_t ticks;  /* since profile.start_tsc; less than 0 on a core ahead */
    uint32_t entry; /* of its core; MOMENT_OTHERS: profile_core.others */
    uint32_t weight;
    double time;   /* TSC ticks */
    uint64_t late; /* TSC ticks */
    bool jump;
};
#define MOMENT_OTHERS UINT32_MAX /* = ENTRY_OTHERS */

/* Reads the moments of one core from the first to the last. */
struct sample_log_reader {
    const struct profile_core *core;
    const struct moments_block *block;
    size_t at;
    int64_t ticks; /* of the last one */
    uint16_t period;
    uint8_t shift;
};

struct sample_log_reader sample_log_read(const struct profile_core *core);

/* The next one in (*moment), but for those of entries that were left out.
 * False behind the last. */
bool sample_log_next(struct sample_log_reader *r, struct moment *moment);

#endif
