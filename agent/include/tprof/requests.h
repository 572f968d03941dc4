/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's requests: how long they take, what their time consists of, and
 * what the slowest requests waited for. A kernel includes tprof.h, which
 * includes this file. The kernel links only the functions that it calls.
 *
 * A request is a piece of work with a begin and an end, for example the answer
 * to a message. The kernel gives each request a kind and a number. The number
 * is not 0, and no other open request of this kind has the number. Numbers may
 * come again.
 *
 * A thread works on the requests that it has begun, until they end. Several
 * requests of a thread may be open, for example a query inside an answer.
 * Samples of the thread belong to the request that the thread has begun or
 * taken last. When this request ends, the samples belong to the request before
 * it that is still open. A core that runs no thread takes the place of a
 * thread.
 *
 * The agent keeps the times as sums, in memory of a fixed size, and only while
 * a host takes samples. tprof_threads() must have been called first. If the
 * kernel reports its switches (threads.h), the time of each request is divided
 * into running, ready and blocked.
 *
 * All functions but tprof_requests() may be called on any core, with interrupts
 * on or off, in interrupts other than NMIs, and before tprof_init(). The
 * calling code stays on its core during the call.
 */
#ifndef TPROF_REQUESTS_H
#define TPROF_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Bytes of memory: a histogram for each kind, the open requests, and (slow)
 * requests of each kind that are told one by one */
#define TPROF_REQUESTS_MEMORY(kinds, open, slow)                               \
    ((kinds)*20480u + (open)*128u + (kinds) * (slow)*64u)

struct tprof_requests_config {
    void *memory;   /* aligned to 64 bytes; the kernel gives it for ever */
    size_t size;    /* bytes: TPROF_REQUESTS_MEMORY() */
    uint32_t kinds; /* kinds of requests, 1 to 32; 0: 1 */
    /* Limit of open requests, 16 to 65536. Twice the number of requests that
     * are open at a time is plenty. 0: 256 */
    uint32_t open;
    /* Limit of slow requests of each kind that are told every few seconds, 1 to
     * 1024; 0: 32 */
    uint32_t slow;
};

/*
 * Makes the agent keep the times of requests. Called once, after
 * tprof_threads().
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT: before tprof_threads();
 * TPROF_ERR_STATE: a second call;
 * TPROF_ERR_CONFIG: a number is out of its range, or the memory is not aligned;
 * TPROF_ERR_MEMORY_SMALL: too little memory.
 */
int tprof_requests(const struct tprof_requests_config *config);

/*
 * Names the requests of (kind), which is below config.kinds. At most 31 bytes
 * of (name) are copied.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_STATE: before tprof_requests();
 * TPROF_ERR_CONFIG: there is no such kind, or (name) is NULL.
 */
int tprof_kind(uint32_t kind, const char *name);

/* Reports that this thread begins request (number) and works on the request
 * from now on. */
void tprof_begin(uint32_t kind, uint64_t number);

/* Reports that request (number) has come, and that no thread works on the
 * request yet. For example called by an interrupt. */
void tprof_queue(uint32_t kind, uint64_t number);

/* Reports that this thread works on the open request (number) from now on. If
 * another thread worked on the request, the request leaves that thread. Number
 * 0, and any kind that there is: this thread puts the request aside that it
 * began or took last. */
void tprof_request(uint32_t kind, uint64_t number);

/* Reports that request (number) has ended. Does nothing if no such request is
 * open. May be called by any thread. */
void tprof_end(uint32_t kind, uint64_t number);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
