/* SPDX-License-Identifier: BSD-2-Clause */
/* A window -> a compressed block. */
#include <stdlib.h>
#include <string.h>

#include "dump/dump_frame.h"
#include "recording/packed/format.h"
#include "recording/packed/pack_bytes.h"
#include "recording/packed/pack_stacks.h"
#include "recording/packed/squeeze.h"
#include "recording/packed/window_parts.h"
#include "util/bytes.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Level of compression, the fast one below 1. Windows are soon merged, at a
 * higher level. */
#define LEVEL (-1)

struct packing {
    struct window_packer *w;
    struct pack_bytes block;
    struct squeeze_cuts cuts;
    uint32_t *local; /* number in the pool -> number in the block */
    uint32_t *used;  /* number in the block, from 1 on -> number in the pool */
    size_t used_count;
};

/* Number the stacks of the window's samples. */
static void number_stacks(struct packing *p)
{
    const struct window_packer *w = p->w;

    for (size_t i = 0; i < w->core_room; i++) {
        const struct window_core *c = &w->cores[i];

        for (size_t k = 0; k < c->count; k++) {
            uint32_t n = c->samples[k].stack;

            if (n == STACK_UNKNOWN || n >= w->stacks.count ||
                p->local[n] != 0 || p->used_count == PACKED_STACKS_MAX)
                continue;
            p->used[++p->used_count] = n;
            p->local[n] = (uint32_t)p->used_count;
        }
    }
}

/* Columns of a run of samples. */
struct columns {
    struct pack_bytes pair_stacks, pair_leaves, pairs, intervals, late, lost,
        extras;
    uint64_t leaf; /* of the last pair */
    size_t losses, lost_at;
};

/* The lateness as an exponent, if a short sample of the wire can hold it. */
static uint8_t late_bits(const struct sample *s)
{
    unsigned bits = s->late == 0 ? 0 : 32u - (unsigned)__builtin_clz(s->late);

    if (s->weight != 1 || s->flags != 0 || bits > WIRE_CELL_LATE_MAX ||
        (bits != 0 && s->late != 3u << (bits - 1) >> 1))
        return PACKED_LATE_EXTRA;
    return (uint8_t)bits;
}

static void put_pair(struct packing *p, struct columns *c,
                     struct pair_map *pairs, const struct sample *s)
{
    uint32_t stack = s->stack < p->w->stacks.count ? p->local[s->stack] : 0;
    uint32_t next = (uint32_t)pairs->count;
    uint32_t *at = map_put(pairs, stack, s->leaf);

    if (at == NULL) {
        p->block.failed = true;
        return;
    }
    if (*at == MAP_NOTHING) {
        *at = next;
        pack_uleb(&c->pair_stacks, stack);
        pack_zigzag(&c->pair_leaves, s->leaf - c->leaf);
        c->leaf = s->leaf;
    }
    pack_u8(&c->pairs, (uint8_t)(*at < PACKED_EXTRA ? *at : PACKED_EXTRA));
    if (*at >= PACKED_EXTRA)
        pack_uleb(&c->extras, *at);
}

static void put_sample(struct columns *c, const struct sample *s,
                       uint64_t interval)
{
    uint8_t late = late_bits(s);

    pack_u8(&c->intervals,
            (uint8_t)(interval < PACKED_EXTRA ? interval : PACKED_EXTRA));
    if (interval >= PACKED_EXTRA)
        pack_uleb(&c->extras, interval);
    pack_u8(&c->late, late);
    if (late == PACKED_LATE_EXTRA) {
        pack_uleb(&c->extras, s->late);
        pack_uleb(&c->extras, s->weight);
        pack_uleb(&c->extras, s->flags);
    }
}

/* The shift by which times are rounded, to at most a 128th of the period. */
static uint8_t rounding(uint16_t period)
{
    unsigned bits = period == 0 ? 0 : 32u - (unsigned)__builtin_clz(period);

    return (uint8_t)(bits > 7 ? bits - 7 : 0);
}

static void put_columns(struct packing *p, struct columns *c)
{
    struct pack_bytes *b = &p->block;

    pack_append(b, &c->pair_stacks);
    pack_append(b, &c->pair_leaves);
    pack_uleb(b, c->pairs.size);
    squeeze_cut(&p->cuts, b->size);
    pack_append(b, &c->pairs);
    squeeze_cut(&p->cuts, b->size);
    pack_append(b, &c->intervals);
    squeeze_cut(&p->cuts, b->size);
    pack_append(b, &c->late);
    squeeze_cut(&p->cuts, b->size);
    pack_uleb(b, c->losses);
    pack_uleb(b, c->lost.size);
    pack_append(b, &c->lost);
    pack_uleb(b, c->extras.size);
    pack_append(b, &c->extras);
}

/* Write samples (from) to (to) of a core, which share unit and period. (now)
 * are the core's counters before these samples, and after them on return. */
static void put_run(struct packing *p, uint32_t core,
                    const struct window_run *run, size_t to, bool lost,
                    size_t *lost_at, uint64_t now[WIRE_COUNTERS])
{
    struct window_core *c = &p->w->cores[core];
    struct pack_bytes *b = &p->block;
    struct columns columns = {0};
    static struct pair_map pairs; /* its room serves all windows */
    uint8_t round = rounding(run->period);
    unsigned shift = run->shift + round;
    uint64_t time = run->first < to ? c->samples[run->first].tsc >> shift
                                    : c->time >> round;
    uint64_t first = time;
    bool end = to == c->count;

    pack_u8(b, PACKED_SAMPLES);
    pack_uint(b, core, 2);
    pack_u8(b, run->shift);
    pack_uint(b, run->period, 2);
    pack_u8(b, round);
    pack_uleb(b, first << round);
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        pack_uleb(b, now[i]);
    for (size_t last = run->first;
         lost && *lost_at < c->lost_count && c->lost[*lost_at].at < to + end;
         ++*lost_at) {
        const struct window_lost *l = &c->lost[*lost_at];

        pack_uleb(&columns.lost, l->at - last);
        pack_u8(&columns.lost, l->counter);
        pack_uleb(&columns.lost, l->ticks);
        pack_uleb(&columns.lost, l->missed);
        now[l->counter] += l->ticks;
        now[WIRE_COUNTER_MISSED] += l->missed;
        columns.losses++;
        last = l->at;
    }
    for (size_t i = run->first; i < to; i++) {
        const struct sample s = window_sample_get(c, i);

        put_pair(p, &columns, &pairs, &s);
        put_sample(&columns, &s, (s.tsc >> shift) - time);
        time = s.tsc >> shift;
        now[WIRE_COUNTER_MISSED] += s.weight - 1;
    }
    now[WIRE_COUNTER_SAMPLES] += to - run->first;
    c->time = time << round;
    pack_uleb(b, pairs.count);
    put_columns(p, &columns);
    map_clear(&pairs);
}

/* Do the LOST records of core (c) fit into its account? They do not if a final
 * STATS has counted them in the previous window. */
static bool fits_account(const struct window_core *c,
                         const uint64_t from[WIRE_COUNTERS],
                         const uint64_t to[WIRE_COUNTERS])
{
    uint64_t sum[WIRE_COUNTERS] = {0};
    bool fits = true;

    for (size_t i = 0; i < c->lost_count; i++) {
        sum[c->lost[i].counter] += c->lost[i].ticks;
        sum[WIRE_COUNTER_MISSED] += c->lost[i].missed;
    }
    for (size_t i = 0; i < c->odd_count; i++)
        sum[WIRE_COUNTER_MISSED] += c->odd[i].weight - 1;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        fits &= sum[i] <= to[i] - from[i];
    return fits;
}

/* Write all samples of (core). (now) becomes the core's counters after them. */
static void put_core(struct packing *p, uint32_t core,
                     uint64_t now[WIRE_COUNTERS])
{
    const struct window_core *c = &p->w->cores[core];
    uint64_t to[WIRE_COUNTERS];
    size_t lost_at = 0;

    window_counters(c, &c->began, now);
    window_counters(c, &c->account, to);
    bool lost = fits_account(c, now, to);

    for (size_t i = 0; i < c->run_count; i++)
        put_run(p, core, &c->runs[i],
                i + 1 < c->run_count ? c->runs[i + 1].first : c->count, lost,
                &lost_at, now);
}

/* Write losses that the samples do not show: a gap, followed by the
 * counters. */
static void put_lost(struct packing *p, uint64_t (*now)[WIRE_COUNTERS])
{
    struct window_packer *w = p->w;
    bool told = false;

    for (uint32_t i = 0; i < w->core_room; i++) {
        const struct window_core *c = &w->cores[i];
        uint64_t to[WIRE_COUNTERS];

        window_counters(c, &c->account, to);
        if (!c->heard || memcmp(to, now[i], sizeof to) == 0)
            continue;
        if (!told) {
            pack_u8(&p->block, PACKED_GAP);
            pack_uleb(&p->block, w->gap_frames == 0         ? 1
                                 : w->gap_frames > INT8_MAX ? INT8_MAX
                                                            : w->gap_frames);
        }
        told = true;
        w->done_lost +=
            to[0] - now[i][0] + to[2] - now[i][2] + to[3] - now[i][3];
        pack_fact_counters(&p->block, i, c, to);
    }
}

static void put_block(struct packing *p, uint64_t later_ns, bool whole)
{
    struct window_packer *w = p->w;
    uint64_t(*now)[WIRE_COUNTERS] = calloc(w->core_room, sizeof *now);

    if (now == NULL) {
        p->block.failed = true;
        return;
    }
    pack_facts_before(&p->block, w);
    number_stacks(p);
    pack_u8(&p->block, PACKED_STACKS);
    pack_stacks(&p->block, &w->stacks, w->guest.text_start, p->used,
                p->used_count);
    for (uint32_t i = 0; i < w->core_room && !p->block.failed; i++) {
        put_core(p, i, now[i]);
        w->done_samples += w->cores[i].count;
    }
    if (later_ns != 0) {
        pack_u8(&p->block, PACKED_LATER);
        pack_uleb(&p->block, later_ns);
    }
    put_lost(p, now);
    pack_facts_after(&p->block, w, whole);
    free(now);
}

/* Compress the block, and append it to the finished chunks. */
static int put_chunk(struct window_packer *w, const struct pack_bytes *b,
                     const struct squeeze_cuts *cuts)
{
    size_t bound = squeeze_bound(b->size, cuts);
    size_t room = w->done_size + 4 + bound;

    if (room > w->done_room) {
        uint8_t *moved = realloc(w->done, room);

        if (moved == NULL)
            return -1;
        w->done = moved;
        w->done_room = room;
    }
    uint8_t *at = w->done + w->done_size;
    size_t size = squeeze(at + 4, bound, b->bytes, b->size, cuts, LEVEL);

    if (size == 0)
        return -1;
    store_u32(at, (uint32_t)size);
    w->done_size += 4 + size;
    return 0;
}

/* Have the STATS of each core said where its counting began? */
static bool has_all_stats(const struct window_packer *w)
{
    bool all = true;

    for (size_t i = 0; i < w->core_room; i++)
        all &= !w->cores[i].heard || w->cores[i].has_stats;
    return all;
}

/* Empty the window. The new one continues where the old one ends. */
static void begin_anew(struct window_packer *w)
{
    w->kept = 0;
    w->full = false;
    w->gap_frames = 0;
    w->boot_told |= has_all_stats(w);
    for (size_t i = 0; i < w->core_room; i++) {
        struct window_core *c = &w->cores[i];

        c->count = c->odd_count = c->run_count = c->lost_count = 0;
        c->began = c->account;
        c->first = c->stats;
        c->has_first = c->has_stats;
    }
    for (size_t i = 0; i < WIRE_PROGRESS_COUNTERS; i++)
        w->progress_began[i] = w->progress[i];
}

static bool is_empty(const struct window_packer *w)
{
    bool empty = true;

    for (size_t i = 0; i < w->core_room; i++)
        empty &= !w->cores[i].heard;
    return empty;
}

int window_seal(struct window_packer *w, uint64_t later_ns, bool whole,
                struct err *e)
{
    struct packing p = {.w = w};
    int result = -1;

    if (!w->has_guest || is_empty(w))
        return 0;
    p.local = calloc(w->stacks.count + 1, sizeof *p.local);
    p.used = calloc(w->stacks.count + 1, sizeof *p.used);
    if (p.local != NULL && p.used != NULL)
        put_block(&p, later_ns, whole);
    else
        p.block.failed = true;
    if (!p.block.failed && p.block.size > PACKED_BLOCK_MAX)
        (void)err_set(e, "window: %zu bytes do not fit into a chunk",
                      p.block.size);
    else if (p.block.failed || put_chunk(w, &p.block, &p.cuts) != 0)
        (void)err_set(e, "window: out of memory");
    else
        result = 0;
    free(p.local);
    free(p.used);
    free(p.block.bytes);
    if (result == 0)
        begin_anew(w);
    return result;
}
