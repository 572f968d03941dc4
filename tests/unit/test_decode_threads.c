/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: from bytes written by hand to the sums of a profile. */
#include "check.h"

#include <string.h>

#include "diagnose/diagnose.h"
#include "profile/aggregate/aggregate.h"
#include "profile/decode/decode.h"
#include "profile/decode/fields.h"
#include "wiregen.h"

#define TEXT 0x400000u

/* WIRE.md 10: serial 3, id 0x1000, "Ping", running 60, ready 30 and blocked 10
 * of the time from 1000 to 1100, switched in 5 times, blocked now. */
static const uint8_t thread_body[] = {
    1, 1,    3, 2, 2, 0, 0x10, 3, 4,  'P', 'i', 'n', 'g', 5, 2,  0x4c, 4, 6,
    2, 0xe8, 3, 7, 1, 2, 8,    1, 60, 9,   1,   30,  10,  1, 10, 11,   1, 5};

/* WIRE.md 10: thread 3 blocked at text + 0x120, called before text + 0x110:
 * twice, for 700 ticks, at most 400; entry 9. */
static const uint8_t wait_body[] = {1,    1, 0, 2,    1, 3, 3, 3, 0xc0, 0x04,
                                    0x1f, 4, 1, 0,    5, 1, 2, 6, 2,    0xbc,
                                    2,    7, 2, 0x90, 1, 8, 1, 9};

/* WIRE.md 10: core 1, from 100 to 1100: 500 running, 300 idle, 200 unnamed; 7
 * switches; class 4 has 3 times, class 9 has 130. */
static const uint8_t sched_body[] = {
    1, 1, 1, 2,    2, 0x4c, 4, 3,   1,  100, 4, 1, 7, 5,    2, 0xf4,
    1, 6, 2, 0x2c, 1, 7,    1, 200, 10, 5,   4, 3, 9, 0x82, 1};

TEST(hand_written_thread_is_read) /* catches: fields mixed up */
{
    uint8_t bytes[sizeof thread_body];
    struct guest_thread t;

    CHECK(fields_thread(thread_body, sizeof thread_body, &t) == NULL);
    CHECK_EQ(t.serial, 3);
    CHECK_EQ(t.id, 0x1000);
    CHECK_STR(t.name, "Ping");
    CHECK_EQ(t.since, 1000);
    CHECK_EQ(t.now, 1100);
    CHECK_EQ(t.state, WIRE_IS_BLOCKED);
    CHECK_EQ(t.running, 60);
    CHECK_EQ(t.ready, 30);
    CHECK_EQ(t.blocked, 10);
    CHECK_EQ(t.switches, 5);
    CHECK_STR(fields_thread(thread_body, sizeof thread_body - 1, &t),
              "THREAD ends inside a field");
    memcpy(bytes, thread_body, sizeof bytes);
    bytes[26] = 61; /* one tick too many */
    CHECK_STR(fields_thread(bytes, sizeof bytes, &t),
              "THREAD whose running, ready and blocked time do not add up to "
              "its time");
}

/* The state of an ended thread is unknown, and so is that of a thread that has
 * had no event. Catches: ended threads that are refused */
TEST(times_of_an_ended_thread_are_read)
{
    uint8_t bytes[sizeof thread_body + 3];
    struct guest_thread t;

    memcpy(bytes, thread_body, sizeof thread_body);
    memcpy(bytes + sizeof thread_body, "\4\1\2", 3); /* ended */
    bytes[23] = WIRE_IS_UNKNOWN;
    CHECK(fields_thread(bytes, sizeof bytes, &t) == NULL);
    CHECK_EQ(t.now - t.since, 100);
    CHECK_EQ(t.running, 60);
    CHECK(fields_thread(bytes, sizeof thread_body, &t) != NULL);
    bytes[26] = bytes[29] = bytes[32] = 0; /* no event */
    CHECK(fields_thread(bytes, sizeof thread_body, &t) == NULL);
    CHECK_EQ(t.now, t.since);
}

TEST(hand_written_wait_is_read) /* catches: differences from a wrong base */
{
    struct guest_wait w;

    CHECK(fields_wait(wait_body, sizeof wait_body, TEXT, &w) == NULL);
    CHECK_EQ(w.kind, WIRE_WAIT_BLOCKED);
    CHECK_EQ(w.serial, 3);
    CHECK_EQ(w.depth, 2);
    CHECK_EQ(w.frames[0], TEXT + 0x120);
    CHECK_EQ(w.frames[1], TEXT + 0x110);
    CHECK_EQ(w.end, WIRE_END_ZERO);
    CHECK_EQ(w.count, 2);
    CHECK_EQ(w.time, 700);
    CHECK_EQ(w.longest, 400);
    CHECK_EQ(w.entry, 9);
}

TEST(hand_written_sched_is_read) /* catches: a histogram at wrong classes */
{
    struct guest_sched s;

    CHECK(fields_sched(sched_body, sizeof sched_body, &s) == NULL);
    CHECK_EQ(s.core, 1);
    CHECK_EQ(s.now - s.since, 1000);
    CHECK_EQ(s.switches, 7);
    CHECK_EQ(s.running, 500);
    CHECK_EQ(s.idle, 300);
    CHECK_EQ(s.unnamed, 200);
    CHECK_EQ(s.ready[4], 3);
    CHECK_EQ(s.ready[9], 130);
    CHECK_EQ(s.ready[5], 0);
}

TEST(chain_that_is_too_long_or_cut_is_refused) /* catches: an overrun */
{
    uint8_t body[2 + 17 + 3] = {3, 17};
    struct guest_wait w;

    memcpy(body + 19, "\5\1\1", 3); /* count 1 */
    CHECK_STR(fields_wait(body, sizeof body, TEXT, &w),
              "a chain of more than 16 addresses");
    body[1] = 16;
    body[17] = 0x80; /* no end */
    memcpy(body + 18, "\5\1\1", 3);
    CHECK_STR(fields_wait(body, 21, TEXT, &w), "a chain of addresses is cut");
    body[17] = 0;
    CHECK(fields_wait(body, 21, TEXT, &w) == NULL);
    CHECK_EQ(w.depth, 16);
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)e;
    return aggregate_hello(context, kind, g);
}

static struct aggregate *a;

/* The profile of the stream (w), which is released. */
static const struct profile *profile_of(struct wiregen *w)
{
    struct events events = aggregate_events;
    struct err e;

    aggregate_free(a);
    a = aggregate_new(&(struct aggregate_config){0});
    events.hello = on_hello;
    struct decode *d = decode_new(&events, a);

    CHECK_EQ(decode_feed(d, w->bytes, w->size, &e), 0);
    CHECK_EQ(decode_end(d, &e), 0);
    CHECK_EQ(decode_health(d)->malformed, 0);
    CHECK_EQ(decode_health(d)->unknown_frames, 0);
    CHECK_EQ(decode_health(d)->unknown_records, 0);
    decode_free(d);
    wiregen_fini(w);
    return aggregate_profile(a);
}

static struct wiregen stream(void)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.cores = 2,
                                              .tsc_hz = 1000000,
                                              .text_start = TEXT,
                                              .text_size = 0x10000});
    return w;
}

static void put_thread(struct wiregen *w, uint64_t serial, uint64_t id)
{
    wiregen_long_begin(w, WIRE_LONG_THREAD);
    wiregen_varint(w, serial);
    wiregen_varint(w, id);
    wiregen_long_end(w);
}

static void put_frame(struct wiregen *w, uint8_t type, const uint8_t *body,
                      size_t size)
{
    wiregen_open(w, type);
    wiregen_bytes(w, body, size);
    wiregen_close(w);
}

/* Samples of entry (i) of core 0, and the serial number of their thread. */
static void expect(const struct profile *p, size_t i, uint64_t samples,
                   uint64_t serial)
{
    const struct profile_entry *e = &p->cores[0].entries[i];
    uint32_t n = profile_stack(p, e->stack).thread;

    CHECK_EQ(e->tally.samples, samples);
    CHECK(n <= p->thread_count);
    CHECK_EQ(n == 0 ? 0 : p->threads[n - 1].serial, serial);
}

/* catches: a thread that goes on after BEGIN, and one stack for two threads */
TEST(samples_have_the_thread_that_ran)
{
    const uint64_t frames[] = {0x110}, counters[4] = {7};
    struct wiregen w = stream();

    wiregen_samples_begin(&w, &(struct wiregen_samples){.period = 1000});
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 1});
    wiregen_short(&w, 1, 1000, 0x20, 0); /* no thread is known yet */
    put_thread(&w, 3, 0x1000);
    wiregen_short(&w, 1, 1000, 0x20, 0);
    wiregen_long_sample(
        &w,
        &(struct wiregen_long){.dt = 1000, .id = 1, .leaf = 0x20, .weight = 1});
    put_thread(&w, 4, 0x1000); /* the same id, but another thread */
    wiregen_short(&w, 1, 1000, 0x20, 0);
    put_thread(&w, 3, 0x1000);
    wiregen_short(&w, 1, 1000, 0x20, 0);
    put_thread(&w, 0, 0); /* no thread */
    wiregen_short(&w, 1, 1000, 0x20, 0);
    put_thread(&w, 3, 0x1000);
    wiregen_begin(&w, 8000, 0, 1000, 0);
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 1});
    wiregen_short(&w, 1, 1000, 0x20, 0);
    wiregen_samples_end(&w, counters);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->cores[0].entry_count, 3);
    expect(p, 0, 3, 0);
    expect(p, 1, 3, 3);
    expect(p, 2, 1, 4);
    CHECK_EQ(p->thread_count, 2);
    CHECK(p->threads[0].sampled == 3000);
}

/* catches: a thread that goes on after a lost frame */
TEST(lost_frame_leaves_no_thread)
{
    const uint64_t counters[4] = {1}, more[4] = {2};
    struct wiregen w = stream();

    wiregen_samples_begin(&w, &(struct wiregen_samples){.period = 1000});
    put_thread(&w, 3, 0);
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1});
    wiregen_short(&w, 1, 1000, 0x20, 0);
    wiregen_samples_end(&w, counters);
    w.seq++;
    wiregen_samples_begin(&w,
                          &(struct wiregen_samples){.period = 1000, .time = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1});
    wiregen_short(&w, 1, 1000, 0x20, 0);
    wiregen_samples_end(&w, more);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->cores[0].entry_count, 2);
    expect(p, 0, 1, 3);
    expect(p, 1, 1, 0);
}

/* catches: sums that are added up again with each report */
TEST(sums_are_those_of_the_last_report_of_a_session)
{
    struct wiregen w = stream();
    uint8_t later[sizeof thread_body];

    memcpy(later, thread_body, sizeof later);
    later[15] = 0x9c; /* 80 ticks later, which it ran */
    later[26] = 140;
    put_frame(&w, WIRE_WAIT, wait_body, sizeof wait_body); /* comes first */
    put_frame(&w, WIRE_THREAD, thread_body, sizeof thread_body);
    put_frame(&w, WIRE_THREAD, later, sizeof later);
    put_frame(&w, WIRE_WAIT, wait_body, sizeof wait_body);
    put_frame(&w, WIRE_SCHED, sched_body, sizeof sched_body);
    put_frame(&w, WIRE_SCHED, sched_body, sizeof sched_body);
    w.seq = 0; /* another session: SINCE differs */
    wiregen_hello(&w, &(struct wiregen_hello){.cores = 2,
                                              .tsc_hz = 1000000,
                                              .text_start = TEXT,
                                              .text_size = 0x10000});
    later[15] = 0x4c;
    later[19] = 0xe7; /* one tick earlier */
    later[26] = 61;
    put_frame(&w, WIRE_THREAD, later, sizeof later);
    put_frame(&w, WIRE_WAIT, wait_body, sizeof wait_body);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->thread_count, 1);
    CHECK_STR(p->threads[0].name, "Ping");
    CHECK_EQ(p->threads[0].id, 0x1000);
    CHECK_EQ(p->threads[0].running, 140 + 61);
    CHECK_EQ(p->threads[0].ready, 60);
    CHECK_EQ(p->threads[0].blocked, 20);
    CHECK_EQ(p->threads[0].wall, 180 + 101);
    CHECK_EQ(p->threads[0].switches, 10);
    CHECK_EQ(p->wait_count, 1);
    CHECK_EQ(p->waits[0].thread, 1);
    CHECK_EQ(p->waits[0].count, 4);
    CHECK_EQ(p->waits[0].time, 1400);
    CHECK_EQ(p->waits[0].longest, 400);
    CHECK_EQ(profile_stack(p, p->waits[0].stack).frames[0], TEXT + 0x120);
    CHECK_EQ(profile_stack(p, p->waits[0].stack).frames[1], TEXT + 0x110);
    CHECK(p->cores[0].sched == NULL);
    CHECK_EQ(p->cores[1].sched->wall, 1000);
    CHECK_EQ(p->cores[1].sched->ready[9], 130);
}

static void report_thread(uint64_t now, uint64_t running, uint64_t blocked)
{
    aggregate_events.thread(a, &(struct guest_thread){.serial = 1,
                                                      .now = now,
                                                      .since = 0,
                                                      .running = running,
                                                      .blocked = blocked});
}

/* A core may have read its clock before another one that reported earlier.
 * catches: what comes back counts twice */
TEST(time_that_comes_back_counts_once)
{
    a = aggregate_new(&(struct aggregate_config){0});
    report_thread(100, 100, 0);
    report_thread(140, 60, 80);
    report_thread(200, 120, 80);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->threads[0].running, 120);
    CHECK_EQ(p->threads[0].blocked, 80);
    CHECK_EQ(p->threads[0].wall, 200);
    aggregate_free(a);
    a = NULL;
}

/* WIRE.md 10.2: serial 7, ended, NOW 0x300, SINCE 0x200, UNKNOWN, 100 running,
 * 156 blocked. catches: the sums of ended threads as malformed */
TEST(ended_thread_has_its_sums)
{
    static const uint8_t ended[] = {1, 1, 7, 4, 1, 2, 5, 2,   0,  3, 6,  2,
                                    0, 2, 7, 1, 3, 8, 1, 100, 10, 1, 156};
    struct guest_thread t;

    CHECK(fields_thread(ended, sizeof ended, &t) == NULL);
    CHECK_EQ(t.running, 100);
    CHECK_EQ(t.blocked, 156);
    CHECK_EQ(t.now - t.since, 256);
}

/* Let a guest run a million threads. Returns how many are kept. */
static size_t run_a_million(uint64_t memory)
{
    a = aggregate_new(&(struct aggregate_config){.memory_max = memory});
    size_t kept = 0;
    struct remarks remarks = {0};
    const struct view view = {0};

    for (uint64_t i = 1; i <= 1000000; i++)
        kept += aggregate_events.runs(a, i, 0) != 0;
    CHECK(aggregate_memory_left(a) < memory);
    CHECK_EQ(aggregate_profile(a)->thread_count, kept);
    CHECK_EQ(aggregate_profile(a)->refused_threads, 1000000 - kept);
    diagnose_memory(&remarks, aggregate_profile(a), &view, memory, true);
    CHECK_EQ(remarks.count, 1);
    CHECK(strstr(remarks.list[0].text, "had no room and are not shown"));
    aggregate_free(a);
    a = NULL;
    return kept;
}

/* catches: memory without a limit */
TEST(guest_with_a_million_threads_is_bounded)
{
    size_t few = run_a_million(1 << 20);

    CHECK(few > 1000 && few < 10000);
    CHECK_EQ(run_a_million(1 << 30), 65536);
}
