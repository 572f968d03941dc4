/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of a guest's work: from bytes written by hand to what a unit takes.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "diagnose/work_share.h"
#include "profile/aggregate/aggregate.h"
#include "profile/decode/fields.h"

#define HZ 1000000u

/* WIRE.md 9: counter 1, "hits", 1000 units at 5000, 600 at 2000. */
static const uint8_t body[] = {1, 1,    1,    2, 4, 'h',  'i',  't',  's',
                               3, 2,    0xe8, 3, 4, 2,    0x88, 0x13, 5,
                               2, 0x58, 2,    6, 2, 0xd0, 7};

TEST(hand_written_progress_is_read) /* catches: fields mixed up */
{
    struct guest_progress p;
    const uint8_t ninth[] = {1, 1, 8};

    CHECK(fields_progress(body, sizeof body, &p) == NULL);
    CHECK_EQ(p.counter, 1);
    CHECK_STR(p.name, "hits");
    CHECK_EQ(p.units, 1000);
    CHECK_EQ(p.tsc, 5000);
    CHECK_EQ(p.began_units, 600);
    CHECK_EQ(p.began_tsc, 2000);
    CHECK_STR(fields_progress(ninth, sizeof ninth, &p),
              "PROGRESS of a counter with a number above 7");
    CHECK_STR(fields_progress(body, sizeof body - 1, &p),
              "PROGRESS ends inside a field");
}

static void hello(struct aggregate *a, enum hello_kind kind, uint8_t boot)
{
    struct guest g = {.cores = 1, .tsc_hz = HZ, .boot_id = {boot}};

    CHECK_EQ(aggregate_hello(a, kind, &g), 0);
}

static struct aggregate *start(void)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    CHECK(a != NULL);
    hello(a, HELLO_FIRST, 1);
    return a;
}

/* (counter) was (began) when sampling started, and is (units) after (ticks). */
static void tell(struct aggregate *a, uint8_t counter, const char *name,
                 uint64_t began, uint64_t units, uint64_t ticks)
{
    struct guest_progress p = {.counter = counter,
                               .units = units,
                               .tsc = 7000 + ticks,
                               .began_units = began,
                               .began_tsc = 7000};

    memcpy(p.name, name, strlen(name) + 1);
    aggregate_events.progress(a, &p);
}

static void expect(struct aggregate *a, size_t i, const char *name,
                   uint64_t units, uint64_t ticks)
{
    const struct profile *p = aggregate_profile(a);

    CHECK(i < p->work_count);
    CHECK_STR(p->work[i].name, name);
    CHECK_EQ(p->work[i].units, units);
    CHECK_EQ(p->work[i].ticks, ticks);
}

TEST(units_are_those_of_the_time_that_was_sampled)
{
    struct aggregate *a = start();

    tell(a, 0, "hits", 1000, 1010, 200);
    tell(a, 1, "bytes", 0, 1ull << 40, 210);
    tell(a, 0, "hits", 1000, 1500, 300); /* the same, later */
    tell(a, 0, "hits", 1000, 1400, 250); /* comes too late */
    expect(a, 0, "hits", 500, 300);
    expect(a, 1, "bytes", 1ull << 40, 210);
    hello(a, HELLO_SESSION, 1); /* 40 more were done while nobody sampled */
    tell(a, 0, "hits", 1540, 1550, 100);
    expect(a, 0, "hits", 510, 400);
    hello(a, HELLO_REBOOT, 2); /* the other order, and all begins at 0 */
    tell(a, 1, "hits", 0, 7, 50);
    expect(a, 0, "hits", 517, 450);
    aggregate_free(a);
}

TEST(guest_that_lies_about_its_work_harms_nothing)
{
    struct aggregate *a = start();

    tell(a, 0, "", 10, 9, 100); /* less than before */
    expect(a, 0, "", 0, 0);
    for (uint8_t i = 0; i < 100; i++) { /* another name each time */
        char name[] = {'a', (char)('A' + i % 32), (char)('A' + i / 32), 0};

        tell(a, i % 8, name, 0, UINT64_MAX, UINT64_MAX - 7000);
        hello(a, HELLO_SESSION, 1);
        tell(a, i % 8, name, 0, UINT64_MAX, UINT64_MAX - 7000);
    }
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->work_count, WIRE_PROGRESS_COUNTERS);
    CHECK_EQ(p->work[1].units, UINT64_MAX);
    aggregate_free(a);
}

/* WIRE.md 9: number 2, "up", a mark at 0x1234. */
TEST(hand_written_mark_is_read)
{
    static const uint8_t mark[] = {1, 1, 2, 2, 2, 'u', 'p', 7, 2, 0x34, 0x12};
    struct guest_progress p;

    CHECK(fields_progress(mark, sizeof mark, &p) == NULL);
    CHECK_EQ(p.counter, 2);
    CHECK_STR(p.name, "up");
    CHECK_EQ(p.mark, 0x1234);
}

static void mark(struct aggregate *a, const char *name, uint64_t tsc)
{
    struct guest_progress p = {.mark = tsc};

    memcpy(p.name, name, strlen(name) + 1);
    aggregate_events.progress(a, &p);
}

/* catches: a mark of an earlier boot, or one for each frame */
TEST(marks_are_those_of_the_boot_in_the_order_of_time)
{
    struct aggregate *a = start();

    mark(a, "old", 50);
    hello(a, HELLO_REBOOT, 2);
    mark(a, "ready", 300);
    for (int i = 0; i < 3; i++)
        mark(a, "drivers", 100);
    hello(a, HELLO_SESSION, 2);
    mark(a, "ready", 300);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->mark_count, 2);
    CHECK_STR(p->marks[0].name, "drivers");
    CHECK_STR(p->marks[1].name, "ready");
    CHECK_EQ(p->marks[1].tsc, 300);
    CHECK_EQ(p->work_count, 0);
    for (uint64_t i = 0; i < 100; i++)
        mark(a, "more", i + 1000);
    CHECK_EQ(aggregate_profile(a)->mark_count, WIRE_PROGRESS_COUNTERS);
    aggregate_free(a);
}

TEST(a_unit_takes_busy_time_by_its_rate)
{
    struct profile p = {.has_guest = true, .tsc_hz = HZ, .duration_s = 4};
    struct profile_work w = {.units = 1000, .ticks = 2 * HZ};
    struct view v = {.total.busy = {.samples = 10, .time = 2.0 * HZ}};

    /* two seconds of four are busy: half a second in each, for 500 units */
    struct work_rate work = work_of(&p, &v, &w);

    CHECK(fabs(work.seconds - 2) < 1e-9);
    CHECK(fabs(work.rate - 500) < 1e-9);
    CHECK(fabs(work.busy_s - 1e-3) < 1e-9);
    p.from_s = 1; /* of a part of the time the units are not known */
    CHECK(fabs(work_of(&p, &v, &w).rate - 500) < 1e-9);
    CHECK_EQ(work_of(&p, &v, &w).busy_s == 0, 1);
    w.units = 0;
    p.from_s = 0;
    CHECK_EQ(work_of(&p, &v, &w).busy_s == 0, 1);
    w.ticks = 0;
    CHECK_EQ(work_of(&p, &v, &w).seconds == 0, 1);
}
