/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's samples in the order of time, in eight bytes each. Time lines,
 * and formats with a row for each sample, are made from the log. */
#ifndef TPROF_PROFILE_AGGREGATE_SAMPLE_LOG_H
#define TPROF_PROFILE_AGGREGATE_SAMPLE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/sample_batch.h"
#include "util/budget.h"

struct moments_block;

/* Zeroed: empty. */
struct sample_log {
    struct moments_block *first, *last;
    size_t words;    /* words in all blocks */
    bool full;       /* a sample had no room: this sample and all later ones are
                      * missing */
    int64_t ticks;   /* time of the last sample */
    uint16_t period; /* period of the last sample, as in struct sample_batch */
    uint8_t shift;
};

/* Release what (m) holds. */
void sample_log_fini(struct sample_log *m);

/* Add (count) samples of (batch)'s unit and period. (start_tsc) is the start of
 * the profile on the clock of the samples. sample[i] belongs to entry
 * entries[i], as entries_add() numbers them. */
void sample_log_add(struct sample_log *m, const struct sample_batch *batch,
                    const struct sample *samples, uint64_t start_tsc,
                    const uint32_t *entries, size_t count, struct budget *b);

/* One sample, as its entry counts it. */
struct moment {
    /* since profile.start_tsc; negative on a core whose clock is ahead */
    int64_t ticks;
    uint32_t entry; /* entry of the core; MOMENT_OTHERS: profile_core.others */
    uint32_t weight;
    double time;   /* TSC ticks */
    uint64_t late; /* TSC ticks */
    bool jump;
};
#define MOMENT_OTHERS UINT32_MAX

/* Returns the index in c->entries of the sample (m), or c->entry_count if the
 * sample belongs to c->others. view_path_of() accepts both. */
static inline size_t moment_entry(const struct profile_core *c,
                                  const struct moment *m)
{
    return m->entry < c->entry_count ? m->entry : c->entry_count;
}

/* Reads the samples of one core from the first to the last. */
struct sample_log_reader {
    const struct profile_core *core;
    const struct moments_block *block;
    size_t at;
    int64_t ticks; /* time of the last sample that was read */
    uint16_t period;
    uint8_t shift;
};

struct sample_log_reader sample_log_read(const struct profile_core *core);

/* Read the next sample into (*moment). Skips samples of entries that were left
 * out. False at the end. */
bool sample_log_next(struct sample_log_reader *r, struct moment *moment);

#endif
