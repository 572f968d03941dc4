/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, lib/uksched: what agent/porting/threads.md uses of it. */
#ifndef UK_SCHED_H
#define UK_SCHED_H

#include <uk/thread.h>

struct uk_sched {
    struct uk_thread *first;
};

struct uk_sched *uk_sched_current(void);
const struct uk_thread *uk_sched_idle_thread(struct uk_sched *sched,
                                             unsigned int lcpu);

#define uk_sched_foreach_thread(sched, iter)                                   \
    for (iter = (sched)->first; iter; iter = iter->next)

#endif
