/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a scheduler tells the profiler about its threads, by calls that do
 * nothing before timed_init(), or where the guest is built WITHOUT_AGENT. The
 * id of a thread is the address of its control block.
 */
#ifndef GUEST_TIMED_H
#define GUEST_TIMED_H

#include <stdbool.h>
#include <stdint.h>

#ifdef GUEST_WITHOUT_TPROF

static inline void timed_init(void)
{
}
static inline void timed_name(const void *thread, const char *name, bool idle)
{
    (void)thread;
    (void)name;
    (void)idle;
}
static inline void timed_switch(const void *from, const void *to, bool blocked)
{
    (void)from;
    (void)to;
    (void)blocked;
}
static inline void timed_wake(const void *thread)
{
    (void)thread;
}
static inline void timed_requests_init(const char *name)
{
    (void)name;
}
static inline void timed_begin(uint64_t number)
{
    (void)number;
}
static inline void timed_request(uint64_t number)
{
    (void)number;
}
static inline void timed_end(uint64_t number)
{
    (void)number;
}

#else

#include <tprof/tprof.h>

#include "guest.h"

extern bool timed_is_on __attribute__((weak));
bool timed_is_on;
extern bool timed_counts_requests __attribute__((weak));
bool timed_counts_requests;

#define TIMED_THREADS 256
#define TIMED_WAITS   512

/* After agent_init(); nothing without an agent. */
static inline void timed_init(void)
{
    static uint8_t memory[TPROF_THREADS_MEMORY(GUEST_CORES_MAX, TIMED_THREADS,
                                               TIMED_WAITS)]
        __attribute__((aligned(64)));
    const struct tprof_threads_config config = {
        .memory = memory,
        .size = sizeof memory,
        .threads = TIMED_THREADS,
        .waits = TIMED_WAITS,
    };
    int error = tprof_threads(&config);

    if (error != TPROF_OK && error != TPROF_ERR_NOT_INIT)
        guest_fail(tprof_strerror(error));
    timed_is_on = true;
}

static inline void timed_name(const void *thread, const char *name, bool idle)
{
    if (timed_is_on)
        (void)(idle ? tprof_name_idle : tprof_name)((uintptr_t)thread, name);
}

static inline void timed_switch(const void *from, const void *to, bool blocked)
{
    if (timed_is_on)
        tprof_switch((uintptr_t)from, (uintptr_t)to,
                     blocked ? TPROF_BLOCKED : TPROF_READY);
}

static inline void timed_wake(const void *thread)
{
    if (timed_is_on)
        tprof_wake((uintptr_t)thread);
}

/* Requests of one kind, which is (name). After timed_init(). */
static inline void timed_requests_init(const char *name)
{
    static uint8_t memory[TPROF_REQUESTS_MEMORY(1, 512, 32)]
        __attribute__((aligned(64)));
    const struct tprof_requests_config config = {
        .memory = memory,
        .size = sizeof memory,
        .open = 512,
    };

    timed_counts_requests = tprof_requests(&config) == TPROF_OK;
    if (timed_counts_requests)
        (void)tprof_kind(0, name);
}

static inline void timed_begin(uint64_t number)
{
    if (timed_counts_requests)
        tprof_begin(0, number);
}

/* 0: the thread puts its request aside. */
static inline void timed_request(uint64_t number)
{
    if (timed_counts_requests)
        tprof_request(0, number);
}

static inline void timed_end(uint64_t number)
{
    if (timed_counts_requests)
        tprof_end(0, number);
}

#endif

#endif
