/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks: from bytes written by hand to the sums of a profile. */
#include "check.h"

#include <string.h>

#include "profile/aggregate/aggregate.h"
#include "profile/decode/decode.h"
#include "profile/decode/fields.h"
#include "wiregen.h"

#define TEXT 0x400000u

/* WIRE.md 12: the lock "q" at 0x5000, from 1000 to 1100: 9 acquires, 2 threads
 * wait, at most 3; held for 5. Three waits of 70, 20 of it ready and 30
 * blocked, from 10 to 40. Eight holds of 60, 5 of it ready, from 1 to 20. */
static const uint8_t lock_body[] = {
    1,  2,  0, 0x50, 2,  1,  'q', 3,  2, 0x4c, 4,  4, 2,  0xe8, 3,  5,
    1,  9,  6, 1,    2,  7,  1,   3,  8, 1,    5,  9, 1,  4,    10, 1,
    3,  11, 1, 70,   12, 1,  20,  13, 1, 30,   14, 1, 10, 15,   1,  40,
    16, 1,  8, 17,   1,  60, 18,  1,  5, 20,   1,  1, 21, 1,    20};

/* WIRE.md 12: entry 7, thread 3 waited for the lock at 0x5000 at text + 0x120,
 * called before text + 0x110: twice, for 50, 30 of it blocked, from 10 to 40 */
static const uint8_t wait_body[] = {
    1, 2, 0, 0x50, 2, 1, 0,  3, 1,  3,  4, 3,  0xc0, 4, 0x1f, 5,  1, 0,
    6, 1, 7, 10,   1, 2, 11, 1, 50, 13, 1, 30, 14,   1, 10,   15, 1, 40};

TEST(hand_written_lock_is_read) /* catches: fields mixed up */
{
    struct guest_lock l;

    CHECK(fields_lock(lock_body, sizeof lock_body, &l) == NULL);
    CHECK_EQ(l.address, 0x5000);
    CHECK_STR(l.name, "q");
    CHECK_EQ(l.since, 1000);
    CHECK_EQ(l.now, 1100);
    CHECK_EQ(l.acquires, 9);
    CHECK_EQ(l.waiting, 2);
    CHECK_EQ(l.most_waiting, 3);
    CHECK(l.is_held);
    CHECK_EQ(l.holding, 5);
    CHECK_EQ(l.untimed, 4);
    CHECK_EQ(l.waits.count, 3);
    CHECK_EQ(l.waits.time, 70);
    CHECK_EQ(l.waits.ready, 20);
    CHECK_EQ(l.waits.blocked, 30);
    CHECK_EQ(l.waits.least, 10);
    CHECK_EQ(l.waits.longest, 40);
    CHECK_EQ(l.holds.count, 8);
    CHECK_EQ(l.holds.time, 60);
    CHECK_EQ(l.holds.ready, 5);
    CHECK_EQ(l.holds.blocked, 0);
    CHECK_EQ(l.holds.longest, 20);
    CHECK_STR(fields_lock(lock_body, sizeof lock_body - 1, &l),
              "LOCK ends inside a field");
}

TEST(hand_written_wait_for_a_lock_is_read) /* catches: a wrong base */
{
    struct guest_lock_wait w;

    CHECK(fields_lock_wait(wait_body, sizeof wait_body, TEXT, &w) == NULL);
    CHECK_EQ(w.address, 0x5000);
    CHECK_EQ(w.kind, WIRE_LOCK_WAITED);
    CHECK_EQ(w.serial, 3);
    CHECK_EQ(w.depth, 2);
    CHECK_EQ(w.frames[0], TEXT + 0x120);
    CHECK_EQ(w.frames[1], TEXT + 0x110);
    CHECK_EQ(w.end, WIRE_END_ZERO);
    CHECK_EQ(w.entry, 7);
    CHECK_EQ(w.waits.count, 2);
    CHECK_EQ(w.waits.time, 50);
    CHECK_EQ(w.waits.blocked, 30);
}

/* The text about lock_body after the byte (at) was set to (value). */
static const char *wrong_with(size_t at, uint8_t value)
{
    static uint8_t bytes[sizeof lock_body];
    struct guest_lock l;

    memcpy(bytes, lock_body, sizeof bytes);
    bytes[at] = value;
    return fields_lock(bytes, sizeof bytes, &l);
}

/* The index of the value of field (tag) in lock_body. */
static size_t value_of(uint8_t tag)
{
    size_t at = 0;

    while (lock_body[at] != tag)
        at += 2u + lock_body[at + 1];
    return at + 2;
}

/* catches: times that a report would show although they cannot be */
TEST(impossible_locks_are_refused)
{
    static const struct {
        uint8_t tag, value;
    } wrong[] = {
        {12, 41},           /* READY + BLOCKED > TIME */
        {13, 51}, {14, 41}, /* LEAST > LONGEST */
        {15, 71},           /* LONGEST > TIME */
        {17, 4},            /* TIME of holds < READY */
        {21, 61},
    };

    CHECK(wrong_with(value_of(12), 40) == NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_STR(wrong_with(value_of(wrong[i].tag), wrong[i].value),
                  "LOCK whose times contradict each other");
    CHECK_STR(wrong_with(value_of(17), 101),
              "LOCK that was held for longer than its time");
    CHECK_STR(wrong_with(value_of(4) + 1, 5),
              "LOCK whose sums end before they begin");
    uint8_t bytes[sizeof wait_body];
    struct guest_lock_wait w;

    memcpy(bytes, wait_body, sizeof bytes);
    bytes[6] = 2;
    CHECK_STR(fields_lock_wait(bytes, sizeof bytes, TEXT, &w),
              "LOCK_WAIT of an unknown kind");
}

/* --- Sums ----------------------------------------------------------------- */

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
    decode_free(d);
    wiregen_fini(w);
    return aggregate_profile(a);
}

static void put_hello(struct wiregen *w)
{
    wiregen_hello(w, &(struct wiregen_hello){.cores = 2,
                                             .tsc_hz = 1000000,
                                             .text_start = TEXT,
                                             .text_size = 0x10000});
}

/* A LOCK that counts since (since): (waits) waits of (each). */
static void put_lock(struct wiregen *w, uint64_t since, uint64_t waits,
                     uint64_t each)
{
    wiregen_open(w, WIRE_LOCK);
    wiregen_field(w, WIRE_LOCK_ADDRESS, 0x5000, 8);
    wiregen_field(w, WIRE_LOCK_SINCE, since, 8);
    wiregen_field(w, WIRE_LOCK_NOW, since + 100 * waits, 8);
    wiregen_field(w, WIRE_LOCK_ACQUIRES, 2 * waits, 8);
    wiregen_field(w, WIRE_LOCK_WAITS + WIRE_LOCK_COUNT, waits, 8);
    wiregen_field(w, WIRE_LOCK_WAITS + WIRE_LOCK_TIME, waits * each, 8);
    wiregen_field(w, WIRE_LOCK_WAITS + WIRE_LOCK_LEAST, each, 8);
    wiregen_field(w, WIRE_LOCK_WAITS + WIRE_LOCK_LONGEST, each, 8);
    wiregen_close(w);
}

/* Waits of entry (entry) for the same lock. */
static void put_wait(struct wiregen *w, uint8_t kind, uint32_t entry,
                     uint64_t count, uint64_t each)
{
    static const uint8_t chain[] = {0xc0, 4};

    wiregen_open(w, WIRE_LOCK_WAIT);
    wiregen_field(w, WIRE_LOCK_WAIT_ADDRESS, 0x5000, 8);
    wiregen_field(w, WIRE_LOCK_WAIT_KIND, kind, 1);
    wiregen_field(w, WIRE_LOCK_WAIT_SERIAL, 3, 4);
    wiregen_field_bytes(w, WIRE_LOCK_WAIT_STACK, chain, sizeof chain);
    wiregen_field(w, WIRE_LOCK_WAIT_ENTRY, entry, 4);
    wiregen_field(w, WIRE_LOCK_WAIT_TIMES + WIRE_LOCK_COUNT, count, 8);
    wiregen_field(w, WIRE_LOCK_WAIT_TIMES + WIRE_LOCK_TIME, count * each, 8);
    wiregen_field(w, WIRE_LOCK_WAIT_TIMES + WIRE_LOCK_LEAST, each, 8);
    wiregen_field(w, WIRE_LOCK_WAIT_TIMES + WIRE_LOCK_LONGEST, each, 8);
    wiregen_close(w);
}

/* catches: cumulative sums that are added up; a session that replaces the
 * earlier one; the sums of an older report */
TEST(sums_of_reports_grow_and_those_of_sessions_add_up)
{
    struct wiregen w = {0};

    put_hello(&w);
    put_lock(&w, 1000, 2, 30);
    put_lock(&w, 1000, 5, 30);
    put_lock(&w, 1000, 4, 30);
    put_lock(&w, 9000, 3, 20);
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->lock_count, 1);
    CHECK_EQ(p->locks[0].address, 0x5000);
    CHECK_EQ(p->locks[0].wall, 800);
    CHECK_EQ(p->locks[0].acquires, 16);
    CHECK_EQ(p->locks[0].waits.count, 8);
    CHECK_EQ(p->locks[0].waits.time, 210);
    CHECK_EQ(p->locks[0].waits.least, 20);
    CHECK_EQ(p->locks[0].waits.longest, 30);
}

/* catches: waits of two kinds or entries that are one */
TEST(waits_are_by_lock_kind_and_stack)
{
    struct wiregen w = {0};

    put_hello(&w);
    put_wait(&w, WIRE_LOCK_WAITED, 7, 2, 10);
    put_wait(&w, WIRE_LOCK_WAITED, 7, 3, 10);
    put_wait(&w, WIRE_LOCK_HELD, 8, 1, 40);
    put_wait(&w, WIRE_LOCK_WAITED, 9, 1, 5); /* with the stack of entry 7 */
    const struct profile *p = profile_of(&w);

    CHECK_EQ(p->lock_count, 1); /* although its LOCK was lost */
    CHECK_EQ(p->lock_wait_count, 2);
    CHECK_EQ(p->lock_waits[0].kind, WIRE_LOCK_WAITED);
    CHECK_EQ(p->lock_waits[0].waits.count, 4);
    CHECK_EQ(p->lock_waits[0].waits.time, 35);
    CHECK_EQ(p->lock_waits[0].waits.least, 5);
    CHECK_EQ(p->lock_waits[1].kind, WIRE_LOCK_HELD);
    CHECK_EQ(p->lock_waits[1].waits.time, 40);
    CHECK_EQ(p->threads[p->lock_waits[0].thread - 1].serial, 3);
    CHECK_EQ(profile_stack(p, p->lock_waits[0].stack).frames[0], TEXT + 0x120);
}
