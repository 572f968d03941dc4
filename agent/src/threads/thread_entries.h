/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of cores, threads and waits, and their frames SCHED, THREAD and WAIT
 * (WIRE.md 10) */
#ifndef TPROF_THREAD_ENTRIES_H
#define TPROF_THREAD_ENTRIES_H

#include "threads/sums.h"

/* tprof_threads() fills in the number of entries. */
extern struct tprof_sums_part tprof_thread_entries;

/* Writes the field (tag) with the text in the TPROF_NAME_WORDS words of (name),
 * unless the text is empty. */
void tprof_thread_entries_put_name(struct tprof_frame *f, uint32_t tag,
                                   const _Atomic uint64_t *name);
#define TPROF_NAME_WORDS ((WIRE_THREAD_NAME_MAX + 1) / 8)
_Static_assert(WIRE_LOCK_NAME_MAX == WIRE_THREAD_NAME_MAX &&
                   WIRE_REQUEST_NAME_MAX == WIRE_THREAD_NAME_MAX,
               "names of one length");

/* Writes the stack of (w), if it is known, as the field (tag). */
void tprof_thread_entries_put_stack(struct tprof_frame *f, uint32_t tag,
                                    const struct tprof_wait_entry *w);

#endif
