/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of threads (WIRE.md 10): the frames of an agent on virtual cores,
 * compared with the account that the test keeps of its own events. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "machine.h"
#include "one_way.h"
#include "threads/sums.h"
#include "threads/thread_waits.h"
#include "tprof_wire.h"

#define CORES   4u
#define HZ      1000000u /* of the clock */
#define THREADS 64u
#define WAITS   64u
#define TAGS    18u

static uint64_t memory[TPROF_THREADS_MEMORY(CORES, THREADS, WAITS) / 8]
    __attribute__((aligned(64)));

/* The last frames, by SLOT, ENTRY and CORE. value[0] is 1 + the frame's type.
 */
struct told {
    uint64_t value[TAGS];
    char name[32];
    uint8_t bytes[256];
    uint32_t size;
};
static struct told thread_at[THREADS], wait_at[WAITS], core_at[CORES];
static uint64_t frames; /* of the three types */
static void (*on_thread)(const struct told *t);

static void read_fields(struct told *t, const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        uint64_t value = 0;

        CHECK(at[0] < TAGS && at + 2 + at[1] <= end);
        for (uint32_t i = at[1]; i > 0 && at[1] <= 8; i--)
            value = value << 8 | at[1 + i];
        t->value[at[0]] = value;
        if (at[0] == 3 && at[1] < sizeof t->name) { /* THREAD NAME, STACK */
            memset(t->name, 0, sizeof t->name);
            memcpy(t->name, at + 2, at[1]);
        }
        if (at[0] == 3 || at[0] == 10) { /* STACK, HISTOGRAM */
            memcpy(t->bytes, at + 2, at[1]);
            t->size = at[1];
        }
        at += 2 + at[1];
    }
}

/* Must hold for each frame: its times add up. */
static void keep(uint8_t type, const struct told *t)
{
    const uint64_t *v = t->value;

    frames++;
    if (type == WIRE_THREAD) {
        uint64_t sum = v[8] + v[9] + v[10];

        CHECK(v[12] < THREADS);
        CHECK_EQ(sum,
                 v[7] == 3 && !(v[4] & WIRE_THREAD_ENDED) ? 0 : v[5] - v[6]);
        thread_at[v[12]] = *t;
        if (on_thread)
            on_thread(t);
    } else if (type == WIRE_WAIT) {
        CHECK(v[8] < WAITS);
        wait_at[v[8]] = *t;
    } else {
        CHECK(v[1] < CORES);
        CHECK_EQ(v[5] + v[6] + v[7], v[2] - v[3]);
        core_at[v[1]] = *t;
    }
}

/* Samples by the id in the THREAD record before them, below 64, and the last
 * serial of each id. WIRE.md 4 and 5 */
static uint64_t samples_of[64], serial_of[64], running_id;

static void count_samples(const uint8_t *body)
{
    uint32_t cells = body[16] | (uint32_t)body[17] << 8;

    for (uint32_t i = 0; i < cells;) {
        const uint8_t *cell = body + 18 + 7 * i, *at = cell + 2;
        uint32_t type = cell[0] & 1 ? cell[0] >> 1 : 0;

        if (type == 3) /* BEGIN */
            running_id = 0;
        if (type == 8) { /* THREAD */
            uint64_t serial = varint(&at);

            running_id = varint(&at);
            CHECK(running_id < 64);
            serial_of[running_id] = serial;
        }
        samples_of[running_id] += type <= 1;
        i += type ? cell[1] : 1;
    }
}

static int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;
    uint8_t type = frame[2];
    struct told t = {0};

    (void)context;
    if (type == WIRE_SAMPLES)
        count_samples(frame + 8);
    if (type < WIRE_THREAD || type > WIRE_SCHED)
        return (int)size;
    t.value[0] = type + 1u;
    read_fields(&t, frame + 8, frame + size - 4);
    keep(type, &t);
    return (int)size;
}

static void init(void)
{
    one_way_cores(CORES, HZ, 100, take);
}

static void init_threads(void)
{
    const struct tprof_threads_config config = {
        .memory = memory,
        .size = sizeof memory,
        .threads = THREADS,
        .waits = WAITS,
    };

    CHECK_EQ(tprof_threads(&config), TPROF_OK);
}

/* A second passes on all cores, with ticks. The sums have begun then. */
static void pass_a_second(void)
{
    const struct tprof_regs regs = {0};

    for (uint32_t t = 0; t < 1000; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            on_core(i);
            tprof_tick(&regs);
        }
    }
    on_core(0);
}

/* Sends what has changed, and returns with the clock at a round number. */
static void flush(void)
{
    CHECK_EQ(tprof_flush(10000), 0);
    tprof_machine.now += HZ - tprof_machine.now % HZ;
}

static const struct told *named(const char *name)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        if (thread_at[i].value[0] != 0 && strcmp(thread_at[i].name, name) == 0)
            return &thread_at[i];
    }
    check_failed(__FILE__, __LINE__, "no thread %s", name);
}

/* Returns the sum of (tag) in the waits of (kind). */
static uint64_t sum_of_waits(uint64_t kind, uint32_t tag)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < WAITS; i++) {
        if (wait_at[i].value[0] != 0 && wait_at[i].value[1] == kind)
            sum += wait_at[i].value[tag];
    }
    return sum;
}

TEST(calls_before_the_agent_is_ready_do_nothing) /* catches: a fault at boot */
{
    tprof_thread(1);
    tprof_switch(1, 2, TPROF_BLOCKED);
    tprof_switch(1, 2, TPROF_ENDED);
    tprof_wake(1);
    tprof_thread_end(1);
    CHECK(tprof_thread_slot(0) == NULL);
    CHECK_EQ(tprof_name(1, "early"), TPROF_ERR_STATE);
    CHECK_EQ(tprof_threads(&(struct tprof_threads_config){0}),
             TPROF_ERR_NOT_INIT);
}

TEST(bad_configs_are_refused)
{
    struct tprof_threads_config c = {.memory = memory, .size = sizeof memory};

    init();
    CHECK_EQ(tprof_name(1, "early"), TPROF_ERR_STATE);
    c.threads = 15;
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_CONFIG);
    c.threads = 0, c.waits = 65537;
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_CONFIG);
    c.waits = 0, c.frames = 17;
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_CONFIG);
    c.frames = 0, c.memory = (uint8_t *)memory + 8;
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_CONFIG);
    c.memory = memory, c.threads = THREADS, c.waits = WAITS;
    c.size = sizeof memory - 1;
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_MEMORY_SMALL);
    c.size = sizeof memory;
    CHECK_EQ(tprof_threads(&c), TPROF_OK);
    CHECK_EQ(tprof_threads(&c), TPROF_ERR_STATE);
    CHECK_EQ(tprof_name(0, "no thread"), TPROF_ERR_CONFIG);
    CHECK_EQ(tprof_name(1, NULL), TPROF_ERR_CONFIG);
}

TEST(slot_is_what_the_core_runs)
{
    init();
    on_core(2);
    tprof_thread(77);
    CHECK_EQ(*tprof_thread_slot(2), 77);
    tprof_switch(77, 78, TPROF_READY);
    CHECK_EQ(*tprof_thread_slot(2), 78);
    CHECK_EQ(*tprof_thread_slot(0), 0);
    CHECK(tprof_thread_slot(CORES) == NULL);
}

/* catches: a store into memory that is the kernel's again; calls that count for
 * nobody */
TEST(nothing_is_counted_after_the_exit)
{
    init();
    init_threads();
    pass_a_second();
    CHECK(tprof_sums.counting);
    for (uint32_t i = 0; i < CORES; i++) {
        on_core(i);
        (void)tprof_stop_cpu();
    }
    CHECK_EQ(tprof_exit(), TPROF_OK);
    CHECK(!tprof_sums.counting);
    CHECK(tprof_thread_slot(0) == NULL);
    tprof_switch(0, 1, TPROF_READY);
    tprof_wake(1);
}

/* (ticks) of core 0, each of which is a sample */
static void sample(uint32_t ticks)
{
    const struct tprof_regs regs = {0};

    for (uint32_t i = 0; i < ticks; i++) {
        tprof_machine.now += HZ / 1000;
        tprof_tick(&regs);
    }
}

/* catches: samples of the thread before; the serial of an ended thread */
TEST(each_sample_is_of_the_thread_that_the_core_ran)
{
    one_way_cores(CORES, HZ, 1000, take);
    init_threads();
    CHECK_EQ(tprof_name(10, "ten"), TPROF_OK);
    sample(10); /* some of these take the orders over */
    tprof_thread(10);
    sample(300);
    tprof_switch(10, 20, TPROF_READY);
    sample(200);
    *tprof_thread_slot(0) = 10;
    sample(100);
    flush();
    CHECK_EQ(samples_of[10], 400);
    CHECK_EQ(samples_of[20], 200);
    CHECK(samples_of[0] < 10);
    CHECK_EQ(serial_of[10], 1);
    CHECK_EQ(serial_of[20], 0);
    CHECK_EQ(tprof_name(10, "ten again"), TPROF_OK);
    sample(100);
    flush();
    /* some ticks may have taken orders over, which come once a second */
    CHECK(samples_of[10] >= 490 && samples_of[10] <= 500);
    CHECK_EQ(serial_of[10], 2);
}

/* catches: sums of the wrong state; the wake's end of a wait; a histogram of
 * blocked times. Core 0 runs a until 100, b until 250, a until 300 and then
 * idles; a is blocked from 100, woken at 180, and waits for the core until 250.
 */
TEST(two_threads_have_the_times_of_a_story)
{
    const struct told *a, *b, *idle;

    init();
    init_threads();
    CHECK_EQ(tprof_name(10, "a"), TPROF_OK);
    CHECK_EQ(tprof_name(11, "b"), TPROF_OK);
    CHECK_EQ(tprof_name_idle(12, "idle"), TPROF_OK);
    tprof_thread(10);
    pass_a_second();
    flush();
    uint64_t t = tprof_machine.now;
    uint64_t ran = named("a")->value[8];
    uint64_t then = named("a")->value[5];

    at(t + 100);
    tprof_switch(10, 11, TPROF_BLOCKED);
    at(t + 180);
    tprof_wake(10);
    at(t + 250);
    tprof_switch(11, 10, TPROF_READY);
    at(t + 300);
    tprof_switch(10, 12, TPROF_BLOCKED);
    flush();
    a = named("a"), b = named("b"), idle = named("idle");
    CHECK_EQ(a->value[8], ran + t + 100 - then + 50);
    CHECK_EQ(a->value[9], 70);
    CHECK_EQ(a->value[10], 80 + a->value[5] - (t + 300));
    CHECK_EQ(a->value[7], WIRE_IS_BLOCKED);
    CHECK_EQ(a->value[11], 1);
    CHECK_EQ(b->value[8], 150);
    CHECK_EQ(b->value[7], WIRE_IS_READY);
    CHECK_EQ(idle->value[4], WIRE_THREAD_IDLE);
    CHECK_EQ(idle->value[8], idle->value[5] - (t + 300));
    /* one wait has ended, one has not */
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 5), 1);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 6), 80);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_WAKER, 5), 1);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_WAKER, 6), 80);
    CHECK_EQ(wait_at[a->value[13]].value[2], a->value[1]);
    CHECK_EQ(core_at[0].value[4], 3);
    CHECK_EQ(core_at[0].value[5] + core_at[0].value[3], t + 300);
    /* a waited for 70 ticks, which are of 7 bits; b's first wait began before
     * anybody looked */
    CHECK_EQ(core_at[0].size, 2);
    CHECK_EQ(core_at[0].bytes[0], 7);
    CHECK_EQ(core_at[0].bytes[1], 1);
    /* since 250 b was ready, and from 300 on the core was idle */
    CHECK_EQ(core_at[0].value[9], 0);
    at(tprof_machine.now + 1000);
    uint64_t woke = tprof_machine.now + 1;
    tprof_switch(12, 11, TPROF_READY);
    flush();
    CHECK_EQ(core_at[0].value[9], woke - (t + 300));
}

/* catches: a new thread that continues the times of an old one */
TEST(thread_with_an_id_that_comes_again_is_another_one)
{
    init();
    init_threads();
    CHECK_EQ(tprof_name(10, "old"), TPROF_OK);
    pass_a_second();
    flush();
    uint64_t t = tprof_machine.now, serial = named("old")->value[1];

    at(t + 10);
    tprof_switch(1, 10, TPROF_READY);
    at(t + 30);
    tprof_switch(10, 1, TPROF_ENDED);
    at(t + 40);
    CHECK_EQ(tprof_name(10, "a name of more than thirty-one bytes"), TPROF_OK);
    at(t + 60);
    tprof_wake(10);
    flush();
    const struct told *old = named("old");
    const struct told *now = named("a name of more than thirty-one ");

    CHECK_EQ(old->value[1], serial);
    CHECK_EQ(old->value[4], WIRE_THREAD_ENDED);
    CHECK_EQ(old->value[8], 20);
    CHECK_EQ(old->value[5], t + 30);
    CHECK(now->value[1] != serial);
    CHECK_EQ(now->value[6], t + 40);
    CHECK_EQ(now->value[10], 20);
    CHECK_EQ(now->value[7], WIRE_IS_READY);
}

/* --- Random events, and the test's own account ---------------------------- */

#define ACTORS 24u /* ids 1 to 24; from 19 on they have no name */
#define NAMED  18u
#define IDLERS 4u /* ids 1 to 4: one for each core */

static struct actor {
    uint32_t state; /* enum wire_thread_state */
    uint64_t since;
    uint64_t ticks[3];
    uint64_t waits, waited; /* blocked times that have ended */
    uint64_t woken;
} actor[ACTORS + 1];
static uint32_t runs[CORES];
static uint64_t randomness = 1;

static uint32_t below(uint32_t limit)
{
    randomness = randomness * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((randomness >> 33) % limit);
}

static void become(uint32_t id, uint32_t state, uint64_t now)
{
    struct actor *a = &actor[id];

    if (a->state == WIRE_IS_BLOCKED)
        a->waits++, a->waited += now - a->since;
    a->ticks[a->state] += now - a->since;
    a->since = now;
    a->state = state;
}

/* A frame says what the account says for the time of the frame. */
static void compare(const struct told *t)
{
    const struct actor *a = &actor[t->value[2]];

    if (t->value[7] == WIRE_IS_UNKNOWN)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t now = a->state == i ? t->value[5] - a->since : 0;

        CHECK_EQ(t->value[8 + i], a->ticks[i] + now);
    }
    CHECK_EQ(t->value[7], a->state);
}

static void switch_to(uint32_t core, uint32_t id, uint32_t why)
{
    static const uint32_t state[] = {WIRE_IS_BLOCKED, WIRE_IS_READY};
    uint32_t from = runs[core];
    uint64_t now = tprof_machine.now + 1 + below(1000);

    on_core(core);
    at(now);
    tprof_switch(from, id, why);
    become(from, state[why], now);
    become(id, WIRE_IS_RUNNING, now);
    runs[core] = id;
}

static void wake(uint32_t core, uint32_t id)
{
    uint64_t now = tprof_machine.now + 1 + below(1000);

    on_core(core);
    at(now);
    tprof_wake(id);
    if (actor[id].state == WIRE_IS_BLOCKED) {
        actor[id].woken++;
        become(id, WIRE_IS_READY, now);
    }
}

static void step(void)
{
    uint32_t core = below(CORES), id = IDLERS + 1 + below(ACTORS - IDLERS);

    if (below(3) == 0)
        wake(core, id);
    else if (actor[id].state == WIRE_IS_READY ||
             (actor[id].state == WIRE_IS_BLOCKED && actor[id].ticks[0] > 0 &&
              below(8) == 0))
        switch_to(core, id, runs[core] <= IDLERS ? TPROF_READY : below(2));
    else if (runs[core] > IDLERS)
        switch_to(core, core + 1, below(2));
}

static void begin_account(void)
{
    char name[] = "thread A";

    for (uint32_t id = 1; id <= NAMED; id++, name[7]++)
        CHECK_EQ((id <= IDLERS ? tprof_name_idle : tprof_name)(id, name),
                 TPROF_OK);
    for (uint32_t core = 0; core < CORES; core++) {
        on_core(core);
        tprof_thread(core + 1);
        runs[core] = core + 1;
    }
    pass_a_second();
    flush();
    uint64_t since = core_at[0].value[3];

    for (uint32_t id = 1; id <= ACTORS; id++)
        actor[id] = (struct actor){
            .state = id <= IDLERS ? WIRE_IS_RUNNING : WIRE_IS_BLOCKED,
            .since = since,
        };
    on_thread = compare;
}

/* catches: a state's time that is added twice, or to another thread */
TEST(random_events_have_the_sums_of_the_account)
{
    uint64_t waits = 0, waited = 0, woken = 0, running = 0, named_running = 0;

    init();
    init_threads();
    begin_account();
    for (uint32_t i = 0; i < 20000; i++)
        step();
    flush();
    CHECK(frames > NAMED + CORES);
    for (uint32_t id = 1; id <= NAMED; id++) {
        waits += actor[id].waits;
        waited += actor[id].waited;
        woken += actor[id].woken;
        if (id > IDLERS)
            running += actor[id].ticks[0];
    }
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 5), waits);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 6), waited);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_WAKER, 5), woken);
    CHECK(woken < waits);
    for (uint32_t core = 0; core < CORES; core++) {
        const uint64_t *v = core_at[core].value;
        uint64_t last = runs[core] > IDLERS && runs[core] <= NAMED
                            ? v[2] - actor[runs[core]].since
                            : 0;

        CHECK_EQ(v[7], v[11]); /* no time without a thread */
        named_running += v[5] - last;
    }
    CHECK_EQ(named_running, running);
}

/* --- Threads that come and go --------------------------------------------- */

/* catches: a table that fills up; times that go with a thread */
TEST(ten_thousand_threads_come_and_go_in_64_records)
{
    uint64_t running = 0, records = 0;

    init();
    init_threads();
    pass_a_second();
    flush();
    for (uint64_t id = 1000; id < 11000; id++) {
        uint64_t t = tprof_machine.now;

        CHECK_EQ(tprof_name(id, "one of many"), TPROF_OK);
        at(t + 10);
        tprof_switch(0, id, TPROF_READY);
        at(t + 17);
        tprof_switch(id, 0, TPROF_ENDED);
    }
    flush();
    for (uint32_t i = 0; i < THREADS; i++) {
        if (thread_at[i].value[0] != 0)
            running += thread_at[i].value[8], records++;
    }
    CHECK_EQ(core_at[0].value[5], 70000);
    CHECK_EQ(running + core_at[0].value[12], 70000);
    CHECK_EQ(records + core_at[0].value[15], 10000);
    CHECK_EQ(core_at[0].value[16], 0);
}

/* catches: a full table that forgets times */
TEST(threads_without_a_record_are_counted_as_others)
{
    uint64_t refused = 0, t;

    init();
    init_threads();
    pass_a_second();
    flush();
    for (uint64_t id = 1; id <= 200; id++)
        refused += tprof_name(id, "lives") == TPROF_ERR_MEMORY_SMALL;
    CHECK(refused >= 200 - THREADS);
    t = tprof_machine.now;
    at(t + 10);
    tprof_switch(0, 5000, TPROF_READY);
    at(t + 40);
    tprof_switch(5000, 0, TPROF_BLOCKED);
    flush();
    CHECK_EQ(core_at[0].value[16], refused);
    CHECK_EQ(core_at[0].value[11], 30);
}

/* catches: waits of a full table that are missing */
TEST(waits_without_an_entry_are_added_to_the_others)
{
    init();
    init_threads();
    pass_a_second();
    flush();
    for (uint64_t id = 1; id <= 40; id++)
        (void)tprof_name(id, "waits");
    for (uint32_t round = 0; round < 10; round++) {
        for (uint64_t id = 1; id <= 40; id++) {
            uint64_t t = tprof_machine.now;

            at(t + 10);
            tprof_switch(0, id, TPROF_READY);
            at(t + 20);
            tprof_switch(id, 0, TPROF_BLOCKED);
            at(t + 50);
            tprof_wake(id);
        }
    }
    flush();
    uint64_t kept = 0;

    for (uint32_t i = 0; i < THREADS; i++)
        kept += thread_at[i].value[0] != 0;
    CHECK(kept > 30); /* not all found a record */
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 5), 10 * kept);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_BLOCKED, 6), 300 * kept);
    CHECK_EQ(sum_of_waits(WIRE_WAIT_WAKER, 6), 300 * kept);
}

/* A stack of frame pointers and return addresses, inner first */
static uint64_t frames_of[4][2];

static uint32_t wait_at_stack(uint32_t last)
{
    static struct tprof_callers callers;
    static struct tprof_range range;

    for (uint32_t i = 0; i + 1 < 4; i++)
        frames_of[i][0] = (uintptr_t)frames_of[i + 1];
    frames_of[3][0] = 0;
    return tprof_thread_waits_at(last, WIRE_WAIT_BLOCKED, 7, 0x1001,
                                 (uintptr_t)frames_of[0], &callers, &range);
}

/* catches: a thread that waits at one call for two callers, of which the entry
 * of the last wait takes both */
TEST(stack_with_another_caller_is_another_entry)
{
    static struct tprof_bounds bounds = {
        .image.text = {.start = 0x1000, .size = 0x1000},
    };

    init();
    init_threads();
    bounds.readable[0] =
        (struct tprof_range){(uintptr_t)frames_of, sizeof frames_of};
    bounds.extent = sizeof frames_of;
    tprof_thread_waits.bounds = &bounds;
    for (uint32_t i = 0; i < 4; i++)
        frames_of[i][1] = 0x1100 + i;
    uint32_t first = wait_at_stack(0);
    const struct tprof_wait_entry *w = &tprof_thread_waits.table.entry[first];

    CHECK_EQ(w->frames, 5);
    CHECK_EQ(w->end, WIRE_END_ZERO);
    CHECK_EQ(wait_at_stack(first), first);
    for (uint32_t i = 0; i < 4; i++) {
        frames_of[i][1]++;
        uint32_t other = wait_at_stack(first);

        CHECK(other != first);
        CHECK_EQ(wait_at_stack(0), other); /* by the walk, too */
        frames_of[i][1]--;
    }
    CHECK_EQ(wait_at_stack(first), first);
}
