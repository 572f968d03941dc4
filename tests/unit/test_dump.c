/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a dead guest against the stream that the same guest sent while
 * it lived: an agent runs in this process, and its memory is written to a file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "decoded.h"
#include "dump/dump_directory.h"
#include "dump/dump_stream.h"
#include "guest/talk/talk.h"
#include "machine.h"
#include "one_way.h"
#include "state/agent.h"
#include "state/directory.h"

#define CORES      2u
#define HZ         1000000u
/* Ticks, a millisecond apart, of which a ring holds nearly 512. Each second
 * stacks are described anew: in the first case that is in the ring, in the
 * second it is not. */
#define TICKS      1400u
#define TICKS_LONG 1900u
/* At least so many of TICKS follow the stacks, which are sent anew after 1,000
 * ticks: when the pump is next called, and has finished its frame. */
#define TICKS_LEFT 340u

static uint32_t ring_bytes = 4096;
static uint64_t clock_hz = HZ;        /* that the guest knows of */
static uint64_t tick_tsc = HZ / 1000; /* from tick to tick of its kernel */
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

static uint64_t frames[8]; /* the guest's stack */

/* The guest boots. */
static void boot(const struct tprof_channel *channel, uint32_t always)
{
    config =
        (struct tprof_config){.timer = TPROF_TIMER_KERNEL,
                              .kernel_hz = 1000,
                              .rate_hz = 1000,
                              .tsc_hz = clock_hz,
                              .cpus = CORES,
                              .ring_bytes = ring_bytes,
                              .dict_slots = 64,
                              .always = always,
                              .channel = channel,
                              .readable = {{(uintptr_t)frames, sizeof frames}},
                              .seed = 1};
    one_way_init(&config, take);
    for (uint32_t i = 0; i < CORES; i++) {
        tprof_machine.core = i;
        tprof_machine.cores[i].hardware_id = 16 * i;
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
}

/* What the guest does at its (t)th tick. */
static uint64_t leaf_at(uint64_t t)
{
    return tprof_agent.hello[WIRE_HELLO_TEXT_START] + t % 7;
}

static uint64_t caller_at(uint64_t t)
{
    return tprof_agent.hello[WIRE_HELLO_TEXT_START] + 16 * (t / 100 % 3 + 1);
}

/* Tick number (from) to below (to), of each core. */
static void run(uint32_t from, uint32_t to)
{
    for (uint32_t t = from; t < to; t++) {
        frames[5] = caller_at(t);
        tprof_machine.now = (uint64_t)(t + 1) * tick_tsc;
        for (uint32_t i = 0; i < CORES; i++) {
            const struct tprof_regs regs = {leaf_at(t), (uintptr_t)&frames[0],
                                            (uintptr_t)&frames[4]};

            tprof_machine.core = i;
            tprof_tick(&regs);
        }
    }
}

/* A guest that has run for a while, and what its host knows of it. */
static void live(uint32_t ticks)
{
    boot(NULL, 0);
    run(0, ticks);
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
    uint64_t image;    /* the image's physical ones, less those of memory */
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
                               start + told.physical + (i > 0 ? told.image : 0),
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

static char cut[96];    /* what the last dump that was buried lacks */
static uint32_t unread; /* of so many cores a part of the ring */

/* Decodes what is in (f); its error in (error), if it is no dump. */
static void bury(FILE *f)
{
    static uint8_t bytes[1u << 20];
    size_t size = 0;
    const struct dump_frame *frame;
    struct dump_memory *m = dump_memory_new(fileno(f), &error);
    struct dump_stream *s = m != NULL ? dump_stream_new(m, &error) : NULL;

    memset(&seen, 0, sizeof seen);
    cut[0] = '\0';
    if (s != NULL && dump_memory_cut(m) != NULL)
        (void)snprintf(cut, sizeof cut, "%s", dump_memory_cut(m));
    while (s != NULL && (frame = dump_stream_next(s)) != NULL) {
        CHECK(size + frame->used <= sizeof bytes);
        memcpy(bytes + size, frame->bytes, frame->used);
        size += frame->used;
    }
    if (s != NULL)
        CHECK_EQ(decode_pieces(bytes, size, 4096), 0);
    unread = s != NULL ? dump_stream_unread(s) : 0;
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
    CHECK_EQ(seen.stats.core, CORES - 1); /* the last */
    CHECK_EQ(seen.stats.apic_id, 16 * (CORES - 1));
    for (uint32_t i = 0; i < CORES; i++)
        same_end(i, least, stacks);
}

TEST(dump_has_the_last_samples_of_each_core)
{
    live(TICKS);
    bury(dump((struct told){0, true, 0}));
    same_guest(TICKS_LEFT, true);
}

/* A core that has sampled for longer than its ring holds. */
TEST(stacks_that_are_out_of_the_ring_are_unknown)
{
    live(TICKS_LONG);
    bury(dump((struct told){0, true, 0}));
    same_guest(480, false);
}

/* As a raw file has it, of a kernel that does not lie where it runs. */
TEST(rings_are_found_at_whatever_physical_address)
{
    live(TICKS);
    bury(dump((struct told){0x123000, false, 0}));
    same_guest(TICKS_LEFT, true);
    bury(dump((struct told){0x123000, true, 0}));
    same_guest(TICKS_LEFT, true);
}

/* As a kernel has it that maps memory elsewhere than its image. */
TEST(agent_is_found_where_its_rings_are_not)
{
    live(TICKS);
    bury(dump((struct told){0x123000, false, 0x45000}));
    same_guest(TICKS_LEFT, true);
    bury(dump((struct told){0, false, -(uint64_t)0x45000}));
    same_guest(TICKS_LEFT, true);
}

TEST(what_is_no_dump_is_told)
{
    static uint8_t zeros[65536];
    FILE *f = tmpfile();

    CHECK_EQ(fwrite(zeros, sizeof zeros, 1, f), 1);
    CHECK_EQ(fflush(f), 0);
    bury(f);
    CHECK(strstr(error.text, "has no agent in it") != NULL);
    for (int flat = 0; flat < 2; flat++) {
        f = tmpfile();
        CHECK(f != NULL && fputs(flat ? "makedumpfile" : "KDUMP   ", f) >= 0);
        CHECK_EQ(fwrite(zeros, sizeof zeros, 1, f), 1);
        CHECK_EQ(fflush(f), 0);
        bury(f);
        CHECK(strstr(error.text, flat ? "flattened" : "pages") != NULL);
    }
    live(TICKS);
    tprof_directory.version++;
    bury(dump((struct told){0, true, 0}));
    CHECK(strstr(error.text, "version 6") != NULL);
    bury(tmpfile());
    CHECK(strstr(error.text, "too short") != NULL);
}

/* When (good) reads of a ring's words have been as they are in the file, their
 * counts are (count), or they fail. */
static struct {
    enum { FILE_IS_READ, FILE_CHANGES, FILE_FAILS } then;
    unsigned good;
    uint8_t count;
} file_reads;

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
    ssize_t n = __real_pread(fd, to, size, at);

    if (file_reads.then == FILE_IS_READ || size != 8 * DUMP_RING_BLOCK)
        return n;
    if (file_reads.good > 0) {
        file_reads.good--;
        return n;
    }
    if (file_reads.then == FILE_FAILS)
        return 0;
    for (ssize_t i = 7; i < n; i += 8)
        ((uint8_t *)to)[i] = file_reads.count;
    return n;
}

/* catches: records of 0 words, among which nothing moves; records that end
 * behind the tail, which is never met then */
TEST(ring_that_changes_while_it_is_read_ends_where_it_is_no_ring)
{
    static const uint8_t counts[] = {0, 1, 7, 200, 255};

    ring_bytes = 4 * 8 * DUMP_RING_BLOCK;
    live(TICKS);
    for (size_t i = 0; i < sizeof counts; i++) {
        for (unsigned good = 0; good < 40; good++) {
            file_reads.then = FILE_CHANGES;
            file_reads.good = good;
            file_reads.count = counts[i];
            bury(dump((struct told){0, true, 0}));
        }
    }
    file_reads.then = FILE_IS_READ;
    bury(dump((struct told){0, true, 0}));
    same_guest(TICKS - 100, true);
}

/* catches: samples that are missing without a word */
TEST(what_of_a_ring_cannot_be_read_is_told)
{
    ring_bytes = 4 * 8 * DUMP_RING_BLOCK;
    live(TICKS);
    bury(dump((struct told){0, true, 0}));
    CHECK_EQ(unread, 0);
    file_reads.then = FILE_FAILS;
    file_reads.good = 1;
    bury(dump((struct told){0, true, 0}));
    CHECK_EQ(unread, CORES);
}

/* catches: a core that is cut, taken for a whole one */
TEST(core_that_is_cut_says_how_much_is_there)
{
    const uint64_t heads = 64 + 4 * 56;
    uint64_t memory;
    char told[96];
    FILE *f;

    live(TICKS);
    f = dump((struct told){0, true, 0});
    memory = (uint64_t)lseek(fileno(f), 0, SEEK_END) - heads;
    bury(f);
    CHECK_STR(cut, "");
    f = dump((struct told){0, true, 0});
    CHECK_EQ(ftruncate(fileno(f), (off_t)(heads + memory - 10)), 0);
    bury(f);
    CHECK(memory > 10000 && memory < 1000000);
    (void)snprintf(told, sizeof told,
                   "is cut: %" PRIu64 ",%03" PRIu64 " of %" PRIu64 ",%03" PRIu64
                   " bytes of memory are in it",
                   (memory - 10) / 1000, (memory - 10) % 1000, memory / 1000,
                   memory % 1000);
    CHECK_STR(cut, told);
    CHECK_EQ(seen.account[0].unknown_stack, 0);
    f = dump((struct told){0, true, 0});
    CHECK_EQ(ftruncate(fileno(f), (off_t)heads + 100), 0);
    bury(f);
    CHECK(strstr(error.text, "is cut: 100 of ") != NULL);
    f = dump((struct told){0, true, 0});
    CHECK_EQ(ftruncate(fileno(f), (off_t)heads), 0);
    bury(f);
    CHECK_STR(error.text, "is cut: it contains no memory");
}

/* A host that comes and goes. */
static bool here;
static uint8_t orders[COMMAND_MAX];
static size_t orders_size;

static int is_here(void *context)
{
    (void)context;
    return here;
}

static int hear(void *context, void *data, uint32_t size)
{
    size_t n = orders_size < size ? orders_size : size;

    (void)context;
    memcpy(data, orders, n);
    orders_size = 0;
    return here ? (int)n : TPROF_ERR_CLOSED;
}

static const struct tprof_channel two_way = {.flags = TPROF_CHANNEL_IRQ_SAFE,
                                             .open = is_here,
                                             .send = take,
                                             .receive = hear};

/* The dump has every sample of (core) up to tick (end), for half a ring or
 * more, each with its stack. */
static void same_flight(uint32_t core, uint32_t end)
{
    size_t at = seen.samples_n, count = 0;
    const struct seen_sample *s;

    for (uint64_t t = end; (s = last_of(&seen, core, &at)) != NULL; count++) {
        const struct seen_stack *k = &seen.stacks[s->sample.stack - 1];

        t--;
        CHECK_EQ(s->sample.tsc / 1000, t + 1);
        CHECK_EQ(s->sample.leaf, leaf_at(t));
        CHECK_EQ(k->stack.depth, 1);
        CHECK_EQ(k->frames[0], caller_at(t));
    }
    CHECK(count >= 512 / 2 - 64);
    CHECK_EQ(seen.account[core].unknown_stack, 0);
    CHECK_EQ(seen.account[core].violations, 0);
    CHECK_EQ(seen.account[core].ring_full, 0);
}

/* However long it flies: dictionaries are begun anew somewhere in the ring. */
TEST(flight_recorder_keeps_the_last_half_of_its_ring_with_all_stacks)
{
    boot(&two_way, 1);
    for (uint32_t t = 0; t < 5000; t += 37) {
        run(t, t + 37);
        if (t < 600)
            continue;
        bury(dump((struct told){0, true, 0}));
        same_flight(0, t + 37);
        same_flight(1, t + 37);
    }
    CHECK_EQ(sent_size, 0);
}

TEST(flight_recorder_is_off_unless_it_is_asked_for)
{
    struct tprof_stats stats;

    boot(&two_way, 0);
    run(0, 1000);
    CHECK_EQ(tprof_get_stats(0, &stats), TPROF_OK);
    CHECK_EQ(stats.ticks, 0);
}

/* A host gets what came since it asked, and the flight goes on without it. */
TEST(host_takes_over_from_the_flight_recorder)
{
    const struct command start = {.type = WIRE_START, .rate_hz = 1000};
    struct tprof_stats before, after;

    boot(&two_way, 1);
    run(0, 3000);
    here = true;
    run(3000, 4000); /* it has not asked yet */
    CHECK_EQ(tprof_get_stats(0, &before), TPROF_OK);
    CHECK(before.ticks > 2900 && before.ticks < 3300);
    orders_size = command_encode(&start, 0, orders);
    run(4000, 5000);
    CHECK_EQ(tprof_get_stats(0, &after), TPROF_OK);
    CHECK(after.ticks > before.ticks + 900);
    CHECK_EQ(decode_pieces(sent, sent_size, 4096), 0);
    CHECK(seen.samples_n > 2 * 800 && seen.samples_n <= 2 * 1000);
    for (size_t i = 0; i < seen.samples_n; i++)
        CHECK(seen.samples[i].sample.tsc > 4000 * 1000);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK_EQ(seen.account[0].unknown_stack, 0);
    here = false;
    run(5000, 8000);
    bury(dump((struct told){0, true, 0}));
    same_flight(0, 8000);
    same_flight(1, 8000);
}

/* The host has measured the clock, and asks for more samples than the kernel
 * has ticks: a period is that of the ticks. Catches: a clock that is 4 times
 * fast */
TEST(clock_that_a_host_has_measured_is_that_of_the_kernels_ticks)
{
    const uint64_t hz = 3000000000;
    const struct command start = {
        .type = WIRE_START, .rate_hz = 4000, .period_tsc = hz / 4000};

    clock_hz = 0;
    tick_tsc = hz / 1000;
    boot(&two_way, 0);
    here = true;
    run(0, 100);
    orders_size = command_encode(&start, 0, orders);
    run(100, 600);
    bury(dump((struct told){0, true, 0}));
    CHECK_EQ(seen.guest.tsc_hz, hz);
    CHECK(seen.samples_n > 2 * 300);
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
    SAME(DUMP_CPU_RECORDER, tprof_cpu, recorder);
    SAME(DUMP_CPU_HARDWARE_ID, tprof_cpu, hardware_id);
    SAME(DUMP_CPU_FACTS, tprof_cpu, facts);
    AGENT(DUMP_AGENT_HELLO, hello);
    AGENT(DUMP_AGENT_BOOT_ID, boot_id);
    AGENT(DUMP_AGENT_CORE, core);
    AGENT(DUMP_AGENT_ORDERS, orders);
    AGENT(-(uint64_t)DUMP_AGENT_BEFORE, image.build_id);
}
