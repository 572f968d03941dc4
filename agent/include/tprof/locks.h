/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's locks: how often each lock is acquired, for how long threads
 * wait for the lock and hold the lock, where the waits begin, and who holds the
 * lock then. A kernel includes tprof.h, which includes this file. The kernel
 * links only the functions that it calls.
 *
 * A lock is a spinlock, or a lock at which threads sleep. The agent keeps sums,
 * in memory of a fixed size, and only while a host takes samples.
 *
 *     void lock(struct lock *l)
 *     {
 *         if (!try_lock(l)) {
 *             tprof_wait(l);
 *             wait_for(l);
 *         }
 *         tprof_got(l);
 *     }
 *
 * The calls need to know who waits: the thread that the core runs, by
 * tprof_switch(), tprof_thread() or tprof_thread_slot(). If the core runs no
 * thread, the core itself waits. If the kernel calls tprof_switch() and
 * tprof_wake(), the agent also knows for how long a thread slept in a wait, and
 * for how long the holder of a lock did not run.
 *
 * All functions but tprof_locks() may be called on any core, with interrupts on
 * or off, in interrupts other than NMIs, and before tprof_init(). The calling
 * code stays on its core during the call.
 */
#ifndef TPROF_LOCKS_H
#define TPROF_LOCKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Bytes of memory for the two tables */
#define TPROF_LOCKS_MEMORY(locks, waits) ((locks)*384u + (waits)*320u)

struct tprof_locks_config {
    void *memory; /* aligned to 64 bytes; the kernel gives it for ever */
    size_t size;  /* bytes: TPROF_LOCKS_MEMORY() */
    /* Limit of locks, 16 to 65536; 0: 64. Further locks are counted together.
     */
    uint32_t locks;
    /* Limit of stacks at which threads wait for a lock or have acquired a lock,
     * and of threads that wait at a time, 16 to 65536; 0: 256 */
    uint32_t waits;
};

/*
 * Makes the agent keep the sums of locks. Called once, after tprof_threads(). A
 * kernel without threads calls tprof_threads() with the smallest tables.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT: before tprof_threads();
 * TPROF_ERR_STATE: a second call;
 * TPROF_ERR_CONFIG: a number is out of its range, or the memory is not aligned;
 * TPROF_ERR_MEMORY_SMALL: too little memory for the tables.
 */
int tprof_locks(const struct tprof_locks_config *config);

/*
 * Names the lock at the address (lock). At most 31 bytes of (name) are copied.
 * A global lock needs no name: the host finds its symbol in the ELF file.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_STATE: before tprof_locks();
 * TPROF_ERR_CONFIG: (lock) or (name) is NULL;
 * TPROF_ERR_MEMORY_SMALL: too many locks.
 */
int tprof_lock_name(const volatile void *lock, const char *name);

/* Reports that another thread holds (lock), and that the caller begins to wait
 * for (lock). The callers of this function are recorded. */
void tprof_wait(const volatile void *lock);

/* Reports that the caller has acquired (lock). Ends the wait that tprof_wait()
 * began, if the caller has called tprof_wait() before. Of a recursive lock,
 * report only the first acquire and the last release. The callers of this
 * function are recorded: they are the stack of the holder. If others wait for
 * (lock) when (lock) is released, reports blame this stack for their waits. */
void tprof_got(const volatile void *lock);

/*
 * Reports the end of a hold, or of a wait:
 * - The caller releases (lock). Must be called while the caller still holds
 *   (lock).
 * - The caller has called tprof_wait(), and gives up without (lock), for
 *   example because of a timeout.
 * - Several threads may hold (lock) at a time: do not call this function when
 *   such a lock is released. Then the time of holds is not counted.
 */
void tprof_gave(const volatile void *lock);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
