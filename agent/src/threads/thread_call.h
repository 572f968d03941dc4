/* SPDX-License-Identifier: BSD-2-Clause */
/* A call of the kernel that counts: the core, its thread and the time */
#ifndef TPROF_THREAD_CALL_H
#define TPROF_THREAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/compiler.h"
#include "state/agent.h"
#include "threads/sums.h"
#include "threads/thread_table.h"

/* Returns the calling core; NULL if the core has not joined. May be called if
 * tprof_arch_has_quick(). */
TPROF_HOT struct tprof_cpu *tprof_quick_cpu(void)
{
    uint32_t index = tprof_arch_core_quick();

    return index < tprof_cpus ? tprof_cpu[index] : NULL;
}

/* Returns the calling core, on any core and before tprof_init(). Interrupts
 * must be off. */
static inline struct tprof_cpu *tprof_slow_cpu(void)
{
    return tprof_cpus ? tprof_this_cpu() : NULL;
}

/* A call on this core that may count, with interrupts off */
struct tprof_call {
    struct tprof_cpu *cpu;        /* NULL: the core has not joined */
    struct tprof_core_sums *core; /* NULL: the core has no sums */
    uint64_t running;             /* the id of the core's thread */
    uint64_t now;
    uint64_t flags;
    bool counts;
};

static inline struct tprof_call tprof_call_begin(void)
{
    struct tprof_call c = {.flags = tprof_arch_irq_save()};
    struct tprof_cpu *cpu =
        tprof_arch_has_quick() ? tprof_quick_cpu() : tprof_slow_cpu();

    c.cpu = cpu;
    if (cpu)
        c.core = atomic_load_explicit(&cpu->sums, memory_order_acquire);
    if (c.core) {
        c.running =
            atomic_load_explicit(&cpu->recorder.running, memory_order_relaxed);
        c.counts = tprof_sums_enter(c.core);
    }
    c.now = tprof_arch_now();
    return c;
}

static inline void tprof_call_end(const struct tprof_call *c)
{
    if (c->core)
        tprof_sums_leave(c->core);
    tprof_arch_irq_restore(c->flags);
}

/* Returns the record of thread (id), which this core has run. In most cases
 * this is the record of the core's last switch. */
TPROF_HOT struct tprof_thread_record *
tprof_call_current(const struct tprof_core_sums *core, uint64_t id)
{
    struct tprof_thread_record *t = core->current;

    return t && tprof_thread_table_has(t, id) ? t : tprof_thread_table_find(id);
}

/* The code that has called this library */
struct tprof_caller {
    uint64_t pc, fp;
};

/* Returns the caller of the function that contains this macro. Reads both words
 * at once, because the function may end by a jump, which releases its frame. */
#define TPROF_CALLER()                                                         \
    (struct tprof_caller)                                                      \
    {                                                                          \
        (uintptr_t) __builtin_return_address(0),                               \
            *(const uint64_t *)__builtin_frame_address(0)                      \
    }

#endif
