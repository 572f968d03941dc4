/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sums of locks while cores race for real locks: each core is a thread of
 * this process, with a virtual machine of its own (machine.h) and one clock for
 * all. The threads keep their own account.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "machine.h"
#include "state/agent.h"
#include "threads/sums.h"

#define CORES 4u
#define TURNS 20000u /* of each core */
#define LOCKS 4u

_Thread_local struct tprof_machine tprof_machine;
static struct tprof_cpu cpu[CORES];
static _Atomic uint64_t clock_now = 1000;
static uint8_t thread_memory[TPROF_THREADS_MEMORY(CORES, 16, 16)]
    __attribute__((aligned(64)));
static uint8_t memory[TPROF_LOCKS_MEMORY(16, 64)] __attribute__((aligned(64)));

/* --- The agent without its other parts ------------------------------------ */

uint64_t tprof_machine_look_at_clock(void)
{
    return atomic_fetch_add(&clock_now, 1) + 1;
}

uint32_t tprof_arch_core_index(void)
{
    return tprof_machine.core;
}

uint32_t tprof_arch_core_id(void)
{
    return tprof_machine.core;
}

void tprof_arch_wake(uint32_t hardware_id)
{
    (void)hardware_id;
}

static void init(void)
{
    tprof_agent.config.cpus = CORES;
    for (uint32_t i = 0; i < CORES; i++) {
        cpu[i].index = i;
        tprof_agent.core[i] = tprof_cpu[i] = &cpu[i];
    }
    tprof_cpus = CORES;
    tprof_agent.second = UINT32_MAX; /* the pump waits for each core */
    tprof_agent.ready = 1;
    CHECK_EQ(tprof_threads(&(struct tprof_threads_config){
                 .memory = thread_memory,
                 .size = sizeof thread_memory,
                 .threads = 16,
                 .waits = 16,
             }),
             TPROF_OK);
    CHECK_EQ(tprof_locks(&(struct tprof_locks_config){
                 .memory = memory,
                 .size = sizeof memory,
                 .locks = 16,
                 .waits = 64,
             }),
             TPROF_OK);
}

/* --- The pump's side ------------------------------------------------------ */

static atomic_flag lock[LOCKS];
static uint64_t last[LOCKS][22]; /* values of the last LOCK, by tag */
static uint64_t waits_by_entry[64], kind_of[64];

static uint64_t field(const struct tprof_frame *f, uint32_t tag)
{
    uint64_t value = 0;

    for (uint32_t at = 8; at < f->used; at += 2u + f->data[at + 1]) {
        for (uint32_t i = f->data[at + 1]; f->data[at] == tag && i > 0; i--)
            value = value << 8 | f->data[at + 1 + i];
    }
    return value;
}

static void check_times(const struct tprof_frame *f, uint32_t tag)
{
    CHECK(field(f, tag + WIRE_LOCK_LEAST) <= field(f, tag + WIRE_LOCK_LONGEST));
    CHECK(field(f, tag + WIRE_LOCK_LONGEST) <= field(f, tag + WIRE_LOCK_TIME));
    CHECK(field(f, tag + WIRE_LOCK_READY) + field(f, tag + WIRE_LOCK_BLOCKED) <=
          field(f, tag + WIRE_LOCK_TIME));
}

static void check_frame(const struct tprof_frame *f)
{
    if (f->data[2] == WIRE_LOCK_WAIT) {
        uint64_t entry = field(f, WIRE_LOCK_WAIT_ENTRY);

        CHECK(entry < 64);
        check_times(f, WIRE_LOCK_WAIT_TIMES);
        waits_by_entry[entry] = field(f, WIRE_LOCK_WAIT_TIMES);
        kind_of[entry] = field(f, WIRE_LOCK_WAIT_KIND);
    }
    if (f->data[2] != WIRE_LOCK)
        return;
    uint64_t at = field(f, WIRE_LOCK_ADDRESS) - (uintptr_t)lock;

    check_times(f, WIRE_LOCK_WAITS);
    check_times(f, WIRE_LOCK_HOLDS);
    CHECK(field(f, WIRE_LOCK_HOLDS + WIRE_LOCK_TIME) +
              field(f, WIRE_LOCK_HOLDING) <=
          field(f, WIRE_LOCK_NOW) - field(f, WIRE_LOCK_SINCE));
    /* a core that has just acquired the lock still counts */
    CHECK(field(f, WIRE_LOCK_MOST_WAITING) <= CORES);
    for (uint32_t tag = 1; tag < 22 && at / sizeof lock[0] < LOCKS; tag++)
        last[at / sizeof lock[0]][tag] = field(f, tag);
}

/* As the pump calls it. Returns whether more is owed. */
static bool speak(void)
{
    uint8_t data[1536];
    struct tprof_frame f;

    tprof_frame_begin(&f, data, sizeof data, WIRE_THREAD, 0);
    tprof_sums_speak(&f);
    if (f.used > 8)
        check_frame(&f);
    return atomic_load(&tprof_agent.owes_sums);
}

static void speak_all(enum tprof_sums_order order)
{
    tprof_sums_order(order);
    while (speak())
        sched_yield();
}

/* --- The cores' side ------------------------------------------------------ */

static atomic_uint at_work;
/* Written by the holder of the lock. A time is from (least) to (most). */
static struct account {
    uint64_t acquires, waits, least, most;
} account[LOCKS];

static void acquire(uint32_t i)
{
    struct account mine = {.acquires = 1};

    if (atomic_flag_test_and_set(&lock[i])) {
        uint64_t before = atomic_load(&clock_now);

        tprof_wait(&lock[i]);
        uint64_t after = atomic_load(&clock_now);

        while (atomic_flag_test_and_set(&lock[i]))
            sched_yield();
        mine.waits = 1;
        mine.least = atomic_load(&clock_now) - after;
        tprof_got(&lock[i]);
        mine.most = atomic_load(&clock_now) - before;
    } else {
        tprof_got(&lock[i]);
    }
    account[i].acquires += mine.acquires;
    account[i].waits += mine.waits;
    account[i].least += mine.least;
    account[i].most += mine.most;
}

static void release(uint32_t i)
{
    tprof_gave(&lock[i]);
    atomic_flag_clear(&lock[i]);
}

static void *be_core(void *arg)
{
    uint64_t random = (uintptr_t)arg;

    tprof_machine.core = (uint32_t)(uintptr_t)arg;
    for (uint32_t i = 0; i < TURNS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t first = (uint32_t)(random >> 33) % LOCKS;

        acquire(first);
        if (random >> 60 == 0) /* a long hold: others wait */
            sched_yield();
        if (first + 1 < LOCKS) { /* nested */
            acquire(first + 1);
            release(first + 1);
        }
        release(first);
    }
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

static void race(void *(*core_does)(void *), void (*meanwhile)(void))
{
    pthread_t core[CORES];

    atomic_store(&at_work, CORES);
    for (uintptr_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_create(&core[i], NULL, core_does, (void *)i), 0);
    while (atomic_load(&at_work) > 0)
        meanwhile();
    for (uint32_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_join(core[i], NULL), 0);
}

static void send_changes(void)
{
    speak_all(TPROF_SUMS_SEND);
}

/* catches: an acquire or a wait that is lost or counts twice; a frame whose
 * sums contradict each other */
TEST(sums_are_those_of_the_cores)
{
    uint64_t waits = 0, waited = 0, held = 0;

    init();
    speak_all(TPROF_SUMS_BEGIN);
    race(be_core, send_changes);
    tprof_sums_order(TPROF_SUMS_END);
    speak_all(TPROF_SUMS_SEND_ALL);
    for (uint32_t i = 0; i < LOCKS; i++) {
        const uint64_t *w = &last[i][WIRE_LOCK_WAITS];

        CHECK_EQ(last[i][WIRE_LOCK_ACQUIRES], account[i].acquires);
        CHECK_EQ(last[i][WIRE_LOCK_HOLDS], account[i].acquires);
        CHECK_EQ(w[WIRE_LOCK_COUNT], account[i].waits);
        CHECK(w[WIRE_LOCK_TIME] >= account[i].least);
        CHECK(w[WIRE_LOCK_TIME] <= account[i].most);
        CHECK_EQ(last[i][WIRE_LOCK_WAITING], 0);
        CHECK_EQ(last[i][WIRE_LOCK_HOLDING], 0);
        waits += account[i].waits;
    }
    for (uint32_t i = 0; i < 64; i++)
        *(kind_of[i] ? &held : &waited) += waits_by_entry[i];
    CHECK(waits > 100);
    CHECK_EQ(waited, waits);
    CHECK(held > 0);
}

static atomic_uint rounds; /* of frames */

static void *keep_lock(void *arg)
{
    const time_t until = time(NULL) + 5; /* cores may have little time here */

    tprof_machine.core = (uint32_t)(uintptr_t)arg;
    while (atomic_load(&rounds) < 20000 && time(NULL) < until) {
        acquire(0);
        atomic_fetch_add(&clock_now,
                         1000000); /* the lock is hardly ever free */
        release(0);
    }
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

static void send_all(void)
{
    speak_all(TPROF_SUMS_SEND_ALL);
    atomic_fetch_add(&rounds, 1);
}

/* check_frame() compares. catches: a hold that ends just now, in HOLDS and in
 * HOLDING */
TEST(hold_counts_once)
{
    init();
    speak_all(TPROF_SUMS_BEGIN);
    race(keep_lock, send_all);
}

static void begin_anew(void)
{
    tprof_sums_order(TPROF_SUMS_END);
    speak_all(TPROF_SUMS_BEGIN);
    speak_all(TPROF_SUMS_SEND_ALL);
    CHECK(tprof_lock_name(&lock[0], "first") == TPROF_OK);
}

/* catches: cores that count while the tables are cleared; a name in a record
 * that is freed */
TEST(sums_begin_anew_while_cores_race)
{
    init();
    speak_all(TPROF_SUMS_BEGIN);
    race(be_core, begin_anew);
    tprof_sums_order(TPROF_SUMS_END);
    speak_all(TPROF_SUMS_SEND_ALL);
}
