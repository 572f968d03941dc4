/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, lib/uksched: what agent/porting/threads.md uses of it. */
#ifndef UK_THREAD_H
#define UK_THREAD_H

struct uk_thread {
    const char *name;
    struct uk_thread *next;
};

int uk_thread_is_runnable(struct uk_thread *thread);
int uk_thread_is_exited(struct uk_thread *thread);

#endif
