/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's dictionary generations, and the arithmetic of its account. */
#include "decode/core.h"

#include <stdlib.h>
#include <string.h>

struct core *core_new(uint32_t number)
{
    struct core *c = calloc(1, sizeof *c);

    if (c) {
        c->number = number;
        c->generation = 1;
        c->images_generation = GENERATION_NONE;
    }
    return c;
}

void core_forget_stacks(struct core *c)
{
    c->chain_known = false;
    c->depth = 0;
    c->generation++;
    if (c->generation == 0) { /* wrapped: old slots would look valid */
        memset(c->dict, 0, sizeof c->dict);
        c->generation = 1;
    }
}

void core_gap(struct core *c)
{
    core_forget_stacks(c);
    c->gap = true;
}

void core_reboot(struct core *c)
{
    core_forget_stacks(c);
    c->has_epoch = false;
    c->images = false;
    c->images_generation = GENERATION_NONE;
    c->base_count = 0;
    c->has_counters = false;
    memset(c->told_by_final_stats, 0, sizeof c->told_by_final_stats);
    c->gap = false;
}

/* Where the counters stood when this core's first frame began: a session may
 * start long after the agent did. */
static void first_counters(struct core *c, const uint64_t now[WIRE_COUNTERS],
                           const struct core_content *content)
{
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        c->counters[i] = now[i] - content->counters[i];
    c->has_counters = true;
}

/* Has the guest been set back to an earlier state? It tells so by counters that
 * went back after something was not heard: a snapshot was restored. */
static bool was_restored(const struct core *c,
                         const uint64_t now[WIRE_COUNTERS])
{
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        if (c->has_counters && c->gap && now[i] < c->counters[i])
            return true;
    return false;
}

void core_settle(struct core *c, const uint64_t now[WIRE_COUNTERS],
                 const struct core_content *content, struct core_content *lost)
{
    uint64_t *const sum[WIRE_COUNTERS] = {
        [WIRE_COUNTER_SAMPLES] = &c->account.samples,
        [WIRE_COUNTER_MISSED] = &c->account.missed,
        [WIRE_COUNTER_RING_FULL] = &c->account.ring_full,
        [WIRE_COUNTER_REENTERED] = &c->account.reentered,
    };
    bool contradiction = false;

    if (was_restored(c, now)) {
        c->account.restored++;
        c->has_counters = false; /* a life of its own, counted from here on */
        memset(c->told_by_final_stats, 0, sizeof c->told_by_final_stats);
    }
    if (!c->has_counters)
        first_counters(c, now, content);
    *lost = (struct core_content){0};
    for (size_t i = 0; i < WIRE_COUNTERS; i++) {
        uint64_t grown = now[i] - c->counters[i];

        if (now[i] < c->counters[i] || grown < content->counters[i]) {
            contradiction = true; /* believe the records */
            grown = content->counters[i];
        }
        lost->counters[i] = grown - content->counters[i];
        if (lost->counters[i] > 0 && !c->gap)
            contradiction = true;

        /* what a final STATS told of already */
        uint64_t known = grown < c->told_by_final_stats[i]
                             ? grown
                             : c->told_by_final_stats[i];

        c->told_by_final_stats[i] -= known;
        *sum[i] +=
            (i == WIRE_COUNTER_SAMPLES ? content->counters[i] : grown) - known;
        c->counters[i] = now[i];
    }
    c->account.lost += lost->counters[WIRE_COUNTER_SAMPLES];
    c->account.violations += contradiction;
    c->gap = false;
}

void core_stats(struct core *c, const struct core_stats *s,
                struct core_content *lost)
{
    const uint64_t now[WIRE_COUNTERS] = {
        [WIRE_COUNTER_SAMPLES] = s->samples,
        [WIRE_COUNTER_MISSED] = s->missed,
        [WIRE_COUNTER_RING_FULL] = s->ring_full,
        [WIRE_COUNTER_REENTERED] = s->reentered,
    };
    struct core_content content = {0};
    bool gap = c->gap;

    *lost = content;
    for (size_t i = WIRE_COUNTER_SAMPLES + 1;
         c->has_counters && i < WIRE_COUNTERS; i++) {
        if (now[i] > c->counters[i])
            content.counters[i] = now[i] - c->counters[i];
    }
    if (c->has_counters)
        core_settle(c, now, &content, lost);
    /* deadlines missed before records that were lost will be in no record */
    c->gap = gap;
    /* what was dropped after the last record is in no record yet: a later frame
     * may tell of it once more */
    for (size_t i = WIRE_COUNTER_SAMPLES + 1; i < WIRE_COUNTERS; i++) {
        c->told_by_final_stats[i] = content.counters[i];
        c->counters[i] -= content.counters[i];
    }
    if (s->ticks != s->samples + s->ring_full + s->reentered)
        c->account.violations++;
    c->account.complete = true;
}
