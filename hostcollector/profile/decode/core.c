/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the decoder for one core. */
#include "profile/decode/core.h"

#include <string.h>
#include <sys/mman.h>

struct core *core_new(uint32_t number)
{
    /* calloc() would write zeros into all of the dictionary */
    struct core *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (c == MAP_FAILED)
        return NULL;
    c->number = number;
    c->generation = 1;
    c->images_generation = GENERATION_NONE;
    return c;
}

void core_free(struct core *c)
{
    if (c != NULL)
        (void)munmap(c, sizeof *c);
}

void core_forget_stacks(struct core *c)
{
    c->chain_known = false;
    c->depth = 0;
    c->thread = c->request = 0;
    c->generation++;
    if (c->generation == 0) { /* wrapped: old slots would look valid */
        memset(c->dict, 0, c->dict_end * sizeof c->dict[0]);
        c->generation = 1;
    }
}

void core_gap(struct core *c)
{
    core_forget_stacks(c);
    c->gap = c->had_gap = true;
}

void core_session(struct core *c, bool reboot)
{
    core_forget_stacks(c);
    c->has_epoch = false;
    c->images = false;
    c->images_generation = GENERATION_NONE;
    c->base_count = 0;
    c->tsc = 0;
    if (c->has_counters && !c->account.complete)
        c->account.cut++;
    c->account.complete = false;
    c->earlier = !reboot && (c->earlier || c->has_counters);
    c->has_counters = c->base_known = c->base_doubtful = false;
    c->late = false;
    memset(c->told_by_final_stats, 0, sizeof c->told_by_final_stats);
    c->gap = c->had_gap = false;
}

/* Is any counter in (a) less than its partner in (b)? */
static bool is_below(const uint64_t a[WIRE_COUNTERS],
                     const uint64_t b[WIRE_COUNTERS])
{
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        if (a[i] < b[i])
            return true;
    return false;
}

void core_doubt(struct core *c)
{
    c->account.begin_unknown += !c->base_doubtful;
    c->base_doubtful = true;
}

/* Set the counters at the beginning of this core's first frame. They may be
 * above 0, because the agent may have sampled for other hosts before. */
static void first_counters(struct core *c, const uint64_t now[WIRE_COUNTERS],
                           const struct core_content *content)
{
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        c->base[i] = now[i] - content->counters[i];
    c->account.restored += c->earlier && is_below(c->base, c->counters);
    memcpy(c->counters, c->base, sizeof c->counters);
    c->has_counters = true;
    c->earlier = false;
    if (!c->base_known && (c->gap || c->late))
        core_doubt(c);
}

/* The sums of (a), by counter. */
static void find_sums(struct account *a, uint64_t *sum[WIRE_COUNTERS])
{
    sum[WIRE_COUNTER_SAMPLES] = &a->samples;
    sum[WIRE_COUNTER_MISSED] = &a->missed;
    sum[WIRE_COUNTER_RING_FULL] = &a->ring_full;
    sum[WIRE_COUNTER_REENTERED] = &a->reentered;
}

/* Add the growth between (began) and the first frame, which came before
 * (began) was known, as lost. */
static void add_beginning(struct core *c, const uint64_t began[WIRE_COUNTERS],
                          struct core_content *lost)
{
    uint64_t *sum[WIRE_COUNTERS];

    find_sums(&c->account, sum);
    sum[WIRE_COUNTER_SAMPLES] = &c->account.lost;
    bool contradiction = is_below(c->base, began) ||
                         (!c->base_doubtful && is_below(began, c->base));

    for (size_t i = 0; i < WIRE_COUNTERS; i++) {
        if (c->base[i] > began[i])
            lost->counters[i] = c->base[i] - began[i];
        contradiction |= !account_add(sum[i], lost->counters[i]);
    }
    c->account.violations += contradiction;
    c->account.begin_unknown -= c->base_doubtful;
    c->base_doubtful = false;
}

/* Is (began) of a session whose HELLO was lost? If so, it is unknown to which
 * session the earlier frames belong. */
static bool is_of_another_session(const struct core *c,
                                  const uint64_t began[WIRE_COUNTERS])
{
    return c->base_known ? memcmp(c->base, began, sizeof c->base) != 0
                         : c->had_gap && is_below(c->base, began);
}

void core_begin(struct core *c, const uint64_t began[WIRE_COUNTERS],
                struct core_content *lost)
{
    *lost = (struct core_content){0};
    if (c->late)
        return;
    if (c->has_counters && is_of_another_session(c, began)) {
        c->account.cut++;
    } else if (c->base_known) {
        return;
    } else if (c->has_counters) {
        add_beginning(c, began, lost);
    } else {
        c->account.restored += c->earlier && is_below(began, c->counters);
        memcpy(c->counters, began, sizeof c->counters);
        c->has_counters = true;
        c->earlier = false;
    }
    memcpy(c->base, began, sizeof c->base);
    c->base_known = true;
}

/* Was the guest set back to an earlier state? Its counters are then lower than
 * before a gap in the stream: a snapshot was restored, or the HELLO of another
 * boot was lost. */
static bool was_restored(const struct core *c,
                         const uint64_t now[WIRE_COUNTERS],
                         const struct core_content *content)
{
    uint64_t start[WIRE_COUNTERS];

    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        start[i] = now[i] - content->counters[i];
    return c->has_counters && c->gap &&
           (is_below(now, c->counters) || is_below(start, c->counters));
}

void core_settle(struct core *c, const uint64_t now[WIRE_COUNTERS],
                 const struct core_content *content, struct core_content *lost)
{
    uint64_t *sum[WIRE_COUNTERS];
    bool contradiction = false;

    find_sums(&c->account, sum);
    if (was_restored(c, now, content)) {
        c->account.restored++;
        c->has_counters = false; /* counted anew from here on */
        c->base_known = true;
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

        /* the part that a final STATS has reported already */
        uint64_t known = grown < c->told_by_final_stats[i]
                             ? grown
                             : c->told_by_final_stats[i];

        c->told_by_final_stats[i] -= known;
        contradiction |= !account_add(
            sum[i],
            (i == WIRE_COUNTER_SAMPLES ? content->counters[i] : grown) - known);
        c->counters[i] = now[i];
    }
    contradiction |=
        !account_add(&c->account.lost, lost->counters[WIRE_COUNTER_SAMPLES]);
    c->account.violations += contradiction;
    c->gap = false;
}

void core_finish(struct core *c, const struct core_stats *s,
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
    /* the account needs the gap, because deadlines missed before lost records
     * are in no record */
    c->gap = gap;
    /* drops after the last record are in no record yet: a later frame may
     * report them once more */
    for (size_t i = WIRE_COUNTER_SAMPLES + 1; i < WIRE_COUNTERS; i++) {
        c->told_by_final_stats[i] = content.counters[i];
        c->counters[i] -= content.counters[i];
    }
    if (s->ticks != s->samples + s->ring_full + s->reentered)
        c->account.violations++;
    c->account.complete = true;
}
