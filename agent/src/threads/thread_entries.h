/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of cores, threads and waits, and their frames SCHED, THREAD and WAIT
 * (WIRE.md 10) */
#ifndef TPROF_THREAD_ENTRIES_H
#define TPROF_THREAD_ENTRIES_H

#include "threads/sums.h"

/* tprof_threads() fills in the number of entries. */
extern struct tprof_sums_part tprof_thread_entries;

#endif
