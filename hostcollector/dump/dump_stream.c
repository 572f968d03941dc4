/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the frames that the agent in a dead guest's memory would have sent. */
#include "dump/dump_stream.h"

#include <stdlib.h>
#include <string.h>

#include "dump/dump_directory.h"
#include "util/bytes.h"
#include "util/cpu/cpu.h"
#include "util/cursor.h"

#define SHIFT_MAX    40u /* the decoder's limit */
#define VARINT_MAX   10u
#define CELLS_MAX    255u /* of one record */
#define COUNTERS_MAX (1u + WIRE_COUNTERS * VARINT_MAX)
/* the last cell has seven bytes and is stored as eight */
#define FRAME_CELLS                                                            \
    ((WIRE_BODY_MAX - WIRE_SAMPLES_HEADER - COUNTERS_MAX - 1) / WIRE_CELL_SIZE)
#define NOTE_HEADER  16u /* of the build-id, before its bytes */
#define ANCHOR_TEXT  "tprof "
#define VERSION_SIZE 32u

/* Cells that hold all varints which are read from a record. */
#define CELLS_FOLLOWED 10u

/* Time and counters, followed record by record as the agent's own reader does.
 * Each SAMPLES frame begins with them. */
struct dump_records {
    uint64_t time; /* of the last record, in units */
    uint8_t shift;
    uint16_t period, epoch;
    bool began;                      /* a BEGIN record was read */
    uint64_t counter[WIRE_COUNTERS]; /* after the last record */
};

enum stage {
    STAGE_HELLO,
    STAGE_STATUS,
    STAGE_CORE,
    STAGE_SAMPLES,
    STAGE_STATS
};

struct dump_stream {
    struct dump_memory *memory;
    struct dump_directory directory;
    enum stage stage;
    uint16_t seq;
    struct dump_frame frame;

    uint32_t core;   /* number of the core whose frames are being made */
    uint32_t unread; /* dump_stream_unread() */
    struct dump_ring ring;
    uint32_t at; /* position of the next record in the ring */
    uint8_t flags;
    uint32_t hardware_id, facts;
    struct dump_records now;          /* time and counters at (at) */
    uint64_t began[WIRE_COUNTERS];    /* counters at the first record */
    uint64_t stats[DUMP_STATS_COUNT]; /* indexed as struct tprof_stats */
};

/* The type of the record at (at): enum wire_long; 0: a short sample. */
static unsigned record_type(struct dump_ring *ring, uint32_t at)
{
    uint64_t word = dump_ring_word(ring, at);

    return word & 1 ? (unsigned)(word >> 1 & 0x7f) : 0;
}

static void follow_begin(struct dump_records *r, struct cursor *c)
{
    uint64_t tsc = cursor_uleb(c);

    r->shift = (uint8_t)(cursor_uleb(c) & 63);
    r->period = (uint16_t)cursor_uleb(c);
    r->epoch = (uint16_t)cursor_uleb(c);
    r->time = tsc >> r->shift;
    r->began = true;
}

static void follow_sample(struct dump_records *r, struct cursor *c)
{
    r->time += cursor_uleb(c);
    for (int skip = 0; skip < 4; skip++) /* id, leaf, flags, lateness */
        (void)cursor_uleb(c);
    r->counter[WIRE_COUNTER_SAMPLES]++;
    r->counter[WIRE_COUNTER_MISSED] += cursor_uleb(c) - 1;
}

static void follow_lost(struct dump_records *r, struct cursor *c)
{
    uint64_t counter = cursor_uleb(c);
    uint64_t ticks = cursor_uleb(c);

    if (counter < WIRE_COUNTER_RING_FULL || counter >= WIRE_COUNTERS)
        return;
    r->counter[counter] += ticks;
    r->counter[WIRE_COUNTER_MISSED] += cursor_uleb(c);
}

/* Follow the record at (at) of (ring), which must not be the tail. Returns the
 * number of its words, as dump_ring_count() does. */
static uint32_t follow_record(struct dump_records *r, struct dump_ring *ring,
                              uint32_t at)
{
    uint8_t bytes[CELLS_FOLLOWED * WIRE_CELL_SIZE + 1];
    uint32_t count = dump_ring_count(ring, at);
    uint32_t cells = count < CELLS_FOLLOWED ? count : CELLS_FOLLOWED;
    uint64_t word = dump_ring_word(ring, at);

    if (count == 0)
        return 0;
    if (!(word & 1)) {
        r->time += word >> WIRE_CELL_DT_SHIFT & ((1u << WIRE_CELL_DT_BITS) - 1);
        r->counter[WIRE_COUNTER_SAMPLES]++;
        return count;
    }
    /* store_u64() writes one byte too many */
    for (uint32_t i = 0; i < cells; i++)
        store_u64(bytes + (size_t)i * WIRE_CELL_SIZE,
                  dump_ring_word(ring, at + i));

    struct cursor c =
        cursor_init(bytes + WIRE_LONG_HEADER,
                    cells * (size_t)WIRE_CELL_SIZE - WIRE_LONG_HEADER);

    switch (record_type(ring, at)) {
    case WIRE_LONG_SAMPLE:
        follow_sample(r, &c);
        break;
    case WIRE_LONG_BEGIN:
        follow_begin(r, &c);
        break;
    case WIRE_LONG_LOST:
        follow_lost(r, &c);
        break;
    default: /* has neither time nor counters */
        break;
    }
    return count;
}

struct dump_stream *dump_stream_new(struct dump_memory *m, struct err *e)
{
    struct dump_stream *s = calloc(1, sizeof *s);

    if (s == NULL) {
        (void)err_memory(e);
        dump_memory_free(m);
        return NULL;
    }
    s->memory = m;
    if (dump_directory_find(&s->directory, m, e) != 0) {
        dump_stream_free(s);
        return NULL;
    }
    return s;
}

void dump_stream_free(struct dump_stream *s)
{
    if (s == NULL)
        return;
    dump_memory_free(s->memory);
    free(s);
}

/* Facts of the agent */

/* The agent's version, which is the end of the text tprof_anchor. */
static void put_version(struct dump_stream *s)
{
    const struct dump_directory *d = &s->directory;
    char text[sizeof ANCHOR_TEXT + VERSION_SIZE] = "";
    size_t skip = sizeof ANCHOR_TEXT - 1;

    if (!dump_memory_read(s->memory, &d->agent_view,
                          d->hello[WIRE_HELLO_ANCHOR], text, sizeof text) ||
        memcmp(text, ANCHOR_TEXT, skip) != 0)
        return;
    dump_frame_bytes(&s->frame, WIRE_HELLO_AGENT_VERSION, text + skip,
                     strnlen(text + skip, VERSION_SIZE));
}

/* An ELF note: size of name, size of description, type, "GNU", the id. */
static void put_build_id(struct dump_stream *s)
{
    const struct dump_directory *d = &s->directory;
    uint64_t room = d->build_id_end - d->build_id;
    uint8_t note[NOTE_HEADER + 64];
    uint32_t size;

    if (room <= NOTE_HEADER || room > sizeof note ||
        !dump_memory_read(s->memory, &d->agent_view, d->build_id, note,
                          (size_t)room))
        return;
    size = load_u32(note + 4);
    if (load_u32(note) == 4 && size <= room - NOTE_HEADER)
        dump_frame_bytes(&s->frame, WIRE_HELLO_BUILD_ID, note + NOTE_HEADER,
                         size);
}

bool dump_stream_knows_clock(const struct dump_stream *s)
{
    return s->directory.hello[WIRE_HELLO_TSC_HZ] != 0;
}

/* Calculate the rate of the clock, which the agent may not know. The host knew
 * the rate: it ordered a sampling rate and a period in clock ticks, or a number
 * of kernel ticks for each sample. */
static uint64_t clock_hz(const struct dump_stream *s)
{
    const uint64_t *hello = s->directory.hello, *o = s->directory.orders;
    uint64_t tick_hz = hello[WIRE_HELLO_KERNEL_HZ];

    if (dump_stream_knows_clock(s))
        return hello[WIRE_HELLO_TSC_HZ];
    if (hello[WIRE_HELLO_INTERVALS] == WIRE_INTERVALS_KERNEL)
        return o[4] != 0 && tick_hz <= UINT32_MAX ? o[2] / o[4] * tick_hz : 0;
    return o[0] <= WIRE_RATE_MAX_HZ ? o[0] * o[2] : 0;
}

static void put_hello(struct dump_stream *s)
{
    const struct dump_directory *d = &s->directory;
    struct dump_frame *f = &s->frame;

    dump_frame_begin(f, WIRE_HELLO, s->seq++);
    dump_frame_field(f, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION);
    put_version(s);
    dump_frame_field(f, WIRE_HELLO_ARCH, dump_cpu(s->memory)->wire);
    dump_frame_bytes(f, WIRE_HELLO_BOOT_ID, d->boot_id, sizeof d->boot_id);
    dump_frame_field(f, WIRE_HELLO_CORES, d->cores);
    dump_frame_field(f, WIRE_HELLO_TSC_HZ, clock_hz(s));
    put_build_id(s);
    for (unsigned tag = WIRE_HELLO_TEXT_START; tag <= WIRE_HELLO_CODE; tag++)
        dump_frame_field(f, tag, d->hello[tag]);
    dump_frame_end(f);
}

/* The orders that were in effect. */
static void put_status(struct dump_stream *s)
{
    const uint64_t *o = s->directory.orders;
    struct dump_frame *f = &s->frame;

    dump_frame_begin(f, WIRE_STATUS, s->seq++);
    dump_frame_field(f, WIRE_CONTROL_RATE_HZ, o[0]);
    dump_frame_field(f, WIRE_CONTROL_DEPTH, o[1]);
    dump_frame_field(f, WIRE_CONTROL_PERIOD_TSC, o[2]);
    dump_frame_field(f, WIRE_CONTROL_STATE, WIRE_STATE_SAMPLING);
    dump_frame_field(f, WIRE_CONTROL_EVERY, o[4]);
    dump_frame_end(f);
}

/* A core */

/* Read the state of the agent's own reader, and facts about the core, which lie
 * before the recorder. The state describes a ring without a BEGIN. */
static bool read_cpu(struct dump_stream *s, uint64_t ring)
{
    uint8_t cpu[DUMP_CPU_RECORDER];

    if (!dump_memory_read(s->memory, &s->directory.view,
                          ring - DUMP_RECORDER_RING - sizeof cpu, cpu,
                          sizeof cpu))
        return false;
    s->hardware_id = load_u32(cpu + DUMP_CPU_HARDWARE_ID);
    s->facts = load_u32(cpu + DUMP_CPU_FACTS);
    for (size_t i = sizeof cpu - DUMP_READER_SIZE; i < sizeof cpu; i -= 8) {
        if (load_u64(cpu + i) != ring)
            continue;
        s->now.shift = (uint8_t)load_u32(cpu + i + DUMP_READER_SHIFT);
        s->now.period = (uint16_t)load_u32(cpu + i + DUMP_READER_PERIOD);
        s->now.epoch = (uint16_t)load_u32(cpu + i + DUMP_READER_EPOCH);
        s->flags = (uint8_t)load_u32(cpu + i + DUMP_READER_FLAGS) &
                   WIRE_SAMPLES_IMAGES;
        return s->now.shift <= SHIFT_MAX;
    }
    return false;
}

/* Find the counters, by enum wire_counter, at the newest record. They do not
 * include losses whose LOST record was not written yet. */
static void count_end(struct dump_stream *s, const uint8_t *recorder,
                      uint64_t end[WIRE_COUNTERS])
{
    uint64_t *stats = s->stats;
    const uint8_t *lost = recorder + DUMP_RECORDER_LOST;

    for (size_t i = 0; i < DUMP_STATS_COUNT; i++)
        stats[i] = load_u64(recorder + DUMP_RECORDER_COUNTS + 8 * i);
    stats[1] = stats[DUMP_STATS_TICKS] - stats[DUMP_STATS_RING_FULL] -
               stats[DUMP_STATS_REENTERED];
    end[WIRE_COUNTER_SAMPLES] = stats[1];
    end[WIRE_COUNTER_MISSED] =
        stats[DUMP_STATS_MISSED] - load_u64(lost + 8) - load_u64(lost + 24);
    end[WIRE_COUNTER_RING_FULL] = stats[DUMP_STATS_RING_FULL] - load_u64(lost);
    end[WIRE_COUNTER_REENTERED] =
        stats[DUMP_STATS_REENTERED] - load_u64(lost + 16);
}

/* Set (s->at) to the first BEGIN record, or to the oldest record if there is
 * none. */
static void find_start(struct dump_stream *s)
{
    struct dump_ring *r = &s->ring;
    uint32_t at = r->start;

    s->at = r->start;
    for (; at != r->tail; at += dump_ring_count(r, at)) {
        if (record_type(r, at) == WIRE_LONG_BEGIN) {
            s->at = at;
            return;
        }
    }
}

/* Calculate time and counters at the first record: the values at the end, minus
 * the sums of all records. */
static void work_back(struct dump_stream *s, const uint8_t *recorder)
{
    uint64_t end[WIRE_COUNTERS];
    struct dump_records sum = {.shift = s->now.shift};

    count_end(s, recorder, end);
    for (uint32_t at = s->at; at != s->ring.tail;)
        at += follow_record(&sum, &s->ring, at);
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        s->began[i] = s->now.counter[i] = end[i] - sum.counter[i];
    s->now.time = load_u64(recorder + DUMP_RECORDER_TIME) - sum.time;
    if (sum.began) { /* the first record gives all of them */
        struct dump_records first = {0};

        (void)follow_record(&first, &s->ring, s->at);
        s->now.shift = first.shift;
        s->now.period = first.period;
        s->now.epoch = first.epoch;
        s->now.time = first.time;
    }
}

/* Begin with core (s->core). Returns false if the dump has nothing of it. */
static bool begin_core(struct dump_stream *s)
{
    const struct dump_directory *d = &s->directory;
    uint64_t ring = d->core[s->core].ring;
    uint8_t recorder[DUMP_RECORDER_HEAD];

    s->now = (struct dump_records){0};
    if (ring == 0)
        return false;
    if (!dump_memory_read(s->memory, &d->view, ring - DUMP_RECORDER_RING,
                          recorder, sizeof recorder) ||
        !read_cpu(s, ring)) {
        s->unread++;
        return false;
    }
    dump_ring_init(&s->ring, d, s->core,
                   load_u32(recorder + DUMP_RECORDER_RING + DUMP_RING_TAIL));
    find_start(s);
    work_back(s, recorder); /* reads the whole ring */
    s->unread += s->ring.unread;
    return s->at != s->ring.tail && s->now.shift <= SHIFT_MAX;
}

static void put_samples(struct dump_stream *s)
{
    struct dump_frame *f = &s->frame;
    uint32_t cells = 0;

    dump_frame_begin(f, WIRE_SAMPLES, s->seq++);
    uint8_t *body = f->bytes + f->used;

    store_u16(body + WIRE_SAMPLES_CORE, (uint16_t)s->core);
    body[WIRE_SAMPLES_FLAGS] = s->flags;
    body[WIRE_SAMPLES_SHIFT] = s->now.shift;
    store_u16(body + WIRE_SAMPLES_PERIOD, s->now.period);
    store_u16(body + WIRE_SAMPLES_EPOCH, s->now.epoch);
    store_u64(body + WIRE_SAMPLES_TIME, s->now.time);
    f->used += WIRE_SAMPLES_HEADER;
    while (s->at != s->ring.tail && cells + CELLS_MAX <= FRAME_CELLS) {
        uint32_t count = follow_record(&s->now, &s->ring, s->at);

        for (uint32_t i = 0; i < count; i++) {
            store_u64(f->bytes + f->used, dump_ring_word(&s->ring, s->at + i));
            f->used += WIRE_CELL_SIZE;
        }
        cells += count;
        s->at += count;
    }
    store_u16(body + WIRE_SAMPLES_CELLS, (uint16_t)cells);
    f->bytes[f->used++] = WIRE_COUNTERS;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        dump_frame_varint(f, s->now.counter[i]);
    dump_frame_end(f);
}

/* Write the final counters. Nothing follows after the end of the ring. */
static void put_stats(struct dump_stream *s)
{
    struct dump_frame *f = &s->frame;

    dump_frame_begin(f, WIRE_STATS, s->seq++);
    dump_frame_field(f, WIRE_STATS_CORE, s->core);
    dump_frame_field(f, WIRE_STATS_APIC_ID, s->hardware_id);
    dump_frame_field(f, WIRE_STATS_TSC, s->now.time << s->now.shift);
    dump_frame_field(f, WIRE_STATS_FLAGS,
                     s->facts | WIRE_STATS_FINAL | WIRE_STATS_STARTED);
    for (unsigned i = 0; i < DUMP_STATS_SIDE; i++)
        dump_frame_field(f, WIRE_STATS_TICKS + i, s->stats[i]);
    for (unsigned i = 0; i < 2; i++)
        dump_frame_field(f, WIRE_STATS_REPAIRED + i,
                         s->stats[DUMP_STATS_REPAIRED + i]);
    for (unsigned i = 0; i < WIRE_COUNTERS; i++)
        dump_frame_field(f, WIRE_STATS_BEGAN + i, s->began[i]);
    dump_frame_end(f);
}

uint32_t dump_stream_unread(const struct dump_stream *s)
{
    return s->unread;
}

const struct dump_frame *dump_stream_next(struct dump_stream *s)
{
    switch (s->stage) {
    case STAGE_HELLO:
        put_hello(s);
        s->stage = STAGE_STATUS;
        return &s->frame;
    case STAGE_STATUS:
        put_status(s);
        s->stage = STAGE_CORE;
        return &s->frame;
    case STAGE_CORE:
        while (s->core < s->directory.cores && !begin_core(s))
            s->core++;
        if (s->core == s->directory.cores)
            return NULL;
        s->stage = STAGE_SAMPLES;
        /* fall through */
    case STAGE_SAMPLES:
        put_samples(s);
        if (s->at == s->ring.tail)
            s->stage = STAGE_STATS;
        return &s->frame;
    case STAGE_STATS:
        put_stats(s);
        s->stage = STAGE_CORE;
        s->core++;
        return &s->frame;
    }
    return NULL;
}
