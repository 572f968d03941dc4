/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a dead guest against the stream that the same guest sent while
 * it lived: an agent runs in this process, and its memory is written to a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "check.h"
#include "decoded.h"
#include "directory.h"
#include "dump/layout.h"
#include "dump/stream.h"
#include "machine.h"
#include "one_way.h"

#define CORES      2u
#define HZ         1000000u
/* Ticks, a millisecond apart, of which a ring holds nearly 512. Each second
 * stacks are described anew: in the first case that is in the ring, in the
 * second it is not. */
#define TICKS      1400u
#define TICKS_LONG 1900u

static uint8_t sent[1u << 20];
static size_t sent_size;
static struct tprof_config config;
static struct seen alive;

static int take(void *context, const void *data, uint32_t size)
{
    (void)context;
    CHECK(sent_size + size <= sizeof sent);
    memcpy(sent + sent_size, data, size);
    sent_size += size;
    return (int)size;
}

/* A guest that has run for a while, and what its host knows of it. */
static void live(uint32_t ticks)
{
    static uint64_t frames[8];

    config =
        (struct tprof_config){.timer = TPROF_TIMER_KERNEL,
                              .kernel_hz = 1000,
                              .rate_hz = 1000,
                              .tsc_hz = HZ,
                              .cpus = CORES,
                              .ring_bytes = 4096,
                              .dict_slots = 64,
                              .readable = {{(uintptr_t)frames, sizeof frames}},
                              .seed = 1};
    one_way_init(&config, take);
    for (uint32_t i = 0; i < CORES; i++) {
        tprof_machine.core = i;
        tprof_machine.cores[i].hardware_id = i;
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
    uint64_t text = tprof_agent.hello[WIRE_HELLO_TEXT_START];

    for (uint32_t t = 0; t < ticks; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            frames[5] = text + 16 * (t / 100 % 3 + 1);
            const struct tprof_regs regs = {text + t % 7, (uintptr_t)&frames[0],
                                            (uintptr_t)&frames[4]};

            tprof_machine.core = i;
            tprof_tick(&regs);
        }
    }
    while (tprof_flush(64) != 0)
        ;
    CHECK_EQ(decode_pieces(sent, sent_size, 4096), 0);
    alive = seen;
}

struct part {
    const void *start;
    size_t size;
    const void *bytes; /* what is there */
};

/* How addresses are told in the core's program headers. */
struct told {
    uint64_t physical; /* less the virtual ones */
    bool is_virtual;   /* these are told, too */
};

/* The agent's memory as an ELF core; the caller closes it. */
static FILE *dump(struct told told)
{
    static char anchor[64]; /* memory goes on behind it */
    const struct part parts[] = {
        {config.memory, config.memory_size, config.memory},
        {&tprof_agent, sizeof tprof_agent, &tprof_agent},
        {&tprof_directory, sizeof tprof_directory, &tprof_directory},
        {tprof_anchor, sizeof anchor, anchor}};
    uint8_t header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    uint64_t count = sizeof parts / sizeof parts[0];
    uint64_t at = sizeof header + 56 * count;
    FILE *f = tmpfile();

    CHECK(f != NULL);
    (void)snprintf(anchor, sizeof anchor, "%s", tprof_anchor);
    header[16] = 4;  /* ET_CORE */
    header[18] = 62; /* EM_X86_64 */
    header[32] = sizeof header;
    header[54] = 56;
    header[56] = (uint8_t)count;
    CHECK_EQ(fwrite(header, sizeof header, 1, f), 1);
    for (size_t i = 0; i < count; at += parts[i++].size) {
        uint64_t start = (uintptr_t)parts[i].start;
        const uint64_t h[7] = {1,
                               at,
                               told.is_virtual ? start : 0,
                               start + told.physical,
                               parts[i].size,
                               parts[i].size,
                               0};

        CHECK_EQ(fwrite(h, sizeof h, 1, f), 1);
    }
    for (size_t i = 0; i < count; i++)
        CHECK_EQ(fwrite(parts[i].bytes, parts[i].size, 1, f), 1);
    CHECK_EQ(fflush(f), 0);
    return f;
}

/* Decodes what is in (f); its error in (error), if it is no dump. */
static void bury(FILE *f)
{
    static uint8_t bytes[1u << 20];
    size_t size = 0;
    const struct dump_frame *frame;
    struct dump_memory *m = dump_memory_new(fileno(f), &error);
    struct dump_stream *s = m != NULL ? dump_stream_new(m, &error) : NULL;

    memset(&seen, 0, sizeof seen);
    while (s != NULL && (frame = dump_stream_next(s)) != NULL) {
        CHECK(size + frame->used <= sizeof bytes);
        memcpy(bytes + size, frame->bytes, frame->used);
        size += frame->used;
    }
    if (s != NULL)
        CHECK_EQ(decode_pieces(bytes, size, 4096), 0);
    dump_stream_free(s);
    (void)fclose(f);
}

static const struct seen_sample *last_of(const struct seen *s, uint32_t core,
                                         size_t *end)
{
    while (*end > 0)
        if (s->samples[--*end].core == core)
            return &s->samples[*end];
    return NULL;
}

static void same_stack(uint32_t a, uint32_t b)
{
    const struct seen_stack *x = &alive.stacks[a - 1], *y = &seen.stacks[b - 1];

    CHECK_EQ(x->stack.depth, y->stack.depth);
    CHECK_EQ(x->stack.depth, 1);
    CHECK_EQ(memcmp(x->frames, y->frames, 8 * x->stack.depth), 0);
}

/* The dump of (core) has its last samples, at least (least). */
static void same_end(uint32_t core, size_t least, bool stacks)
{
    size_t there = seen.samples_n, then = alive.samples_n, count = 0;
    const struct seen_sample *s, *t;

    for (; (s = last_of(&seen, core, &there)) != NULL; count++) {
        t = last_of(&alive, core, &then);
        CHECK(t != NULL);
        CHECK_EQ(s->sample.tsc, t->sample.tsc);
        CHECK_EQ(s->sample.leaf, t->sample.leaf);
        CHECK_EQ(s->sample.weight, t->sample.weight);
        CHECK_EQ(s->period, t->period);
        CHECK_EQ(s->shift, t->shift);
        if (stacks)
            same_stack(t->sample.stack, s->sample.stack);
    }
    CHECK(count >= least);
    CHECK(seen.account[core].complete);
    CHECK_EQ(seen.account[core].lost, 0);
    CHECK_EQ(seen.account[core].violations, 0);
    CHECK_EQ(seen.account[core].samples, count);
    CHECK_EQ(seen.account[core].unknown_stack, stacks ? 0 : count);
}

static void same_guest(size_t least, bool stacks)
{
    const struct guest *g = &seen.guest, *h = &alive.guest;

    CHECK_EQ(seen.hellos, 1);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(health.skipped, 0);
    CHECK_STR(g->agent_version, h->agent_version);
    CHECK_EQ(memcmp(g->boot_id, h->boot_id, sizeof g->boot_id), 0);
    CHECK_EQ(g->tsc_hz, h->tsc_hz);
    CHECK_EQ(g->text_crc, h->text_crc);
    CHECK_EQ(g->anchor, h->anchor);
    CHECK_EQ(g->intervals, h->intervals);
    CHECK_EQ(g->kernel_hz, h->kernel_hz);
    for (uint32_t i = 0; i < CORES; i++)
        same_end(i, least, stacks);
}

TEST(dump_has_the_last_samples_of_each_core)
{
    live(TICKS);
    bury(dump((struct told){0, true}));
    same_guest(350, true);
}

/* A core that has sampled for longer than its ring holds. */
TEST(stacks_that_are_out_of_the_ring_are_unknown)
{
    live(TICKS_LONG);
    bury(dump((struct told){0, true}));
    same_guest(480, false);
}

/* As a raw file has it, of a kernel that does not lie where it runs. */
TEST(rings_are_found_at_whatever_physical_address)
{
    live(TICKS);
    bury(dump((struct told){0x123000, false}));
    same_guest(350, true);
    bury(dump((struct told){0x123000, true}));
    same_guest(350, true);
}

TEST(what_is_no_dump_is_told)
{
    static uint8_t zeros[65536];
    FILE *f = tmpfile();

    CHECK_EQ(fwrite(zeros, sizeof zeros, 1, f), 1);
    CHECK_EQ(fflush(f), 0);
    bury(f);
    CHECK(strstr(error.text, "has no agent in it") != NULL);
    live(TICKS);
    tprof_directory.version++;
    bury(dump((struct told){0, true}));
    CHECK(strstr(error.text, "version 4") != NULL);
    bury(tmpfile());
    CHECK(strstr(error.text, "too short") != NULL);
}

/* catches: a struct of the agent that has changed without a new
 * TPROF_DIRECTORY_VERSION */
TEST(layout_is_the_agents)
{
#define SAME(value, type, member) CHECK_EQ(value, offsetof(struct type, member))
#define AGENT(value, member)                                                   \
    CHECK_EQ(value, offsetof(struct tprof_agent, member) -                     \
                        offsetof(struct tprof_agent, bounds))
    CHECK_EQ(DUMP_DIRECTORY_MAGIC, TPROF_DIRECTORY_MAGIC);
    CHECK_EQ(DUMP_DIRECTORY_VERSION, TPROF_DIRECTORY_VERSION);
    CHECK_EQ(DUMP_CORES_MAX, TPROF_CPUS_MAX);
    CHECK_EQ(DUMP_CORE_SIZE, sizeof(struct tprof_directory_core));
    SAME(DUMP_DIRECTORY_VERSION_AT, tprof_directory, version);
    SAME(DUMP_DIRECTORY_CORES, tprof_directory, cores);
    SAME(DUMP_DIRECTORY_RING_WORDS, tprof_directory, ring_words);
    SAME(DUMP_DIRECTORY_CORE, tprof_directory, core);
    SAME(DUMP_CORE_COUNTS, tprof_directory_core, counts);
    SAME(DUMP_CORE_RING, tprof_directory_core, ring);
    SAME(DUMP_CORE_WORDS, tprof_directory_core, words);
    SAME(DUMP_CORE_PHYSICAL, tprof_directory_core, physical);
    SAME(DUMP_RING_WORDS, tprof_ring, words);
    SAME(DUMP_RING_MASK, tprof_ring, mask);
    SAME(DUMP_RING_TAIL, tprof_ring, tail);
    CHECK_EQ(DUMP_WORD_COUNT, TPROF_RING_COUNT_SHIFT);
    SAME(DUMP_RECORDER_RING, tprof_recorder, ring);
    SAME(DUMP_RECORDER_TIME, tprof_recorder, time);
    SAME(DUMP_RECORDER_BOUNDS, tprof_recorder, span.bounds);
    SAME(DUMP_RECORDER_COUNTS, tprof_recorder, counts);
    SAME(DUMP_RECORDER_LOST, tprof_recorder, lost);
    SAME(8 * DUMP_STATS_TICKS, tprof_stats, ticks);
    SAME(8 * DUMP_STATS_MISSED, tprof_stats, missed);
    SAME(8 * DUMP_STATS_RING_FULL, tprof_stats, ring_full);
    SAME(8 * DUMP_STATS_REENTERED, tprof_stats, reentered);
    SAME(8 * DUMP_STATS_REPAIRED, tprof_stats, repaired);
    SAME(8 * DUMP_STATS_COUNT, tprof_stats, apic_id);
    SAME(0, tprof_reader, ring);
    SAME(DUMP_READER_SHIFT, tprof_reader, shift);
    SAME(DUMP_READER_PERIOD, tprof_reader, period);
    SAME(DUMP_READER_EPOCH, tprof_reader, epoch);
    SAME(DUMP_READER_FLAGS, tprof_reader, flags);
    CHECK(offsetof(struct tprof_cpu, recorder) -
              offsetof(struct tprof_cpu, reader) <=
          DUMP_READER_BEFORE);
    AGENT(DUMP_AGENT_HELLO, hello);
    AGENT(DUMP_AGENT_BOOT_ID, boot_id);
    AGENT(DUMP_AGENT_ORDERS, orders);
    AGENT(-(uint64_t)DUMP_AGENT_BEFORE, image.build_id);
}
