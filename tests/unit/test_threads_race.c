/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sums of threads while cores race: each core is a thread of this process,
 * with a virtual machine of its own (machine.h) and one clock for all.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "machine.h"
#include "state/agent.h"
#include "threads/sums.h"

#define CORES   4u
#define EVENTS  50000u /* of each core */
#define THREADS 64u
#define WAITS   128u
#define IDS     12u /* all cores run and wake the same threads */

_Thread_local struct tprof_machine tprof_machine;
static struct tprof_cpu cpu[CORES];
static _Atomic uint64_t clock_now = 1000;
static uint8_t memory[TPROF_THREADS_MEMORY(CORES, THREADS, WAITS)]
    __attribute__((aligned(64)));
static uint8_t request_memory[TPROF_REQUESTS_MEMORY(1, 32, 4)]
    __attribute__((aligned(64)));

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
    const struct tprof_threads_config config = {
        .memory = memory,
        .size = sizeof memory,
        .threads = THREADS,
        .waits = WAITS,
    };

    const struct tprof_requests_config requests = {
        .memory = request_memory,
        .size = sizeof request_memory,
        .open = 32,
        .slow = 4,
    };

    tprof_agent.config.cpus = CORES;
    for (uint32_t i = 0; i < CORES; i++) {
        cpu[i].index = i;
        tprof_agent.core[i] = tprof_cpu[i] = &cpu[i];
    }
    tprof_cpus = CORES;
    tprof_agent.second = UINT32_MAX; /* the pump waits for each core */
    tprof_agent.ready = 1;
    CHECK_EQ(tprof_threads(&config), TPROF_OK);
    CHECK_EQ(tprof_requests(&requests), TPROF_OK);
}

/* --- The pump's side ------------------------------------------------------ */

static uint64_t threads, cores, waits, kinds, slow; /* frames */
/* The last frames' values by tag, of each thread's id and of core 0 */
static uint64_t thread_of[IDS][14], core_0[18];

static uint64_t field(const struct tprof_frame *f, uint32_t tag)
{
    uint64_t value = 0;

    for (uint32_t at = 8; at < f->used; at += 2u + f->data[at + 1]) {
        for (uint32_t i = f->data[at + 1]; f->data[at] == tag && i > 0; i--)
            value = value << 8 | f->data[at + 1 + i];
    }
    return value;
}

static void keep(const struct tprof_frame *f, uint64_t *value, uint32_t tags)
{
    for (uint32_t tag = 0; tag < tags; tag++)
        value[tag] = field(f, tag);
}

static void check_frame(const struct tprof_frame *f)
{
    switch (f->data[2]) {
    case WIRE_THREAD:
        keep(f, thread_of[field(f, 2)], 14);
        if (field(f, 7) == WIRE_IS_UNKNOWN && !(field(f, 4) & 2))
            break;
        threads++;
        CHECK_EQ(field(f, 8) + field(f, 9) + field(f, 10),
                 field(f, 5) - field(f, 6));
        break;
    case WIRE_SCHED:
        cores++;
        if (field(f, 1) == 0)
            keep(f, core_0, 18);
        CHECK_EQ(field(f, 5) + field(f, 6) + field(f, 7),
                 field(f, 2) - field(f, 3));
        CHECK(field(f, 9) <= field(f, 6));
        break;
    case WIRE_REQUEST:
        kinds++;
        CHECK(field(f, 7) + field(f, 8) + field(f, 9) <= field(f, 6));
        break;
    case WIRE_SLOW:
        slow++;
        CHECK(field(f, 5) + field(f, 6) + field(f, 7) <= field(f, 4));
        break;
    case WIRE_WAIT:
        waits++;
        CHECK(field(f, 7) <= field(f, 6)); /* LONGEST, TIME */
        break;
    }
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

/* --- The cores' side ------------------------------------------------------ */

static atomic_uint at_work;

static uint32_t below(uint64_t *random, uint32_t limit)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % limit);
}

/* Any core runs, wakes, names and ends any thread: more than a kernel does. */
static void *be_core(void *arg)
{
    uint64_t random = (uintptr_t)arg, running = 0;

    tprof_machine.core = (uint32_t)(uintptr_t)arg;
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint64_t id = below(&random, IDS); /* 0: none */

        switch (below(&random, 24)) {
        case 0:
            if (id >= IDS / 2)
                tprof_name(id, "again");
            break;
        case 1:
            if (id >= IDS / 2)
                tprof_thread_end(id);
            break;
        case 2:
        case 3:
        case 4:
        case 5:
            tprof_wake(id);
            break;
        case 6:
        case 7:
            tprof_begin(0, id);
            break;
        case 8:
            tprof_queue(0, id);
            break;
        case 9:
        case 10:
            tprof_request(0, id);
            break;
        case 11:
        case 12:
        case 13:
            tprof_end(0, id);
            break;
        default:
            tprof_switch(running, id, below(&random, 2));
            running = id;
        }
    }
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

static void race(void)
{
    pthread_t core[CORES];

    atomic_store(&at_work, CORES);
    for (uintptr_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_create(&core[i], NULL, be_core, (void *)i), 0);
    tprof_machine.core = 0;
    while (atomic_load(&at_work) > 0) {
        tprof_sums_order(TPROF_SUMS_SEND);
        while (speak())
            sched_yield();
    }
    for (uint32_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_join(core[i], NULL), 0);
}

static void begin(void)
{
    init();
    for (uint64_t id = 1; id < IDS; id++)
        CHECK_EQ((id == 1 ? tprof_name_idle : tprof_name)(id, "thread"),
                 TPROF_OK);
    tprof_sums_order(TPROF_SUMS_BEGIN);
    while (speak())
        ;
}

/* catches: a time that is added after the thread's record was given away; a
 * frame of a record that a core is changing */
TEST(times_add_up_while_four_cores_race)
{
    begin();
    race();
    tprof_sums_order(TPROF_SUMS_END);
    threads = cores = 0;
    tprof_sums_order(TPROF_SUMS_SEND_ALL);
    while (speak())
        ;
    CHECK(threads >= IDS / 2 - 1);
    CHECK(kinds > 0 && slow > 0);
    CHECK_EQ(cores, CORES);
}

/* catches: cores that count while the tables are cleared */
TEST(sums_begin_anew_while_cores_race)
{
    pthread_t core[CORES];

    begin();
    atomic_store(&at_work, CORES);
    for (uintptr_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_create(&core[i], NULL, be_core, (void *)i), 0);
    while (atomic_load(&at_work) > 0) {
        tprof_sums_order(TPROF_SUMS_END);
        tprof_sums_order(TPROF_SUMS_BEGIN);
        while (speak())
            sched_yield();
        tprof_sums_order(TPROF_SUMS_SEND_ALL);
        while (speak())
            ;
    }
    for (uint32_t i = 0; i < CORES; i++)
        CHECK_EQ(pthread_join(core[i], NULL), 0);
}

/* catches: rounds that begin with the first entry, so that a busy guest never
 * sends the last ones */
TEST(rounds_that_are_cut_short_go_on_where_they_were)
{
    begin();
    threads = cores = waits = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        tprof_switch(2, 3, TPROF_BLOCKED);
        tprof_wake(2);
        tprof_switch(3, 2, TPROF_READY);
        tprof_sums_order(TPROF_SUMS_SEND);
        for (uint32_t k = 0; k < CORES - 1; k++)
            speak();
    }
    CHECK(threads > 100);
    CHECK(waits > 100);
    CHECK(cores > 100);
}

/* catches: a pump that has nothing to do for ever: tprof_threads() may say so
 * just after a START on another core */
TEST(order_to_send_keeps_the_pump_at_work_while_it_clears)
{
    begin();
    tprof_sums_order(TPROF_SUMS_END);
    tprof_sums_order(TPROF_SUMS_BEGIN);
    atomic_store(&tprof_agent.owes_sums, 0);
    tprof_sums_order(TPROF_SUMS_SEND);
    CHECK(atomic_load(&tprof_agent.owes_sums));
}

/* --- After the end of the sums -------------------------------------------- */

static void pass(uint64_t ticks)
{
    atomic_fetch_add(&clock_now, ticks);
}

static void send_all(void)
{
    tprof_sums_order(TPROF_SUMS_SEND_ALL);
    while (speak())
        ;
}

/* catches: the time before the end as a time of the thread that runs after it
 */
TEST(core_that_was_idle_at_the_end_was_idle)
{
    begin();
    tprof_switch(2, 1, TPROF_READY); /* 1 is an idle thread */
    pass(50000);
    tprof_sums_order(TPROF_SUMS_END);
    pass(700);
    tprof_switch(1, 3, TPROF_READY);
    send_all();
    CHECK(core_0[6] >= 50000 && core_0[6] < 50100); /* IDLE */
    CHECK(core_0[5] < 100);                         /* RUNNING */
}

/* catches: the last time of a thread that ends after the sums */
TEST(thread_that_ends_after_the_sums_has_its_times)
{
    begin();
    tprof_switch(2, 3, TPROF_BLOCKED);
    pass(50000);
    tprof_sums_order(TPROF_SUMS_END);
    pass(700);
    tprof_switch(3, 4, TPROF_ENDED);
    tprof_thread_end(2);
    tprof_thread_end(5); /* its state is not known */
    waits = 0;
    send_all();
    CHECK_EQ(thread_of[3][4], WIRE_THREAD_ENDED);
    CHECK(thread_of[3][8] >= 50000 && thread_of[3][8] < 50100); /* RUNNING */
    CHECK_EQ(thread_of[3][5], thread_of[2][5]);                 /* NOW */
    CHECK(thread_of[2][10] >= 50000);                           /* BLOCKED */
    CHECK(thread_of[2][10] < 50100);
    CHECK(core_0[5] >= 50000 && core_0[5] < 50200);
    CHECK_EQ(thread_of[5][5], thread_of[5][6]);
}

/* catches: a thread that runs forever, because the sums began after its last
 * event */
TEST(thread_named_while_the_sums_are_cleared_is_unknown)
{
    begin();
    tprof_sums_order(TPROF_SUMS_END);
    tprof_sums_order(TPROF_SUMS_BEGIN);
    while (atomic_load(&tprof_sums.counting) == 0) {
        tprof_thread(5);
        CHECK_EQ(tprof_name(5, "late"), TPROF_OK);
        tprof_switch(5, 6, TPROF_BLOCKED);
        speak();
    }
    send_all();
    CHECK_EQ(thread_of[5][7], WIRE_IS_UNKNOWN);
    CHECK_EQ(thread_of[6][7], WIRE_IS_RUNNING);
}
