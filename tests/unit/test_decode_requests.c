/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: from bytes written by hand to the sums of a profile. */
#include <string.h>

#include "check.h"
#include "profile/aggregate/aggregate.h"
#include "profile/decode/decode.h"
#include "profile/decode/request_frames.h"
#include "wiregen.h"

/* WIRE.md 11.1: kind 2, "get", from 1000 to 3000: 5 requests of 700 ticks, 200
 * running, 100 ready and 300 blocked, at most 400; 1 is open, 9 had no room, 3
 * were slow, from 350 on. */
static const uint8_t request_body[] = {
    1, 1,    2,   2, 3,  'g',  'e', 't', 3,    2,    0xb8, 0x0b, 4,
    2, 0xe8, 3,   5, 1,  5,    6,   2,   0xbc, 2,    7,    1,    200,
    8, 1,    100, 9, 2,  0x2c, 1,   10,  2,    0x90, 1,    11,   1,
    1, 12,   1,   9, 13, 1,    3,   14,  2,    0x5e, 1};

/* Kind 2: buckets 384 to 386 have 3, 0 and 300 requests. */
static const uint8_t times_body[] = {1, 1, 2, 2, 2,    0x80, 1,
                                     3, 4, 3, 0, 0xac, 2};

/* WIRE.md 11.2: kind 2, request 77, from 1500 on, of 400 ticks, 50 running, 20
 * ready and 300 blocked, 250 of these in one wait, of entry 9; thread 3. */
static const uint8_t slow_body[] = {
    1, 1, 2,  2, 1, 77,   3, 2, 0xdc, 5,   4, 2, 0x90, 1,  5, 1, 50,
    6, 1, 20, 7, 2, 0x2c, 1, 8, 1,    250, 9, 1, 9,    10, 1, 3};

TEST(hand_written_request_is_read) /* catches: fields mixed up */
{
    struct guest_request r;

    CHECK(fields_request(request_body, sizeof request_body, &r) == NULL);
    CHECK_EQ(r.kind, 2);
    CHECK_STR(r.name, "get");
    CHECK_EQ(r.now - r.since, 2000);
    CHECK_EQ(r.count, 5);
    CHECK_EQ(r.times.time, 700);
    CHECK_EQ(r.times.running, 200);
    CHECK_EQ(r.times.ready, 100);
    CHECK_EQ(r.times.blocked, 300);
    CHECK_EQ(r.longest, 400);
    CHECK_EQ(r.open, 1);
    CHECK_EQ(r.refused, 9);
    CHECK_EQ(r.slow, 3);
    CHECK_EQ(r.limit, 350);
}

TEST(hand_written_times_are_read) /* catches: a bucket beside the right one */
{
    struct guest_request_times t;

    CHECK(fields_request_times(times_body, sizeof times_body, &t) == NULL);
    CHECK_EQ(t.kind, 2);
    CHECK_EQ(t.first, 384);
    CHECK_EQ(t.count, 3);
    CHECK_EQ(t.buckets[0], 3);
    CHECK_EQ(t.buckets[1], 0);
    CHECK_EQ(t.buckets[2], 300);
    CHECK_EQ(request_bucket_start(384), 512);
    CHECK_EQ(request_bucket_start(385), 516);
    CHECK_EQ(request_bucket_start(127), 127);
    CHECK_EQ(request_bucket_start(255), 255);
}

TEST(hand_written_slow_request_is_read) /* catches: fields mixed up */
{
    struct guest_slow s;

    CHECK(fields_slow(slow_body, sizeof slow_body, &s) == NULL);
    CHECK_EQ(s.kind, 2);
    CHECK_EQ(s.number, 77);
    CHECK_EQ(s.began, 1500);
    CHECK_EQ(s.times.time, 400);
    CHECK_EQ(s.times.running, 50);
    CHECK_EQ(s.times.ready, 20);
    CHECK_EQ(s.times.blocked, 300);
    CHECK(s.has_wait);
    CHECK_EQ(s.longest, 250);
    CHECK_EQ(s.wait, 9);
    CHECK_EQ(s.serial, 3);
}

/* catches: hostile numbers that are believed */
TEST(impossible_requests_are_refused)
{
    static const uint8_t kind_32[] = {1, 1, 32};
    static const uint8_t beyond[] = {2, 2, 0xff, 0x12, 3, 2, 1, 1};
    static const uint8_t far_beyond[] = {2, 4, 0, 0, 1, 0, 3, 1, 1};
    static const uint8_t cut[] = {3, 2, 1, 0x80};
    uint8_t bytes[sizeof request_body];
    struct guest_request_times t;
    struct guest_request r;
    struct guest_slow s;

    CHECK(fields_request(kind_32, sizeof kind_32, &r) != NULL);
    CHECK(fields_request_times(kind_32, sizeof kind_32, &t) != NULL);
    CHECK(fields_slow(kind_32, sizeof kind_32, &s) != NULL);
    CHECK_STR(fields_request_times(beyond, sizeof beyond, &t),
              "REQUEST_TIMES beyond the last bucket");
    CHECK_STR(fields_request_times(far_beyond, sizeof far_beyond, &t),
              "REQUEST_TIMES beyond the last bucket");
    CHECK_STR(fields_request_times(cut, sizeof cut, &t),
              "a histogram of requests is cut");
    for (size_t i = 1; i < sizeof slow_body; i++)
        (void)fields_slow(slow_body, i, &s);
    memcpy(bytes, request_body, sizeof bytes);
    bytes[31] = 0x91, bytes[32] = 1; /* 401 blocked of the 400 that are left */
    CHECK_STR(fields_request(bytes, sizeof bytes, &r),
              "REQUEST whose times are longer than their sum");
}

static void put_frame(struct wiregen *w, enum wire_type type,
                      const uint8_t *body, size_t length)
{
    wiregen_open(w, (uint8_t)type);
    wiregen_bytes(w, body, length);
    wiregen_close(w);
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
    struct decode *d;
    struct err e;

    a = aggregate_new(&(struct aggregate_config){0});
    events.hello = on_hello;
    d = decode_new(&events, a);
    CHECK(d != NULL);
    CHECK_EQ(decode_feed(d, w->bytes, w->size, &e), 0);
    CHECK_EQ(decode_end(d, &e), 0);
    CHECK_EQ(decode_health(d)->malformed, 0);
    CHECK_EQ(decode_health(d)->unknown_frames, 0);
    decode_free(d);
    wiregen_fini(w);
    return aggregate_profile(a);
}

static void put_hello(struct wiregen *w)
{
    wiregen_hello(w, &(struct wiregen_hello){.cores = 1,
                                             .tsc_hz = 1000000,
                                             .text_start = 0x400000,
                                             .text_size = 0x10000});
}

/* catches: sums that are added up again with each report, or lost with the
 * session */
TEST(sums_of_requests_are_those_of_the_last_report_of_a_session)
{
    static const uint8_t wait_body[] = {1, 1, 0, 2, 1, 3,   5, 1, 1, 6,
                                        2, 0, 1, 7, 1, 250, 8, 1, 9};
    uint8_t later[sizeof request_body];
    struct wiregen w = {0};

    put_hello(&w);
    for (int i = 0; i < 2; i++) {
        put_frame(&w, WIRE_REQUEST, request_body, sizeof request_body);
        put_frame(&w, WIRE_REQUEST_TIMES, times_body, sizeof times_body);
    }
    put_frame(&w, WIRE_SLOW, slow_body, sizeof slow_body);
    put_frame(&w, WIRE_WAIT, wait_body, sizeof wait_body); /* comes later */
    w.seq = 0;                                             /* a session */
    put_hello(&w);
    memcpy(later, request_body, sizeof later);
    later[14] = 0xe7; /* SINCE is one tick earlier */
    put_frame(&w, WIRE_REQUEST, later, sizeof later);
    put_frame(&w, WIRE_REQUEST_TIMES, times_body, sizeof times_body);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->request_count, 3);
    CHECK_EQ(p->requests[1].wall, 0);
    CHECK_EQ(p->requests[2].count, 10);
    CHECK_EQ(p->requests[2].wall, 4001);
    CHECK_EQ(p->requests[2].times.time, 1400);
    CHECK_EQ(p->requests[2].times.blocked, 600);
    CHECK_EQ(p->requests[2].longest, 400);
    CHECK_EQ(p->requests[2].buckets[386], 600);
    CHECK_EQ(p->requests[2].told, 1);
    CHECK_EQ(p->slow_count, 1);
    CHECK_EQ(p->slow[0].number, 77);
    CHECK_EQ(p->threads[p->slow[0].thread - 1].serial, 3);
    aggregate_free(a);
}

/* catches: samples of the request before, or of no request */
TEST(samples_belong_to_the_request_of_the_record_before_them)
{
    static const struct {
        uint8_t type;
        uint64_t a, b;
        uint32_t request; /* of the sample that follows */
    } records[] = {
        {WIRE_LONG_REQUEST, 2, 77, 3}, {WIRE_LONG_REQUEST, 0, 78, 1},
        {WIRE_LONG_THREAD, 5, 50, 0},  {WIRE_LONG_REQUEST, 31, 1, 32},
        {WIRE_LONG_REQUEST, 2, 0, 0},
    };
    const uint64_t counters[4] = {6};
    struct wiregen w = {0};

    put_hello(&w);
    wiregen_samples_begin(&w, &(struct wiregen_samples){.period = 1000});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1});
    wiregen_short(&w, 1, 1000, 0x20, 0);
    for (uint64_t i = 0; i < sizeof records / sizeof *records; i++) {
        wiregen_long_begin(&w, records[i].type);
        wiregen_varint(&w, records[i].a);
        wiregen_varint(&w, records[i].b);
        wiregen_long_end(&w);
        wiregen_short(&w, 1, 1000, (uint32_t)(0x100 + i), 0);
    }
    wiregen_samples_end(&w, counters);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->cores[0].entry_count, 6);
    for (size_t i = 0; i < p->cores[0].entry_count; i++) {
        const struct profile_entry *e = &p->cores[0].entries[i];
        uint64_t at = e->leaf - 0x400100;

        CHECK_EQ(profile_stack(p, e->stack).request,
                 at < 5 ? records[at].request : 0);
    }
    aggregate_free(a);
}

/* catches: memory without a limit; the slowest that are not kept */
TEST(guest_with_a_million_slow_requests_is_bounded)
{
    a = aggregate_new(&(struct aggregate_config){.memory_max = 1 << 24});
    for (uint64_t i = 0; i < 1000000; i++)
        aggregate_events.slow(
            a, &(struct guest_slow){.kind = (uint8_t)(i % 32),
                                    .number = i + 1,
                                    .times = {.time = i * 7919 % 1000003}});
    const struct profile *p = aggregate_profile(a);
    uint64_t least = UINT64_MAX;

    CHECK_EQ(p->slow_count, 1024);
    for (size_t i = 0; i < p->slow_count; i++)
        least = p->slow[i].times.time < least ? p->slow[i].times.time : least;
    CHECK(least > 998000);
    aggregate_free(a);
}

/* catches: samples of another request with the number of a slow one */
TEST(sample_of_a_slow_request_is_of_its_time_and_kind)
{
    const struct profile_slow list[] = {
        {.kind = 1, .number = 7, .began = 10, .times.time = 5},
        {.kind = 2, .number = 77, .began = 10, .times.time = 5},
        {.kind = 2, .number = 77, .began = 100, .times.time = 50},
    };
    const struct slow_set set = {list, 3};
    const struct sample first = {.tsc = 1000, .weight = 1};
    const struct sample_batch batch = {.samples = &first, .count = 1};
    uint32_t (*of)(void *, uint32_t, uint64_t, uint64_t) =
        aggregate_events.request_of;

    a = aggregate_new(&(struct aggregate_config){.slow = &set});
    CHECK_EQ(aggregate_hello(a, HELLO_FIRST, &(struct guest){.cores = 1}), 0);
    aggregate_samples(a, &batch);
    CHECK_EQ(of(a, 2, 77, 1012), 3 + WIRE_REQUEST_KINDS);
    CHECK_EQ(of(a, 2, 77, 1100), 3 + WIRE_REQUEST_KINDS);
    CHECK_EQ(of(a, 2, 77, 1150), 3 + WIRE_REQUEST_KINDS);
    CHECK_EQ(of(a, 2, 77, 1016), 3); /* between both */
    CHECK_EQ(of(a, 2, 77, 1151), 3);
    CHECK_EQ(of(a, 1, 77, 1012), 2);
    CHECK_EQ(of(a, 2, 7, 1012), 3);
    CHECK_EQ(of(a, 1, 7, 1012), 2 + WIRE_REQUEST_KINDS);
    CHECK_EQ(of(a, 1, 8, 1012), 2);
    aggregate_free(a);
    a = aggregate_new(&(struct aggregate_config){0}); /* without a set */
    aggregate_samples(a, &batch);
    CHECK_EQ(of(a, 2, 77, 1012), 3);
    aggregate_free(a);
}
