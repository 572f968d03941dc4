/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds wire frames from WIRE.md alone, without the agent's encoder and
 * without any code of the collector. Nothing is checked, so that a test can
 * build wrong frames, too. Running out of memory ends the process.
 */
#ifndef TPROF_WIREGEN_H
#define TPROF_WIREGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing stream of frames. Zeroed at the beginning. */
struct wiregen {
    uint8_t *bytes;
    size_t size, capacity;
    uint16_t seq;     /* of the next frame */
    size_t frame;     /* offset of the open one */
    size_t cells;     /* offset of the first cell of an open SAMPLES */
    size_t record;    /* offset of the open long record */
    uint64_t address; /* for differences within a STACK record */
};

void wiregen_fini(struct wiregen *w);

/* Append bytes, or a number: little-endian, or as WIRE.md 1 encodes it. */
void wiregen_bytes(struct wiregen *w, const void *bytes, size_t size);
void wiregen_uint(struct wiregen *w, uint64_t value, size_t size);
void wiregen_varint(struct wiregen *w, uint64_t value);
void wiregen_zigzag(struct wiregen *w, int64_t value);

/* WIRE.md 2: a frame around what is put between these. */
void wiregen_open(struct wiregen *w, uint8_t type);
void wiregen_close(struct wiregen *w);

/* WIRE.md 2.1 */
void wiregen_field(struct wiregen *w, uint8_t tag, uint64_t value,
                   uint8_t size);
void wiregen_field_bytes(struct wiregen *w, uint8_t tag, const void *bytes,
                         uint8_t size);

/* WIRE.md 3: a whole HELLO, seq 0, with the fields that a test may vary. */
struct wiregen_hello {
    uint16_t version; /* 0: ours */
    uint8_t boot;     /* every byte of the boot id */
    uint16_t cores;
    uint64_t tsc_hz;
    uint64_t text_start, text_size;
    uint32_t features;
    uint16_t dict_slots;   /* 0: 8192 */
    const char *build_id;  /* 20 bytes; NULL: b1d00102 */
    uint64_t nonce;        /* 0: not told */
    const uint64_t *slide; /* NULL: not told */
};
void wiregen_hello(struct wiregen *w, const struct wiregen_hello *h);

/* WIRE.md 4: SAMPLES, cells between begin and end. */
struct wiregen_samples {
    uint16_t core;
    uint8_t shift;
    uint16_t period; /* 0: 1000 */
    uint16_t epoch;
    uint64_t time;
    uint8_t flags;
};
void wiregen_samples_begin(struct wiregen *w, const struct wiregen_samples *s);
/* Counters: samples, missed, ring full, reentered. */
void wiregen_samples_end(struct wiregen *w, const uint64_t counters[4]);

/* WIRE.md 5.1 */
void wiregen_short(struct wiregen *w, uint32_t id, uint32_t dt, uint32_t leaf,
                   uint32_t late_bits);

/* WIRE.md 5.2: a long record around what is put between these. */
void wiregen_long_begin(struct wiregen *w, uint8_t type);
void wiregen_long_end(struct wiregen *w);

/* WIRE.md 5.3 */
struct wiregen_long {
    uint64_t dt, id;
    int64_t leaf; /* less the start of text */
    uint64_t flags, late, weight;
};
void wiregen_long_sample(struct wiregen *w, const struct wiregen_long *s);

/* WIRE.md 5.4, or 5.7 with a base: addresses less the start of text. */
struct wiregen_stack {
    uint64_t id, end, mask;
    uint64_t words[4]; /* those of the mask, at their places */
    uint64_t shared;   /* outermost frames of the stack before */
    const uint64_t *frames;
    uint64_t count;
    int64_t base; /* 0: a STACK */
    uint64_t rsp; /* 0: not told */
};
void wiregen_stack(struct wiregen *w, const struct wiregen_stack *s);

/* WIRE.md 5.5, 5.6 */
void wiregen_begin(struct wiregen *w, uint64_t tsc, uint8_t shift,
                   uint16_t period, uint16_t epoch);
void wiregen_begin_images(struct wiregen *w, uint64_t tsc, uint8_t shift,
                          uint16_t period, uint16_t epoch, uint32_t generation);
void wiregen_lost(struct wiregen *w, uint64_t counter, uint64_t ticks,
                  uint64_t missed);

/* WIRE.md 6: ticks are the sum that they have to be, plus (extra_ticks). */
struct wiregen_stats {
    uint16_t core;
    uint8_t flags;
    bool has_apic_id; /* else there is no such field */
    uint32_t apic_id;
    uint64_t counters[4];
    uint64_t extra_ticks;
    uint64_t cost;
    uint64_t tsc, steal_ns; /* both, or neither where (tsc) is 0 */
    uint64_t repaired;      /* 0: no such field */
    uint64_t faults;        /* likewise */
    const uint64_t *began;  /* as (counters); NULL: no such fields */
};
void wiregen_stats(struct wiregen *w, const struct wiregen_stats *s);

/* WIRE.md 8: a MAP. */
struct wiregen_map {
    uint64_t start, size, link_start;
    const char *name;     /* NULL: no such field */
    const char *build_id; /* 20 bytes; NULL: the text CRC in its place */
    uint32_t text_crc;
    uint32_t since, until; /* 0: no such field */
};
void wiregen_map(struct wiregen *w, const struct wiregen_map *m);

/* CRC-32C, bit by bit's table. */
uint32_t wiregen_crc(const uint8_t *bytes, size_t size);

#endif
