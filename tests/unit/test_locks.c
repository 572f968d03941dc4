/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of locks (WIRE.md 12): the frames of an agent on virtual cores, compared
 * with stories whose times the test sets. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "locks/lock_table.h"
#include "machine.h"
#include "one_way.h"
#include "threads/sums.h"
#include "tprof_wire.h"

#define CORES 4u
#define HZ    1000000u /* of the clock */
#define LOCKS 64u
#define WAITS 64u
#define TAGS  22u

static uint64_t thread_memory[TPROF_THREADS_MEMORY(CORES, 64, 64) / 8]
    __attribute__((aligned(64)));
static uint64_t memory[TPROF_LOCKS_MEMORY(LOCKS, WAITS) / 8]
    __attribute__((aligned(64)));

/* The last frames: of locks by address, of entries by ENTRY */
struct told {
    uint64_t value[TAGS];
    char name[32];
    uint32_t depth; /* return addresses of STACK */
};
static struct told lock_at[LOCKS], wait_at[WAITS];
static uint32_t locks; /* in lock_at */

static char a, b; /* locks */

static struct told *slot_of(uint64_t address)
{
    for (uint32_t i = 0; i < locks; i++) {
        if (lock_at[i].value[WIRE_LOCK_ADDRESS] == address)
            return &lock_at[i];
    }
    CHECK(locks < LOCKS);
    return &lock_at[locks++];
}

static void read_fields(struct told *t, const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        uint64_t value = 0;

        CHECK(at[0] < TAGS && at + 2 + at[1] <= end);
        for (uint32_t i = at[1]; i > 0 && at[1] <= 8; i--)
            value = value << 8 | at[1 + i];
        t->value[at[0]] = value;
        if (at[0] == WIRE_LOCK_NAME && at[1] < sizeof t->name)
            memcpy(t->name, at + 2, at[1]);
        for (uint32_t i = 0; at[0] == WIRE_LOCK_WAIT_STACK && i < at[1]; i++)
            t->depth += at[2 + i] < 0x80;
        at += 2 + at[1];
    }
}

/* Must hold for the times of each frame. */
static void check_times(const uint64_t *v)
{
    CHECK(v[WIRE_LOCK_READY] + v[WIRE_LOCK_BLOCKED] <= v[WIRE_LOCK_TIME]);
    CHECK(v[WIRE_LOCK_LEAST] <= v[WIRE_LOCK_LONGEST]);
    CHECK(v[WIRE_LOCK_LONGEST] <= v[WIRE_LOCK_TIME]);
}

static int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;
    struct told t = {0};

    (void)context;
    if (frame[2] != WIRE_LOCK && frame[2] != WIRE_LOCK_WAIT)
        return (int)size;
    read_fields(&t, frame + 8, frame + size - 4);
    check_times(t.value + WIRE_LOCK_WAITS);
    if (frame[2] == WIRE_LOCK) {
        check_times(t.value + WIRE_LOCK_HOLDS);
        CHECK(t.value[WIRE_LOCK_HOLDS + WIRE_LOCK_TIME] <=
              t.value[WIRE_LOCK_NOW] - t.value[WIRE_LOCK_SINCE]);
        *slot_of(t.value[WIRE_LOCK_ADDRESS]) = t;
    } else {
        CHECK(t.value[WIRE_LOCK_WAIT_ENTRY] < WAITS);
        memset(t.name, 0, sizeof t.name);
        wait_at[t.value[WIRE_LOCK_WAIT_ENTRY]] = t;
    }
    return (int)size;
}

static void init_threads(void)
{
    const struct tprof_threads_config threads = {
        .memory = thread_memory,
        .size = sizeof thread_memory,
        .threads = 64,
        .waits = 64,
    };

    one_way_cores(CORES, HZ, 100, take);
    CHECK_EQ(tprof_threads(&threads), TPROF_OK);
}

static void begin_locks(void)
{
    const struct tprof_locks_config config = {
        .memory = memory,
        .size = sizeof memory,
        .locks = LOCKS,
        .waits = WAITS,
    };

    CHECK_EQ(tprof_locks(&config), TPROF_OK);
}

static void init_locks(void)
{
    init_threads();
    begin_locks();
}

/* A second passes on all cores, with ticks. The sums have begun then. */
static void pass_a_second(void)
{
    const struct tprof_regs regs = {0};
    uint32_t core = tprof_machine.core;

    for (uint32_t t = 0; t < 1000; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            on_core(i);
            tprof_tick(&regs);
        }
    }
    on_core(core);
}

static void flush(void)
{
    CHECK_EQ(tprof_flush(10000), 0);
    tprof_machine.now += HZ - tprof_machine.now % HZ;
}

/* Begins the sums. Returns the clock. */
static uint64_t begin(void)
{
    init_locks();
    pass_a_second();
    flush();
    return tprof_machine.now;
}

static const uint64_t *sums_of(const void *lock)
{
    flush();
    return slot_of((uintptr_t)lock)->value;
}

/* Returns the only entry of (kind) of (lock). */
static const struct told *entry_of(const void *lock, uint64_t kind)
{
    const struct told *found = NULL;

    for (uint32_t i = 0; i < WAITS; i++) {
        const struct told *t = &wait_at[i];

        if (t->value[WIRE_LOCK_WAITS] == 0 ||
            t->value[WIRE_LOCK_WAIT_ADDRESS] != (uintptr_t)lock ||
            t->value[WIRE_LOCK_WAIT_KIND] != kind)
            continue;
        CHECK(!found);
        found = t;
    }
    CHECK(found != NULL);
    return found;
}

/* (times): from the tag of COUNT on */
static void check_sums(const uint64_t *times, uint64_t count, uint64_t time,
                       uint64_t least, uint64_t longest)
{
    CHECK_EQ(times[WIRE_LOCK_COUNT], count);
    CHECK_EQ(times[WIRE_LOCK_TIME], time);
    CHECK_EQ(times[WIRE_LOCK_LEAST], least);
    CHECK_EQ(times[WIRE_LOCK_LONGEST], longest);
}

/* --- Configs -------------------------------------------------------------- */

TEST(calls_before_the_agent_is_ready_do_nothing) /* catches: a fault at boot */
{
    tprof_wait(&a);
    tprof_got(&a);
    tprof_gave(&a);
    CHECK_EQ(tprof_lock_name(&a, "early"), TPROF_ERR_STATE);
    CHECK_EQ(tprof_locks(&(struct tprof_locks_config){0}), TPROF_ERR_NOT_INIT);
}

TEST(bad_configs_are_refused)
{
    struct tprof_locks_config c = {.memory = memory, .size = sizeof memory};

    one_way_cores(CORES, HZ, 100, take);
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_NOT_INIT); /* before tprof_threads() */
    CHECK_EQ(tprof_threads(&(struct tprof_threads_config){
                 .memory = thread_memory,
                 .size = sizeof thread_memory,
                 .threads = 16,
                 .waits = 16,
             }),
             TPROF_OK);
    c.locks = 15;
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_CONFIG);
    c.locks = 0, c.waits = 65537;
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_CONFIG);
    c.waits = 0, c.memory = (uint8_t *)memory + 8;
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_CONFIG);
    c.memory = memory, c.locks = LOCKS, c.waits = WAITS;
    c.size = sizeof memory - 1;
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_MEMORY_SMALL);
    c.size = sizeof memory;
    CHECK_EQ(tprof_locks(&c), TPROF_OK);
    CHECK_EQ(tprof_locks(&c), TPROF_ERR_STATE);
    CHECK_EQ(tprof_lock_name(NULL, "no lock"), TPROF_ERR_CONFIG);
    CHECK_EQ(tprof_lock_name(&a, NULL), TPROF_ERR_CONFIG);
}

/* --- Stories -------------------------------------------------------------- */

/* catches: an acquire that counts as a wait; the time between two holds */
TEST(lock_that_nobody_waits_for_has_acquires_and_holds)
{
    uint64_t t = begin();

    at(t + 10);
    tprof_got(&a);
    at(t + 40);
    tprof_gave(&a);
    at(t + 100);
    tprof_got(&a);
    at(t + 107);
    tprof_gave(&a);
    const uint64_t *v = sums_of(&a);

    CHECK_EQ(v[WIRE_LOCK_ACQUIRES], 2);
    check_sums(v + WIRE_LOCK_WAITS, 0, 0, 0, 0);
    check_sums(v + WIRE_LOCK_HOLDS, 2, 37, 7, 30);
    CHECK_EQ(v[WIRE_LOCK_HOLDING], 0);
}

/* Cores without threads spin for a lock. catches: waits of one core that end at
 * the acquire of another; a holder that is the next one */
TEST(cores_that_spin_have_their_waits_and_the_holder)
{
    uint64_t t = begin();

    at(t + 10);
    tprof_got(&a);
    on_core(1);
    at(t + 20);
    tprof_wait(&a);
    on_core(2);
    at(t + 25);
    tprof_wait(&a);
    on_core(0);
    at(t + 50);
    tprof_gave(&a);
    on_core(1);
    at(t + 52);
    tprof_got(&a);
    at(t + 60);
    tprof_gave(&a);
    on_core(2);
    at(t + 61);
    tprof_got(&a);
    const uint64_t *v = sums_of(&a);

    CHECK_EQ(v[WIRE_LOCK_ACQUIRES], 3);
    CHECK_EQ(v[WIRE_LOCK_MOST_WAITING], 2);
    CHECK_EQ(v[WIRE_LOCK_WAITING], 0);
    check_sums(v + WIRE_LOCK_WAITS, 2, 32 + 36, 32, 36);
    check_sums(v + WIRE_LOCK_HOLDS, 2, 48, 8, 40);
    CHECK_EQ(v[WIRE_LOCK_HOLDING], v[WIRE_LOCK_NOW] - (t + 61));
    /* others waited for the end of both holds, which began in this function */
    uint64_t held = 0;

    for (uint32_t i = 0; i < WAITS; i++) {
        if (wait_at[i].value[WIRE_LOCK_WAIT_KIND] == WIRE_LOCK_HELD)
            held += wait_at[i].value[WIRE_LOCK_WAITS + WIRE_LOCK_TIME];
    }
    CHECK_EQ(held, 48);
}

/* Thread 10 holds the lock. Thread 11 spins from 100 to 130, sleeps until 200,
 * is ready until 230, and gets the lock at 240. catches: sleep as spinning; the
 * time of the thread before the wait */
TEST(sleep_and_spinning_in_a_wait_are_told_apart)
{
    init_locks();
    CHECK_EQ(tprof_name(10, "holder"), TPROF_OK);
    CHECK_EQ(tprof_name(11, "sleeper"), TPROF_OK);
    CHECK_EQ(tprof_name(12, "other"), TPROF_OK);
    tprof_thread(10);
    on_core(1);
    tprof_thread(11);
    pass_a_second();
    flush();
    uint64_t t = tprof_machine.now;

    at(t + 10);
    tprof_switch(11, 12, TPROF_BLOCKED); /* not for the lock */
    at(t + 50);
    tprof_switch(12, 11, TPROF_READY);
    on_core(0);
    at(t + 60);
    tprof_got(&b);
    on_core(1);
    at(t + 100);
    tprof_wait(&b);
    at(t + 130);
    tprof_switch(11, 12, TPROF_BLOCKED);
    on_core(0);
    at(t + 190);
    tprof_gave(&b);
    at(t + 200);
    tprof_wake(11);
    on_core(1);
    at(t + 230);
    tprof_switch(12, 11, TPROF_READY);
    at(t + 240);
    tprof_got(&b);
    const uint64_t *v = sums_of(&b);

    check_sums(v + WIRE_LOCK_WAITS, 1, 140, 140, 140);
    CHECK_EQ(v[WIRE_LOCK_WAITS + WIRE_LOCK_BLOCKED], 70);
    CHECK_EQ(v[WIRE_LOCK_WAITS + WIRE_LOCK_READY], 30);
    const struct told *w = entry_of(&b, WIRE_LOCK_WAITED);

    check_sums(w->value + WIRE_LOCK_WAITS, 1, 140, 140, 140);
    CHECK_EQ(w->value[WIRE_LOCK_WAITS + WIRE_LOCK_BLOCKED], 70);
    CHECK_EQ(w->value[WIRE_LOCK_WAIT_SERIAL], 2);
    CHECK_EQ(entry_of(&b, WIRE_LOCK_HELD)->value[WIRE_LOCK_WAIT_SERIAL], 1);
}

/* Thread 10 is preempted while it holds the lock: the mark of an inversion.
 * catches: a holder that counts as running */
TEST(holder_that_is_preempted_was_ready)
{
    init_locks();
    CHECK_EQ(tprof_name(10, "low"), TPROF_OK);
    CHECK_EQ(tprof_name(11, "middle"), TPROF_OK);
    tprof_thread(10);
    pass_a_second();
    flush();
    uint64_t t = tprof_machine.now;

    at(t + 10);
    tprof_got(&a);
    at(t + 15);
    tprof_switch(10, 11, TPROF_READY);
    at(t + 95);
    tprof_switch(11, 10, TPROF_READY);
    at(t + 100);
    tprof_gave(&a);
    const uint64_t *v = sums_of(&a);

    check_sums(v + WIRE_LOCK_HOLDS, 1, 90, 90, 90);
    CHECK_EQ(v[WIRE_LOCK_HOLDS + WIRE_LOCK_READY], 80);
    CHECK_EQ(v[WIRE_LOCK_HOLDS + WIRE_LOCK_BLOCKED], 0);
}

/* catches: a thread that waits for one lock at a time only; waits of an
 * interrupt's handler that end those of the thread below it */
TEST(waits_nest_with_holds_and_with_interrupts)
{
    uint64_t t = begin();

    tprof_thread(7);
    at(t + 1);
    tprof_got(&a);
    at(t + 10);
    tprof_wait(&b);
    at(t + 20);
    tprof_wait(&a); /* an interrupt's handler; on core 1 thread 7 gave a */
    at(t + 23);
    tprof_wait(&b); /* and another one, for the lock of the thread below */
    at(t + 25);
    tprof_got(&b);
    at(t + 26);
    tprof_gave(&b);
    at(t + 30);
    tprof_got(&a);
    at(t + 50);
    tprof_got(&b);
    check_sums(sums_of(&a) + WIRE_LOCK_WAITS, 1, 10, 10, 10);
    check_sums(sums_of(&b) + WIRE_LOCK_WAITS, 2, 42, 2, 40);
}

/* catches: a wait that goes on for ever after a timeout, and an acquire of a
 * thread that has no lock */
TEST(wait_that_is_given_up_has_its_time)
{
    uint64_t t = begin();

    at(t + 10);
    tprof_got(&a);
    on_core(1);
    at(t + 20);
    tprof_wait(&a);
    at(t + 27);
    tprof_gave(&a);
    on_core(0);
    at(t + 40);
    tprof_gave(&a);
    const uint64_t *v = sums_of(&a);

    CHECK_EQ(v[WIRE_LOCK_ACQUIRES], 1);
    check_sums(v + WIRE_LOCK_WAITS, 1, 7, 7, 7);
    check_sums(v + WIRE_LOCK_HOLDS, 1, 30, 30, 30);
}

/* catches: a hold that never ends, because another thread releases the lock */
TEST(lock_that_another_thread_releases_is_free)
{
    uint64_t t = begin();

    at(t + 10);
    tprof_got(&a);
    on_core(1);
    at(t + 30);
    tprof_gave(&a);
    at(t + 35);
    tprof_gave(&a); /* nobody holds the lock */
    const uint64_t *v = sums_of(&a);

    check_sums(v + WIRE_LOCK_HOLDS, 1, 20, 20, 20);
    CHECK_EQ(v[WIRE_LOCK_HOLDING], 0);
}

/* catches: holds that count for nobody until the next host comes */
TEST(holds_count_although_a_core_was_reset_in_a_call)
{
    uint64_t t = begin();

    at(t + 10);
    tprof_got(&a);
    at(t + 20);
    tprof_gave(&a);
    /* the core stops while it stores the next holder */
    tprof_lock_table.record[tprof_lock_table_find((uintptr_t)&a, false)]
        .holder.version++;
    at(t + 3 * HZ);
    tprof_got(&a);
    at(t + 3 * HZ + 5);
    tprof_gave(&a);
    check_sums(sums_of(&a) + WIRE_LOCK_HOLDS, 2, 15, 5, 10);
}

/* --- Tables --------------------------------------------------------------- */

/* catches: acquires or waits that are lost when the tables are full */
TEST(locks_without_a_record_are_counted_together)
{
    static char many[1000];
    uint64_t t = begin(), acquires = 0, waits = 0, time = 0, entries = 0;

    for (uint32_t i = 0; i < sizeof many; i++) {
        at(t + 10 * i + 1);
        tprof_wait(&many[i]);
        at(t + 10 * i + 4);
        tprof_got(&many[i]);
        tprof_gave(&many[i]);
    }
    flush();
    for (uint32_t i = 0; i < locks; i++) {
        const uint64_t *v = lock_at[i].value;

        acquires += v[WIRE_LOCK_ACQUIRES];
        waits += v[WIRE_LOCK_WAITS];
        time += v[WIRE_LOCK_WAITS + WIRE_LOCK_TIME];
    }
    CHECK_EQ(acquires, sizeof many);
    CHECK_EQ(waits, sizeof many);
    CHECK_EQ(time, 3 * sizeof many);
    CHECK(locks > LOCKS / 2);
    CHECK(slot_of(0)->value[WIRE_LOCK_ACQUIRES] > sizeof many / 2);
    for (uint32_t i = 0; i < WAITS; i++)
        entries += wait_at[i].value[WIRE_LOCK_WAITS];
    CHECK_EQ(entries, sizeof many);
}

/* Threads that were ended in their wait leave it behind. catches: a table that
 * stays full; a number of waiting threads that grows for ever */
TEST(waits_that_never_end_make_room_and_are_counted)
{
    uint64_t t = begin();

    for (uint32_t i = 1; i <= 1000; i++) {
        tprof_thread(i);
        at(t + i);
        tprof_wait(&a);
    }
    at(t + 2000);
    tprof_got(&a);
    const uint64_t *v = sums_of(&a);

    check_sums(v + WIRE_LOCK_WAITS, 1, 1000, 1000, 1000);
    CHECK(v[WIRE_LOCK_WAITING] < WAITS);
    uint64_t left = v[WIRE_LOCK_WAITING];

    /* the frame of the other locks has the number */
    static char many[1000];

    for (uint32_t i = 0; i < sizeof many; i++)
        tprof_got(&many[i]);
    CHECK_EQ(sums_of(NULL)[WIRE_LOCK_UNTIMED], 1000 - 1 - left);
}

/* catches: sums that do not begin anew; a name that is forgotten, or that the
 * next lock of the record has */
TEST(names_outlive_the_sums)
{
    CHECK_EQ(tprof_lock_name(&a, "early"), TPROF_ERR_STATE);
    uint64_t t = begin();

    CHECK_EQ(tprof_lock_name(&a, "a name of more than thirty-one bytes"),
             TPROF_OK);
    at(t + 1);
    tprof_got(&a);
    tprof_got(&b);
    flush();
    CHECK_STR(slot_of((uintptr_t)&a)->name, "a name of more than thirty-one ");
    CHECK_STR(slot_of((uintptr_t)&b)->name, "");
    tprof_sums_order(TPROF_SUMS_END);
    tprof_sums_order(TPROF_SUMS_BEGIN);
    pass_a_second();
    flush();
    t = tprof_machine.now;
    static char many[1000]; /* take all records that are free */

    locks = 0;
    for (uint32_t i = 0; i < sizeof many; i++)
        tprof_got(&many[i]);
    flush();
    for (uint32_t i = 0; i < locks; i++)
        CHECK(lock_at[i].value[WIRE_LOCK_ADDRESS] == (uintptr_t)&a ||
              lock_at[i].name[0] == 0);
    tprof_got(&a);
    flush();
    CHECK_EQ(slot_of((uintptr_t)&a)->value[WIRE_LOCK_ACQUIRES], 1);
    CHECK(slot_of((uintptr_t)&a)->value[WIRE_LOCK_SINCE] > t - 2 * HZ);
    CHECK_STR(slot_of((uintptr_t)&a)->name, "a name of more than thirty-one ");
}

/* Unnamed locks come first, and take the homes of locks that get a name then.
 * catches: a second record, without the name, when new sums have freed the
 * homes */
TEST(named_lock_keeps_its_record_when_others_are_freed)
{
    static char many[40 * 40]; /* squares have homes at random */
    const uint32_t named = 24; /* and the locks after it */
    int error[40] = {0};

    begin();
    for (uint32_t i = 0; i < named; i++)
        tprof_got(&many[i * i]);
    for (uint32_t i = named; i < 40; i++)
        error[i] = tprof_lock_name(&many[i * i], "named");
    tprof_sums_order(TPROF_SUMS_END);
    tprof_sums_order(TPROF_SUMS_BEGIN);
    pass_a_second();
    flush();
    locks = 0;
    for (uint32_t i = named; i < 40; i++) {
        if (!error[i])
            tprof_got(&many[i * i]);
    }
    flush();
    for (uint32_t i = 0; i < locks; i++)
        CHECK_STR(lock_at[i].name, "named");
    CHECK(locks > 8);
}

/* catches: sums that begin when the others are next sent, seconds later */
TEST(locks_that_are_set_up_while_the_host_samples_count_soon)
{
    init_threads();
    pass_a_second();
    flush();
    begin_locks();
    for (uint32_t t = 0; t < 50; t++) {
        tprof_machine.now += HZ / 1000;
        tprof_tick(&(struct tprof_regs){0});
    }
    tprof_got(&a);
    CHECK_EQ(sums_of(&a)[WIRE_LOCK_ACQUIRES], 1);
}

/* catches: calls that count for nobody */
TEST(nothing_is_counted_after_the_exit)
{
    begin();
    for (uint32_t i = 0; i < CORES; i++) {
        on_core(i);
        (void)tprof_stop_cpu();
    }
    CHECK_EQ(tprof_exit(), TPROF_OK);
    tprof_wait(&a);
    tprof_got(&a);
    tprof_gave(&a);
}

/* catches: calls that count in the tables of the agent's first life, which
 * tprof_locks() changes meanwhile */
TEST(locks_are_forgotten_when_the_agent_begins_anew)
{
    static uint64_t before[sizeof memory / 8];

    begin();
    void *first = tprof_agent.config.memory; /* of this life */

    tprof_got(&a);
    for (uint32_t i = 0; i < CORES; i++) {
        on_core(i);
        (void)tprof_stop_cpu();
    }
    CHECK_EQ(tprof_exit(), TPROF_OK);
    init_threads();
    pass_a_second();
    flush();
    memcpy(before, memory, sizeof memory);
    tprof_got(&a);
    CHECK_EQ(memcmp(before, memory, sizeof memory), 0);
    CHECK_EQ(tprof_lock_name(&a, "late"), TPROF_ERR_STATE);
    free(first);
}
