/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's threads: the thread of each sample, for how long each thread
 * runs and waits, where the thread waits, and who ends the wait. A kernel
 * includes tprof.h, which includes this file. The kernel links only the
 * functions that it calls.
 *
 * tprof_thread() alone gives each sample its thread. With tprof_switch() in the
 * scheduler and tprof_wake() where a thread becomes ready, the agent also keeps
 * the times: as sums, in memory of a fixed size, and only while a host takes
 * samples.
 *
 * The id of a thread is a number of the kernel's, for example the address of
 * its control block. 0: no thread. Ids may come again after a thread has ended.
 *
 * All functions but tprof_threads() may be called on any core, with interrupts
 * on or off, in interrupts other than NMIs, and before tprof_init(). The
 * calling code stays on its core during the call.
 */
#ifndef TPROF_THREADS_H
#define TPROF_THREADS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Bytes of memory for (cores), as in config.cpus, and for the two tables */
#define TPROF_THREADS_MEMORY(cores, threads, waits)                            \
    ((cores)*640u + (threads)*128u + (waits)*192u)

struct tprof_threads_config {
    void *memory; /* aligned to 64 bytes; the kernel gives it for ever */
    size_t size;  /* bytes: TPROF_THREADS_MEMORY() */
    /* Limit of threads with a name, living or ended, 16 to 65536. Twice the
     * number of threads that live at a time is plenty. 0: 64 */
    uint32_t threads;
    /* Limit of stacks of waits and of wakes, 16 to 65536; 0: 256 */
    uint32_t waits;
    uint32_t frames; /* callers of such a stack, 1 to 16; 0: 16 */
};

/*
 * Makes the agent keep names and times of threads. Called once, after
 * tprof_init(), and before the first name.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_STATE: a second call;
 * TPROF_ERR_CONFIG: a number is out of its range, or the memory is not aligned;
 * TPROF_ERR_MEMORY_SMALL: too little memory for config.cpus and the tables.
 */
int tprof_threads(const struct tprof_threads_config *config);

/*
 * Names the new thread (id). If another thread had this id, that thread has
 * ended. At most 31 bytes of (name) are copied. tprof_name_idle() names an idle
 * thread, whose time counts as idle.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_STATE: before tprof_threads();
 * TPROF_ERR_CONFIG: (id) is 0, or (name) is NULL;
 * TPROF_ERR_MEMORY_SMALL: too many threads live. This thread has no name, and
 * its times are added to the times of other such threads.
 */
int tprof_name(uint64_t id, const char *name);
int tprof_name_idle(uint64_t id, const char *name);

/* Reports that thread (id) has ended. */
void tprof_thread_end(uint64_t id);

/* Reports that this core runs thread (id) from now on. */
void tprof_thread(uint64_t id);

/* Returns the word in which core (index) has the id of its thread. A kernel may
 * store the id there instead of calling tprof_thread(). The address is valid
 * until tprof_exit(). The kernel must stop storing before tprof_exit().
 * NULL: there is no such core, or the agent is not initialized. */
uint64_t *tprof_thread_slot(uint32_t index);

/* Reasons why a thread does not run any more */
enum tprof_why {
    TPROF_BLOCKED = 0, /* the thread waits until tprof_wake() */
    TPROF_READY = 1,   /* the thread waits for a core: preempted or yielded */
    TPROF_ENDED = 2,   /* as tprof_thread_end() */
};

/* Reports that this core stops running thread (from), for the reason (why) of
 * enum tprof_why, and begins to run thread (to). Must be called on the stack of
 * (from). If (from) is blocked, the callers on this stack are recorded. A
 * kernel that calls this need not call tprof_thread(). */
void tprof_switch(uint64_t from, uint64_t to, uint32_t why);

/* Reports that the blocked thread (id) is ready to run from now on. The callers
 * of this function are recorded as the code that ended the wait. Does nothing
 * if the thread is not blocked. */
void tprof_wake(uint64_t id);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
