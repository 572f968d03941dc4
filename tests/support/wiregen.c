/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames by hand. The numbers are WIRE.md's, written out again where that is
 * readable, so that a wrong constant in tprof_wire.h does not go unseen.
 */
#include "wiregen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct wiregen *w, size_t more)
{
    if (w->size + more <= w->capacity)
        return;
    while (w->capacity < w->size + more)
        w->capacity = w->capacity ? 2 * w->capacity : 4096;
    w->bytes = realloc(w->bytes, w->capacity);
    if (!w->bytes) {
        perror("wiregen");
        exit(1);
    }
}

void wiregen_fini(struct wiregen *w)
{
    free(w->bytes);
    *w = (struct wiregen){0};
}

void wiregen_bytes(struct wiregen *w, const void *bytes, size_t size)
{
    reserve(w, size + 1);
    if (size > 0)
        memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void put_at(struct wiregen *w, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        w->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

void wiregen_uint(struct wiregen *w, uint64_t value, size_t size)
{
    reserve(w, size);
    put_at(w, w->size, value, size);
    w->size += size;
}

void wiregen_varint(struct wiregen *w, uint64_t value)
{
    while (value > 127) {
        wiregen_uint(w, value % 128 + 128, 1);
        value /= 128;
    }
    wiregen_uint(w, value, 1);
}

void wiregen_zigzag(struct wiregen *w, int64_t value)
{
    /* 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... */
    uint64_t n = (uint64_t)value;

    wiregen_varint(w, value < 0 ? ~n * 2 + 1 : n * 2);
}

uint32_t wiregen_crc(const uint8_t *bytes, size_t size)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffff;

    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t r = i;

        for (int bit = 0; bit < 8; bit++)
            r = r & 1 ? r >> 1 ^ 0x82f63b78 : r >> 1; /* 1EDC6F41 reflected */
        table[i] = r;
    }
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return crc ^ 0xffffffff;
}

void wiregen_open(struct wiregen *w, uint8_t type)
{
    w->frame = w->size;
    wiregen_bytes(w, "\x54\x9d", 2);
    wiregen_uint(w, type, 1);
    wiregen_uint(w, 0, 1);
    wiregen_uint(w, w->seq++, 2);
    wiregen_uint(w, 0, 2); /* length: not known yet */
}

void wiregen_close(struct wiregen *w)
{
    put_at(w, w->frame + 6, w->size - w->frame - 8, 2);
    wiregen_uint(w, wiregen_crc(w->bytes + w->frame, w->size - w->frame), 4);
}

void wiregen_field(struct wiregen *w, uint8_t tag, uint64_t value, uint8_t size)
{
    wiregen_uint(w, tag, 1);
    wiregen_uint(w, size, 1);
    wiregen_uint(w, value, size);
}

void wiregen_field_bytes(struct wiregen *w, uint8_t tag, const void *bytes,
                         uint8_t size)
{
    wiregen_uint(w, tag, 1);
    wiregen_uint(w, size, 1);
    wiregen_bytes(w, bytes, size);
}

void wiregen_hello(struct wiregen *w, const struct wiregen_hello *h)
{
    uint8_t boot_id[16];

    memset(boot_id, h->boot, sizeof boot_id);
    w->seq = 0;
    wiregen_open(w, 1);
    wiregen_field(w, 1, h->version ? h->version : 0x0200, 2);
    wiregen_field_bytes(w, 2, "0.1.0", 5);
    wiregen_field(w, 3, 1, 1);
    wiregen_field_bytes(w, 4, boot_id, sizeof boot_id);
    wiregen_field(w, 5, h->cores, 2);
    wiregen_field(w, 6, h->tsc_hz, 8);
    wiregen_field_bytes(w, 7, h->build_id ? h->build_id : "\xb1\xd0\x01\x02",
                        h->build_id ? 20 : 4);
    wiregen_field(w, 8, h->text_start, 8);
    wiregen_field(w, 9, h->text_size, 8);
    wiregen_field(w, 12, 997, 4);
    wiregen_field(w, 13, 64, 2);
    wiregen_field(w, 15, h->dict_slots ? h->dict_slots : 8192, 4);
    wiregen_field(w, 16, h->features, 4);
    if (h->nonce != 0)
        wiregen_field(w, 21, h->nonce, 8);
    if (h->slide != NULL)
        wiregen_field(w, 22, *h->slide, 8);
    wiregen_close(w);
}

void wiregen_samples_begin(struct wiregen *w, const struct wiregen_samples *s)
{
    wiregen_open(w, 2);
    wiregen_uint(w, s->core, 2);
    wiregen_uint(w, s->flags, 1);
    wiregen_uint(w, s->shift, 1);
    wiregen_uint(w, s->period != 0 ? s->period : 1000, 2);
    wiregen_uint(w, s->epoch, 2);
    wiregen_uint(w, s->time, 8);
    wiregen_uint(w, 0, 2); /* cells: not known yet */
    w->cells = w->size;
}

void wiregen_samples_end(struct wiregen *w, const uint64_t counters[4])
{
    put_at(w, w->cells - 2, (w->size - w->cells) / 7, 2);
    wiregen_uint(w, 4, 1);
    for (int i = 0; i < 4; i++)
        wiregen_varint(w, counters[i]);
    wiregen_close(w);
}

void wiregen_short(struct wiregen *w, uint32_t id, uint32_t dt, uint32_t leaf,
                   uint32_t late_bits)
{
    uint64_t cell = (uint64_t)id << 1 | (uint64_t)dt << 14 |
                    (uint64_t)leaf << 28 | (uint64_t)late_bits << 52;

    wiregen_uint(w, cell, 7);
}

void wiregen_long_begin(struct wiregen *w, uint8_t type)
{
    w->record = w->size;
    wiregen_uint(w, type * 2u + 1, 1);
    wiregen_uint(w, 0, 1); /* cells: not known yet */
}

void wiregen_long_end(struct wiregen *w)
{
    while ((w->size - w->record) % 7 != 0)
        wiregen_uint(w, 0, 1);
    put_at(w, w->record + 1, (w->size - w->record) / 7, 1);
}

void wiregen_long_sample(struct wiregen *w, const struct wiregen_long *s)
{
    wiregen_long_begin(w, 1);
    wiregen_varint(w, s->dt);
    wiregen_varint(w, s->id);
    wiregen_zigzag(w, s->leaf);
    wiregen_varint(w, s->flags);
    wiregen_varint(w, s->late);
    wiregen_varint(w, s->weight);
    wiregen_long_end(w);
}

static void put_address(struct wiregen *w, uint64_t address)
{
    wiregen_zigzag(w, (int64_t)(address - w->address));
    w->address = address;
}

void wiregen_stack(struct wiregen *w, const struct wiregen_stack *s)
{
    wiregen_long_begin(w, s->base ? 7 : 2);
    w->address = (uint64_t)s->base;
    if (s->base)
        wiregen_zigzag(w, s->base);
    wiregen_varint(w, s->id);
    wiregen_varint(w, s->end);
    wiregen_varint(w, s->mask);
    for (int i = 0; i < 4; i++)
        if (s->mask >> i & 1)
            put_address(w, s->words[i]);
    wiregen_varint(w, s->shared);
    wiregen_varint(w, s->count);
    for (uint64_t i = 0; i < s->count; i++)
        put_address(w, s->frames[i]);
    if (s->rsp)
        wiregen_varint(w, s->rsp);
    wiregen_long_end(w);
}

void wiregen_begin(struct wiregen *w, uint64_t tsc, uint8_t shift,
                   uint16_t period, uint16_t epoch)
{
    wiregen_begin_images(w, tsc, shift, period, epoch, 0);
}

void wiregen_begin_images(struct wiregen *w, uint64_t tsc, uint8_t shift,
                          uint16_t period, uint16_t epoch, uint32_t generation)
{
    wiregen_long_begin(w, 3);
    wiregen_varint(w, tsc);
    wiregen_varint(w, shift);
    wiregen_varint(w, period);
    wiregen_varint(w, epoch);
    if (generation)
        wiregen_varint(w, generation);
    wiregen_long_end(w);
}

void wiregen_lost(struct wiregen *w, uint64_t counter, uint64_t ticks,
                  uint64_t missed)
{
    wiregen_long_begin(w, 4);
    wiregen_varint(w, counter);
    wiregen_varint(w, ticks);
    wiregen_varint(w, missed);
    wiregen_long_end(w);
}

void wiregen_stats(struct wiregen *w, const struct wiregen_stats *s)
{
    uint64_t ticks =
        s->counters[0] + s->counters[2] + s->counters[3] + s->extra_ticks;

    wiregen_open(w, 3);
    wiregen_field(w, 1, s->core, 2);
    if (s->has_apic_id)
        wiregen_field(w, 2, s->apic_id, 4);
    wiregen_field(w, 4, s->flags, 1);
    wiregen_field(w, 5, ticks, 8);
    for (uint8_t i = 0; i < 4; i++)
        wiregen_field(w, (uint8_t)(6 + i), s->counters[i], 8);
    wiregen_field(w, 10, s->cost, 8);
    if (s->tsc) {
        wiregen_field(w, 3, s->tsc, 8);
        wiregen_field(w, 18, s->steal_ns, 8);
    }
    if (s->repaired)
        wiregen_field(w, 19, s->repaired, 8);
    if (s->faults)
        wiregen_field(w, 20, s->faults, 8);
    for (uint8_t i = 0; s->began && i < 4; i++)
        wiregen_field(w, (uint8_t)(21 + i), s->began[i], 8);
    wiregen_close(w);
}

void wiregen_map(struct wiregen *w, const struct wiregen_map *m)
{
    wiregen_open(w, 6);
    wiregen_field(w, 1, m->start, 8);
    wiregen_field(w, 2, m->size, 8);
    wiregen_field(w, 3, m->link_start, 8);
    if (m->name)
        wiregen_field_bytes(w, 4, m->name, (uint8_t)strlen(m->name));
    if (m->build_id)
        wiregen_field_bytes(w, 5, m->build_id, 20);
    else
        wiregen_field(w, 6, m->text_crc, 4);
    if (m->since)
        wiregen_field(w, 7, m->since, 4);
    if (m->until)
        wiregen_field(w, 8, m->until, 4);
    wiregen_close(w);
}
