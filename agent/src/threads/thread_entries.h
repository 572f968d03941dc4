/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of cores, threads and waits, and their frames SCHED, THREAD and WAIT
 * (WIRE.md 10) */
#ifndef TPROF_THREAD_ENTRIES_H
#define TPROF_THREAD_ENTRIES_H

#include "threads/sums.h"

/* tprof_threads() fills in the number of entries. */
extern struct tprof_sums_part tprof_thread_entries;

/* Writes the stack of (w), if it is known, as the field (tag). */
void tprof_thread_entries_put_stack(struct tprof_frame *f, uint32_t tag,
                                    const struct tprof_wait_entry *w);

#endif
