/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cooperative threads, a run queue for each core. A thread stays on the core
 * that made it and runs until it waits. Names of functions are Toro's, so
 * that its users find their way in this kernel's profile.
 */
#ifndef TORO_SCHED_H
#define TORO_SCHED_H

#include <stdbool.h>

/* Once, on core 0, before the other cores start. */
void sched_init(void);

/* Make (run)(arg) a thread of the calling core; it runs from Scheduling(). Its
 * name is (name), then the calling core's number and (peer). */
void BeginThread(const char *name, unsigned peer, void (*run)(void *arg),
                 void *arg);

/* The calling thread, for the profiler. */
const void *CurrentThread(void);

/* The calling core is its threads' for good; it has made one at least. */
_Noreturn void StartThreads(void);

/* Let the core's other threads run. */
void SysThreadSwitch(void);

/*
 * Suspend the calling thread until (ready)(arg) holds. The scheduler asks at
 * every switch, and when Wake() has called the core from its sleep.
 */
void WaitFor(bool (*ready)(const void *arg), const void *arg);

/* Something that a thread of (core) may wait for has been done, and stored
 * so that (core) can see it: have the core look, if it sleeps. */
void Wake(unsigned core);

#endif
