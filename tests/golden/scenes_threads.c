/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of threads, and the sums of their times. */
#include <string.h>

#include "scenes.h"

#define SINCE 1000000u
#define MS    1000000u /* ticks */
#define ALL   (500 * MS)

static void runs(uint64_t serial, uint64_t id)
{
    wiregen_long_begin(&wire, WIRE_LONG_THREAD);
    wiregen_varint(&wire, serial);
    wiregen_varint(&wire, id);
    wiregen_long_end(&wire);
}

/* A thread that ran and was ready so long; the rest of the time it waited. */
static void thread(uint64_t serial, uint64_t id, const char *name,
                   uint8_t flags, uint64_t running, uint64_t ready)
{
    wiregen_open(&wire, WIRE_THREAD);
    wiregen_field(&wire, WIRE_THREAD_SERIAL, serial, 4);
    wiregen_field(&wire, WIRE_THREAD_ID, id, 8);
    wiregen_field_bytes(&wire, WIRE_THREAD_NAME, name, (uint8_t)strlen(name));
    wiregen_field(&wire, WIRE_THREAD_FLAGS, flags, 1);
    wiregen_field(&wire, WIRE_THREAD_NOW, SINCE + ALL, 8);
    wiregen_field(&wire, WIRE_THREAD_SINCE, SINCE, 8);
    wiregen_field(&wire, WIRE_THREAD_STATE,
                  flags & WIRE_THREAD_ENDED ? WIRE_IS_UNKNOWN : WIRE_IS_BLOCKED,
                  1);
    wiregen_field(&wire, WIRE_THREAD_RUNNING, running, 8);
    wiregen_field(&wire, WIRE_THREAD_READY, ready, 8);
    wiregen_field(&wire, WIRE_THREAD_BLOCKED, ALL - running - ready, 8);
    wiregen_field(&wire, WIRE_THREAD_SWITCHES, 240 / serial, 8);
    wiregen_field(&wire, WIRE_THREAD_SLOT, serial, 4);
    if (serial == 3) /* waits still */
        wiregen_field(&wire, WIRE_THREAD_WAIT, 3, 4);
    wiregen_close(&wire);
}

/* Waits of a thread, at or ended by the chain (frames), which ends in 0. */
static void wait(uint32_t entry, uint8_t kind, uint64_t serial,
                 const uint64_t *frames, uint64_t count, uint64_t time,
                 uint64_t longest)
{
    struct wiregen chain = {0};

    for (uint64_t last = 0; *frames != 0; last = *frames++)
        wiregen_zigzag(&chain, (int64_t)(*frames - last));
    wiregen_open(&wire, WIRE_WAIT);
    wiregen_field(&wire, WIRE_WAIT_KIND, kind, 1);
    wiregen_field(&wire, WIRE_WAIT_SERIAL, serial, 4);
    if (chain.size != 0)
        wiregen_field_bytes(&wire, WIRE_WAIT_STACK, chain.bytes,
                            (uint8_t)chain.size);
    wiregen_field(&wire, WIRE_WAIT_END, WIRE_END_ZERO, 1);
    wiregen_field(&wire, WIRE_WAIT_COUNT, count, 8);
    wiregen_field(&wire, WIRE_WAIT_TIME, time, 8);
    wiregen_field(&wire, WIRE_WAIT_LONGEST, longest, 8);
    wiregen_field(&wire, WIRE_WAIT_ENTRY, entry, 4);
    wiregen_close(&wire);
    wiregen_fini(&chain);
}
#define CHAIN(...) ((const uint64_t[]){__VA_ARGS__, 0})

/* Half of the times from ready to running are of 11 bits, one of 21. */
static void sched(uint16_t core, uint64_t running, uint64_t idle,
                  uint64_t ready_idle)
{
    static const uint8_t ready[] = {9, 40, 11, 61, 14, 18, 21, 1};

    wiregen_open(&wire, WIRE_SCHED);
    wiregen_field(&wire, WIRE_SCHED_CORE, core, 2);
    wiregen_field(&wire, WIRE_SCHED_NOW, SINCE + ALL, 8);
    wiregen_field(&wire, WIRE_SCHED_SINCE, SINCE, 8);
    wiregen_field(&wire, WIRE_SCHED_SWITCHES, 240, 8);
    wiregen_field(&wire, WIRE_SCHED_RUNNING, running, 8);
    wiregen_field(&wire, WIRE_SCHED_IDLE, idle, 8);
    wiregen_field(&wire, WIRE_SCHED_UNNAMED, ALL - running - idle, 8);
    wiregen_field(&wire, WIRE_SCHED_MOVED, 12, 8);
    wiregen_field(&wire, WIRE_SCHED_READY_IDLE, ready_idle, 8);
    wiregen_field_bytes(&wire, WIRE_SCHED_HISTOGRAM, ready, sizeof ready);
    if (core == 0)
        wiregen_field(&wire, WIRE_SCHED_REFUSED, 3, 8);
    wiregen_close(&wire);
}

/* The samples of the thread are of request (number) of (kind). */
static void works_on(uint8_t kind, uint64_t number)
{
    wiregen_long_begin(&wire, WIRE_LONG_REQUEST);
    wiregen_varint(&wire, kind);
    wiregen_varint(&wire, number);
    wiregen_long_end(&wire);
}

/* Samples of Ping, Pong, two workers, an idle thread, and none. */
static void core_of_threads(uint16_t core, bool with_requests)
{
    begin_core(core);
    STACK(1, WIRE_END_ZERO, AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    STACK(2, WIRE_END_ZERO, AFTER_THREAD);
    samples(core, 5, 2, IN_RECEIVE, 0); /* before the first switch */
    for (unsigned i = 0; i < 10; i++) {
        runs(1, 0x1001);
        samples(core, 4, 1, IN_PUSH, 0);
        if (with_requests)
            works_on(0, 100 * i + 7);
        samples(core, 2, 1, IN_PUSH, 0);
        runs(2, 0x1002);
        samples(core, 3, 1, IN_PUSH, 0);
        samples(core, 2, 2, IN_RECEIVE, 0);
        runs(3 + core, 0x1003u + core);
        samples(core, 4, 2, IN_RECEIVE, 0);
        runs(0, 0x9999); /* no record in the guest */
        samples(core, 1, 2, IN_RECEIVE, 0);
        runs(5, 0x1000);
        samples(core, 9, 2, AFTER_HLT, 0);
    }
    end_frame(core);
}

/* A kind of requests: of (count) requests 1 in 100 was slow. */
static void requests_of(uint8_t kind, const char *name, uint64_t count)
{
    struct wiregen fast = {0}, long_ones = {0};

    wiregen_open(&wire, WIRE_REQUEST);
    wiregen_field(&wire, WIRE_REQUEST_KIND, kind, 1);
    wiregen_field_bytes(&wire, WIRE_REQUEST_NAME, name, (uint8_t)strlen(name));
    wiregen_field(&wire, WIRE_REQUEST_NOW, SINCE + ALL, 8);
    wiregen_field(&wire, WIRE_REQUEST_SINCE, SINCE, 8);
    wiregen_field(&wire, WIRE_REQUEST_COUNT, count, 8);
    wiregen_field(&wire, WIRE_REQUEST_TIME, count * MS / 4, 8);
    wiregen_field(&wire, WIRE_REQUEST_RUNNING, count * MS / 16, 8);
    wiregen_field(&wire, WIRE_REQUEST_READY, count * MS / 32, 8);
    wiregen_field(&wire, WIRE_REQUEST_BLOCKED, count * MS / 8, 8);
    wiregen_field(&wire, WIRE_REQUEST_LONGEST, 13 * MS, 8);
    wiregen_field(&wire, WIRE_REQUEST_OPEN, 2, 8);
    wiregen_field(&wire, WIRE_REQUEST_REFUSED, 1, 8);
    wiregen_field(&wire, WIRE_REQUEST_SLOW, count / 100, 8);
    wiregen_field(&wire, WIRE_REQUEST_LIMIT, 11 * MS, 8);
    wiregen_close(&wire);
    /* 131072 to 132095 and 12582912 to 12648447 ticks: 128 s + d */
    wiregen_varint(&fast, count - count / 100);
    wiregen_varint(&long_ones, count / 100);
    for (int i = 0; i < 2; i++) {
        const struct wiregen *counts = i == 0 ? &fast : &long_ones;

        wiregen_open(&wire, WIRE_REQUEST_TIMES);
        wiregen_field(&wire, WIRE_REQUEST_TIMES_KIND, kind, 1);
        wiregen_field(&wire, WIRE_REQUEST_TIMES_FIRST,
                      i == 0 ? 128 * 10 + 128 : 128 * 16 + 192, 2);
        wiregen_field_bytes(&wire, WIRE_REQUEST_TIMES_COUNTS, counts->bytes,
                            (uint8_t)counts->size);
        wiregen_close(&wire);
    }
    wiregen_fini(&fast);
    wiregen_fini(&long_ones);
}

/* A slow request, whose longest wait was at (entry). */
static void slow(uint8_t kind, uint64_t number, uint64_t time, uint64_t waited,
                 uint32_t entry)
{
    wiregen_open(&wire, WIRE_SLOW);
    wiregen_field(&wire, WIRE_SLOW_KIND, kind, 1);
    wiregen_field(&wire, WIRE_SLOW_NUMBER, number, 8);
    wiregen_field(&wire, WIRE_SLOW_BEGAN, SINCE + number * MS, 8);
    wiregen_field(&wire, WIRE_SLOW_TIME, time, 8);
    wiregen_field(&wire, WIRE_SLOW_RUNNING, time / 8, 8);
    wiregen_field(&wire, WIRE_SLOW_READY, time / 32, 8);
    wiregen_field(&wire, WIRE_SLOW_BLOCKED, waited, 8);
    if (waited != 0) {
        wiregen_field(&wire, WIRE_SLOW_LONGEST, waited, 8);
        wiregen_field(&wire, WIRE_SLOW_WAIT, entry, 4);
        wiregen_field(&wire, WIRE_SLOW_SERIAL, 1, 4);
    }
    wiregen_close(&wire);
}

static void write_threads(bool with_requests)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    core_of_threads(0, with_requests);
    core_of_threads(1, with_requests);
    thread(1, 0x1001, "Ping", 0, 240 * MS, 20 * MS);
    thread(2, 0x1002, "Pong\x1b[2J", 0, 200 * MS, 10 * MS);
    thread(3, 0x1003, "worker", 0, 90 * MS, 60 * MS);
    thread(4, 0x1004, "worker", WIRE_THREAD_ENDED, 60 * MS, 0);
    thread(5, 0x1000, "swapper", WIRE_THREAD_IDLE, 370 * MS, 130 * MS);
    wait(0, WIRE_WAIT_BLOCKED, 1,
         CHAIN(PUSH_RET, AFTER_PUSH, AFTER_RECV, AFTER_THREAD), 1203, 240 * MS,
         12 * MS);
    wait(1, WIRE_WAIT_BLOCKED, 2,
         CHAIN(PUSH_RET, AFTER_PUSH, AFTER_RECV, AFTER_THREAD), 900, 250 * MS,
         40 * MS);
    wait(2, WIRE_WAIT_BLOCKED, 2, CHAIN(PUSH_RET, AFTER_THREAD), 3, 40 * MS,
         38 * MS);
    wait(3, WIRE_WAIT_BLOCKED, 3, CHAIN(0), 6, 50 * MS, 30 * MS);
    wait(4, WIRE_WAIT_WAKER, 2, CHAIN(AFTER_RECV, AFTER_THREAD), 850, 240 * MS,
         40 * MS);
    wait(5, WIRE_WAIT_WAKER, 2, CHAIN(AFTER_RECV), 53, 50 * MS, 38 * MS);
    wait(6, WIRE_WAIT_WAKER, 1, CHAIN(AFTER_PUSH, AFTER_RECV, AFTER_THREAD),
         1203, 240 * MS, 12 * MS);
    sched(0, 300 * MS, 180 * MS, 50000);
    sched(1, 290 * MS, 190 * MS, 41 * MS);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
}

/* --- Locks ---------------------------------------------------------------- */

/* Sums of waits or holds: (tag) is that of their number. (part) of the time was
 * ready, and as much blocked. */
static void times(uint8_t tag, uint64_t count, uint64_t time, uint64_t part,
                  uint64_t longest)
{
    wiregen_field(&wire, tag + WIRE_LOCK_COUNT, count, 8);
    wiregen_field(&wire, tag + WIRE_LOCK_TIME, time, 8);
    wiregen_field(&wire, tag + WIRE_LOCK_READY, part, 8);
    wiregen_field(&wire, tag + WIRE_LOCK_BLOCKED, part, 8);
    wiregen_field(&wire, tag + WIRE_LOCK_LEAST, 100, 8);
    wiregen_field(&wire, tag + WIRE_LOCK_LONGEST, longest, 8);
}

static void begin_lock(uint64_t address, const char *name, uint64_t acquires)
{
    wiregen_open(&wire, WIRE_LOCK);
    wiregen_field(&wire, WIRE_LOCK_ADDRESS, address, 8);
    if (name[0] != '\0')
        wiregen_field_bytes(&wire, WIRE_LOCK_NAME, name, (uint8_t)strlen(name));
    wiregen_field(&wire, WIRE_LOCK_SINCE, SINCE, 8);
    wiregen_field(&wire, WIRE_LOCK_NOW, SINCE + ALL, 8);
    wiregen_field(&wire, WIRE_LOCK_ACQUIRES, acquires, 8);
}

static void lock_wait(uint32_t entry, uint64_t address, uint8_t kind,
                      uint64_t serial, const uint64_t *frames, uint64_t count,
                      uint64_t time)
{
    struct wiregen chain = {0};

    for (uint64_t last = 0; *frames != 0; last = *frames++)
        wiregen_zigzag(&chain, (int64_t)(*frames - last));
    wiregen_open(&wire, WIRE_LOCK_WAIT);
    wiregen_field(&wire, WIRE_LOCK_WAIT_ADDRESS, address, 8);
    wiregen_field(&wire, WIRE_LOCK_WAIT_KIND, kind, 1);
    wiregen_field(&wire, WIRE_LOCK_WAIT_SERIAL, serial, 4);
    if (chain.size != 0)
        wiregen_field_bytes(&wire, WIRE_LOCK_WAIT_STACK, chain.bytes,
                            (uint8_t)chain.size);
    wiregen_field(&wire, WIRE_LOCK_WAIT_END, WIRE_END_ZERO, 1);
    wiregen_field(&wire, WIRE_LOCK_WAIT_ENTRY, entry, 4);
    times(WIRE_LOCK_WAIT_TIMES, count, time, 0, time / 2);
    wiregen_close(&wire);
    wiregen_fini(&chain);
}

#define HEAP 0x7f8040u

/* A lock whose holder is preempted, a spinlock without a name, for which two
 * threads wait still, a lock that nobody waits for, and all others. */
void locks(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    core_of_threads(0, false);
    core_of_threads(1, false);
    thread(1, 0x1001, "High", 0, 240 * MS, 20 * MS);
    thread(2, 0x1002, "Low\x1b[2J", 0, 200 * MS, 10 * MS);
    begin_lock(0x300010, "queue\x1b[2J", 4000);
    wiregen_field(&wire, WIRE_LOCK_MOST_WAITING, 2, 4);
    times(WIRE_LOCK_WAITS, 1200, 180 * MS, 80 * MS, 40 * MS);
    times(WIRE_LOCK_HOLDS, 4000, 300 * MS, 90 * MS, 41 * MS);
    wiregen_close(&wire);
    begin_lock(HEAP, "", 900000);
    wiregen_field(&wire, WIRE_LOCK_WAITING, 2, 4);
    wiregen_field(&wire, WIRE_LOCK_MOST_WAITING, 3, 4);
    wiregen_field(&wire, WIRE_LOCK_HOLDING, 3 * MS, 8);
    times(WIRE_LOCK_WAITS, 90000, 20 * MS, 0, MS);
    times(WIRE_LOCK_HOLDS, 900000, 40 * MS, 0, 2 * MS);
    wiregen_close(&wire);
    begin_lock(HEAP + 0x40, "quiet", 3);
    times(WIRE_LOCK_HOLDS, 3, MS, 0, MS);
    wiregen_close(&wire);
    begin_lock(0, "", 70);
    wiregen_field(&wire, WIRE_LOCK_UNTIMED, 12, 8);
    times(WIRE_LOCK_WAITS, 7, MS, 0, MS);
    wiregen_close(&wire);
    lock_wait(2, 0x300010, WIRE_LOCK_WAITED, 1,
              CHAIN(PUSH_RET, AFTER_PUSH, AFTER_RECV, AFTER_THREAD), 1000,
              170 * MS);
    lock_wait(3, 0x300010, WIRE_LOCK_WAITED, 2, CHAIN(PUSH_RET, AFTER_THREAD),
              200, 10 * MS);
    lock_wait(4, 0x300010, WIRE_LOCK_HELD, 2,
              CHAIN(PUSH_RET, AFTER_RECV, AFTER_THREAD), 1100, 175 * MS);
    lock_wait(5, HEAP, WIRE_LOCK_WAITED, 0, CHAIN(AFTER_RECV, AFTER_THREAD),
              90000, 20 * MS);
    lock_wait(0, 0, WIRE_LOCK_WAITED, 0, CHAIN(0), 7, MS);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
}

void threads(void)
{
    write_threads(false);
}

void requests(void)
{
    write_threads(true);
    /* before the waits that they name, as the agent sends them */
    slow(0, 107, 12 * MS, 9 * MS, 2);
    slow(0, 207, 13 * MS, 10 * MS, 2);
    slow(0, 307, 11 * MS, 4 * MS, 0);
    slow(0, 407, 11 * MS, 0, 0);
    requests_of(0, "page\x1b[2J", 1200);
    requests_of(3, "", 100);
}
