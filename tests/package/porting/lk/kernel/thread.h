/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, kernel/thread.h: what agent/porting/lk.md and threads.md use of it. */
#ifndef LK_KERNEL_THREAD_H
#define LK_KERNEL_THREAD_H

#include <stddef.h>

#define HIGH_PRIORITY      24
#define DEFAULT_STACK_SIZE 8192

enum thread_state {
    THREAD_SUSPENDED,
    THREAD_READY,
    THREAD_RUNNING,
    THREAD_BLOCKED,
    THREAD_SLEEPING,
    THREAD_DEATH,
};

typedef struct thread {
    enum thread_state state;
} thread_t;

thread_t *thread_create(const char *name, int (*entry)(void *argument),
                        void *argument, int priority, size_t stack_size);
void thread_set_pinned_cpu(thread_t *thread, int cpu);
int thread_detach_and_resume(thread_t *thread);

#endif
