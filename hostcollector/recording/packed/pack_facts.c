/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the parts of a window that are not samples, as frames of the wire. */
#include "recording/packed/window_parts.h"

#include "dump/dump_frame.h"
#include "recording/packed/format.h"

static void put_frame(struct pack_bytes *b, struct dump_frame *f)
{
    size_t size = f->used - WIRE_FRAME_HEADER;

    pack_u8(b, PACKED_FRAME);
    pack_u8(b, f->bytes[WIRE_FRAME_TYPE]);
    pack_uleb(b, size);
    pack_copy(b, f->bytes + WIRE_FRAME_HEADER, size);
}

static void put_text(struct dump_frame *f, unsigned tag, const char *text)
{
    if (text[0] != '\0')
        dump_frame_bytes(f, tag, text, strlen(text));
}

/* Write (value) unless it is 0, which stands for unknown. */
static void put_known(struct dump_frame *f, unsigned tag, uint64_t value)
{
    if (value != 0)
        dump_frame_field(f, tag, value);
}

static void put_hello(struct pack_bytes *b, const struct window_packer *w)
{
    const struct guest *g = &w->guest;
    struct dump_frame f;

    dump_frame_begin(&f, WIRE_HELLO, 0);
    /* version of the frames written here, whatever the guest's version is */
    dump_frame_field(&f, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION);
    put_text(&f, WIRE_HELLO_AGENT_VERSION, g->agent_version);
    dump_frame_field(&f, WIRE_HELLO_ARCH, g->arch);
    dump_frame_bytes(&f, WIRE_HELLO_BOOT_ID, g->boot_id, sizeof g->boot_id);
    dump_frame_field(&f, WIRE_HELLO_CORES, g->cores);
    dump_frame_field(&f, WIRE_HELLO_TSC_HZ,
                     g->tsc_hz != 0 ? g->tsc_hz : w->tsc_hz);
    if (g->build_id_len != 0)
        dump_frame_bytes(&f, WIRE_HELLO_BUILD_ID, g->build_id, g->build_id_len);
    dump_frame_field(&f, WIRE_HELLO_TEXT_START, g->text_start);
    dump_frame_field(&f, WIRE_HELLO_TEXT_SIZE, g->text_size);
    if (g->has_text_crc)
        dump_frame_field(&f, WIRE_HELLO_TEXT_CRC, g->text_crc);
    put_known(&f, WIRE_HELLO_ANCHOR, g->anchor);
    dump_frame_field(&f, WIRE_HELLO_RATE_HZ, g->rate_hz);
    dump_frame_field(&f, WIRE_HELLO_DEPTH, g->depth);
    dump_frame_field(&f, WIRE_HELLO_INTERVALS, g->intervals);
    dump_frame_field(&f, WIRE_HELLO_DICT_SLOTS, g->dict_slots);
    dump_frame_field(&f, WIRE_HELLO_FEATURES,
                     w->boot_told ? g->features & ~WIRE_FEATURE_BOOT
                                  : g->features);
    put_known(&f, WIRE_HELLO_DIRECTORY, g->directory);
    put_known(&f, WIRE_HELLO_KERNEL_HZ, g->kernel_hz);
    if (g->has_readable)
        dump_frame_field(&f, WIRE_HELLO_READABLE, g->readable);
    put_known(&f, WIRE_HELLO_CODE, g->code);
    put_known(&f, WIRE_HELLO_NONCE, g->nonce);
    if (g->has_slide)
        dump_frame_field(&f, WIRE_HELLO_SLIDE, g->slide);
    put_frame(b, &f);
}

static void put_map(struct pack_bytes *b, const struct guest_map *m)
{
    struct dump_frame f;

    dump_frame_begin(&f, WIRE_MAP, 0);
    dump_frame_field(&f, WIRE_MAP_START, m->start);
    dump_frame_field(&f, WIRE_MAP_SIZE, m->size);
    dump_frame_field(&f, WIRE_MAP_LINK_START, m->link_start);
    put_text(&f, WIRE_MAP_NAME, m->name);
    if (m->build_id_len != 0)
        dump_frame_bytes(&f, WIRE_MAP_BUILD_ID, m->build_id, m->build_id_len);
    if (m->has_text_crc)
        dump_frame_field(&f, WIRE_MAP_TEXT_CRC, m->text_crc);
    dump_frame_field(&f, WIRE_MAP_SINCE, m->since);
    put_known(&f, WIRE_MAP_UNTIL, m->until);
    put_frame(b, &f);
}

static void put_status(struct pack_bytes *b, const struct guest_status *s)
{
    struct dump_frame f;

    dump_frame_begin(&f, WIRE_STATUS, 0);
    dump_frame_field(&f, WIRE_CONTROL_RATE_HZ, s->rate_hz);
    dump_frame_field(&f, WIRE_CONTROL_DEPTH, s->depth);
    dump_frame_field(&f, WIRE_CONTROL_FEATURES, s->features);
    dump_frame_field(&f, WIRE_CONTROL_PERIOD_TSC, s->period_tsc);
    dump_frame_field(&f, WIRE_CONTROL_STATE, s->state);
    dump_frame_field(&f, WIRE_CONTROL_EVERY, s->every);
    dump_frame_field(&f, WIRE_CONTROL_ERROR, s->refusal);
    dump_frame_field(&f, WIRE_CONTROL_TURNED_AWAY, s->turned_away);
    dump_frame_field(&f, WIRE_CONTROL_REFUSED, s->refused);
    dump_frame_field(&f, WIRE_CONTROL_REFUSED_CORE, s->refused_core);
    dump_frame_field(&f, WIRE_CONTROL_REFUSED_ERROR, s->refused_error);
    put_frame(b, &f);
}

void window_counters(const struct window_core *c, const struct account *a,
                     uint64_t counters[WIRE_COUNTERS])
{
    counters[WIRE_COUNTER_SAMPLES] = a->samples + a->lost;
    counters[WIRE_COUNTER_MISSED] = a->missed;
    counters[WIRE_COUNTER_RING_FULL] = a->ring_full;
    counters[WIRE_COUNTER_REENTERED] = a->reentered;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        counters[i] += c->offset[i];
}

/* Write STATS of a core: (s) with the window's counters (now). */
static void put_stats(struct pack_bytes *b, uint32_t core,
                      const struct window_core *c, const struct core_stats *s,
                      const uint64_t now[WIRE_COUNTERS], unsigned flags)
{
    uint64_t began[WIRE_COUNTERS];
    struct dump_frame f;

    window_counters(c, &c->began, began);
    dump_frame_begin(&f, WIRE_STATS, 0);
    dump_frame_field(&f, WIRE_STATS_CORE, core);
    if (s->has_apic_id)
        dump_frame_field(&f, WIRE_STATS_APIC_ID, s->apic_id);
    dump_frame_field(&f, WIRE_STATS_TSC, s->tsc);
    dump_frame_field(&f, WIRE_STATS_FLAGS, flags);
    dump_frame_field(&f, WIRE_STATS_TICKS,
                     now[WIRE_COUNTER_SAMPLES] + now[WIRE_COUNTER_RING_FULL] +
                         now[WIRE_COUNTER_REENTERED]);
    dump_frame_field(&f, WIRE_STATS_SAMPLES, now[WIRE_COUNTER_SAMPLES]);
    dump_frame_field(&f, WIRE_STATS_MISSED, now[WIRE_COUNTER_MISSED]);
    dump_frame_field(&f, WIRE_STATS_RING_FULL, now[WIRE_COUNTER_RING_FULL]);
    dump_frame_field(&f, WIRE_STATS_REENTERED, now[WIRE_COUNTER_REENTERED]);
    put_known(&f, WIRE_STATS_COST, s->cost_tsc);
    put_known(&f, WIRE_STATS_COST_MAX, s->cost_max_tsc);
    put_known(&f, WIRE_STATS_BY_DIVISION, s->by_division);
    put_known(&f, WIRE_STATS_STACKS, s->stacks);
    put_known(&f, WIRE_STATS_FOREIGN, s->foreign);
    put_known(&f, WIRE_STATS_DEVICE_ERRORS, s->device_errors);
    put_known(&f, WIRE_STATS_BUSY, s->busy);
    put_known(&f, WIRE_STATS_UNKNOWN_CPU, s->unknown_cpu);
    put_known(&f, WIRE_STATS_REPAIRED, s->repaired);
    put_known(&f, WIRE_STATS_FAULTS, s->faults);
    put_known(&f, WIRE_STATS_KICKS, s->kicks);
    if (s->has_steal)
        dump_frame_field(&f, WIRE_STATS_STEAL, s->steal_ns);
    for (unsigned i = 0; i < WIRE_COUNTERS; i++)
        dump_frame_field(&f, WIRE_STATS_BEGAN + i, began[i]);
    put_frame(b, &f);
}

void pack_facts_before(struct pack_bytes *b, const struct window_packer *w)
{
    put_hello(b, w);
    for (size_t i = 0; i < w->map_count; i++)
        put_map(b, &w->maps[i]);
    if (w->has_status)
        put_status(b, &w->status);
    for (uint32_t i = 0; i < w->core_room; i++) {
        const struct window_core *c = &w->cores[i];
        uint64_t began[WIRE_COUNTERS];

        window_counters(c, &c->began, began);
        if (c->heard)
            put_stats(b, i, c, &c->first, began,
                      c->first.flags & ~WIRE_STATS_FINAL);
    }
}

void pack_fact_counters(struct pack_bytes *b, uint32_t core,
                        const struct window_core *c,
                        const uint64_t now[WIRE_COUNTERS])
{
    struct dump_frame f;
    uint8_t *body = f.bytes + WIRE_FRAME_HEADER;

    dump_frame_begin(&f, WIRE_SAMPLES, 0);
    memset(body, 0, WIRE_SAMPLES_HEADER);
    store_u16(body + WIRE_SAMPLES_CORE, (uint16_t)core);
    if (c->run_count != 0) {
        body[WIRE_SAMPLES_SHIFT] = c->runs[c->run_count - 1].shift;
        store_u16(body + WIRE_SAMPLES_PERIOD, c->runs[c->run_count - 1].period);
    }
    store_u64(body + WIRE_SAMPLES_TIME, c->time);
    f.used += WIRE_SAMPLES_HEADER;
    f.bytes[f.used++] = WIRE_COUNTERS;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        dump_frame_varint(&f, now[i]);
    put_frame(b, &f);
}

static void put_progress(struct pack_bytes *b, const struct guest_progress *p,
                         const struct guest_progress *began)
{
    struct dump_frame f;

    dump_frame_begin(&f, WIRE_PROGRESS, 0);
    dump_frame_field(&f, WIRE_PROGRESS_COUNTER, p->counter);
    put_text(&f, WIRE_PROGRESS_NAME, p->name);
    dump_frame_field(&f, WIRE_PROGRESS_UNITS, p->units);
    dump_frame_field(&f, WIRE_PROGRESS_TSC, p->tsc);
    dump_frame_field(&f, WIRE_PROGRESS_BEGAN_UNITS, began->units);
    dump_frame_field(&f, WIRE_PROGRESS_BEGAN_TSC, began->tsc);
    put_frame(b, &f);
}

void pack_facts_after(struct pack_bytes *b, const struct window_packer *w,
                      bool whole)
{
    for (uint32_t i = 0; i < w->core_room; i++) {
        const struct window_core *c = &w->cores[i];
        bool final = whole || c->account.complete;
        uint64_t now[WIRE_COUNTERS];

        window_counters(c, &c->account, now);
        if (c->heard)
            put_stats(b, i, c, &c->stats, now,
                      (c->stats.flags & ~WIRE_STATS_FINAL) |
                          (final ? WIRE_STATS_FINAL : 0));
    }
    for (size_t i = 0; i < WIRE_PROGRESS_COUNTERS; i++)
        if (w->has_progress[i])
            put_progress(b, &w->progress[i], &w->progress_began[i]);
}
