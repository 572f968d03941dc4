/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of requests: a record for each kind, a record for each open
 * request, and for each kind a few records of slow requests, which wait to be
 * sent.
 *
 * A request that a thread works on has copies of the thread's sums. When the
 * request leaves the thread, the growth of the sums since then belongs to the
 * request. So a switch of threads costs a request nothing.
 */
#ifndef TPROF_REQUEST_TABLES_H
#define TPROF_REQUEST_TABLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "threads/sums.h"
#include "threads/thread_table.h"
#include "tprof_wire.h"

#define TPROF_TIMES_SLICE   32u /* buckets of a frame REQUEST_TIMES */
#define TPROF_TIMES_SLICES  (WIRE_REQUEST_BUCKETS / TPROF_TIMES_SLICE)
/* A slice counts as so many entries, because a call of the pump, which may be
 * in an interrupt, looks at a number of entries */
#define TPROF_TIMES_ENTRIES 4u

/* The state of a record of an open or slow request. Each change is an exchange:
 * acquire by the code that makes the record BUSY, release by the same code when
 * it is done. No code waits for a BUSY record. */
enum tprof_request_state {
    TPROF_REQUEST_FREE = 0,
    TPROF_REQUEST_KEPT = 1,
    TPROF_REQUEST_BUSY = 2, /* a core reads or changes the record */
};

/* A kind of requests. Cores add with relaxed exchanges. */
struct tprof_request_kind {
    _Alignas(64) _Atomic uint64_t count;
    _Atomic uint64_t time;                      /* of (count) requests */
    _Atomic uint64_t ticks[TPROF_THREAD_TIMES]; /* parts of (time) */
    _Atomic uint64_t longest;
    _Atomic uint64_t begun, refused, slow;
    _Atomic uint64_t limit; /* clock ticks: of slow requests */
    _Atomic uint64_t name[(WIRE_REQUEST_NAME_MAX + 1) / 8]; /* text, then 0 */
    _Atomic uint32_t next; /* the record for the next slow request */
    _Atomic uint32_t bucket[WIRE_REQUEST_BUCKETS];
    /* The pump's: the sums of slices as they were last sent */
    uint32_t told[TPROF_TIMES_SLICES];
};
_Static_assert(sizeof(struct tprof_request_kind) <= 20480,
               "what TPROF_REQUESTS_MEMORY() promises");

/* An open request. (state) guards the members, but the tick reads (kind) and
 * (number) of a request that may just end. */
struct tprof_open_request {
    _Alignas(64) _Atomic uint32_t state; /* enum tprof_request_state */
    _Atomic uint32_t kind;
    _Atomic uint64_t number;
    uint64_t begun;                     /* clock */
    uint64_t ticks[TPROF_THREAD_TIMES]; /* before (since) */
    uint64_t longest; /* as in struct tprof_work: before (since) */
    /* The work of the thread or core that works on the request; NULL: none */
    struct tprof_work *_Atomic work;
    uint64_t since;                     /* clock: of the last change */
    struct tprof_thread_record *thread; /* NULL: a core */
    uint32_t serial;                    /* of (thread) */
    /* (work->request) and (work->longest) before this request. The core that
     * makes an outer request leave the work writes them, too. */
    _Atomic uint32_t outer;
    _Atomic uint64_t before;
    uint64_t sum[TPROF_THREAD_TIMES]; /* of (thread) at (since) */
    uint64_t word;                    /* of (thread) at (since) */
};
_Static_assert(sizeof(struct tprof_open_request) == 128,
               "what TPROF_REQUESTS_MEMORY() promises");

/* A slow request that waits to be sent */
struct tprof_slow_request {
    _Alignas(64) _Atomic uint32_t state; /* enum tprof_request_state */
    uint32_t serial;                     /* of the thread that ended it; or 0 */
    _Atomic uint64_t time;               /* read without (state) to compare */
    uint64_t number, begun, longest;
    uint64_t ticks[TPROF_THREAD_TIMES];
};
_Static_assert(sizeof(struct tprof_slow_request) == 64,
               "what TPROF_REQUESTS_MEMORY() promises");

struct tprof_request_tables {
    struct tprof_request_kind *kind;
    struct tprof_open_request *open;
    struct tprof_slow_request *slow; /* (slows) of each kind */
    uint32_t kinds, opens, slows;    /* 0 before tprof_requests() */
    _Atomic uint32_t counted;        /* (kinds) while the sums last; else 0 */
    uint64_t since; /* clock: the start of the sums. The pump's. */
};
extern struct tprof_request_tables tprof_request_tables;

/* The sums of requests, as a part of all sums. tprof_requests() fills in the
 * number of entries. */
extern struct tprof_sums_part tprof_request_entries;

/* Makes (state) BUSY if it is (from). */
TPROF_HOT bool tprof_request_take(_Atomic uint32_t *state, uint32_t from)
{
    return atomic_compare_exchange_strong_explicit(
        state, &from, TPROF_REQUEST_BUSY, memory_order_acquire,
        memory_order_relaxed);
}

TPROF_HOT void tprof_request_give(_Atomic uint32_t *state, uint32_t to)
{
    atomic_store_explicit(state, to, memory_order_release);
}

/* Returns the bucket of (time) in clock ticks. */
TPROF_HOT uint32_t tprof_request_bucket(uint64_t time)
{
    if (time >> WIRE_REQUEST_DIGITS == 0)
        return (uint32_t)time;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(time) - WIRE_REQUEST_DIGITS;
    uint64_t bucket =
        ((uint64_t)shift << WIRE_REQUEST_DIGITS) + (time >> shift);

    return bucket < WIRE_REQUEST_BUCKETS ? (uint32_t)bucket
                                         : WIRE_REQUEST_BUCKETS - 1;
}

/* Returns the least time of (bucket). */
static inline uint64_t tprof_request_bucket_start(uint32_t bucket)
{
    uint32_t shift = bucket >> WIRE_REQUEST_DIGITS;
    uint64_t digits = bucket & ((1u << WIRE_REQUEST_DIGITS) - 1);

    return shift == 0 ? digits
                      : (digits | (1u << WIRE_REQUEST_DIGITS)) << (shift - 1);
}

#endif
