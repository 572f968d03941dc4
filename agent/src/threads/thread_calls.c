/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's calls about its threads (tprof/threads.h) */
#include "arch/arch.h"
#include "sample/sample.h"
#include "state/agent.h"
#include "threads/sums.h"
#include "threads/thread_call.h"
#include "threads/thread_table.h"
#include "threads/thread_waits.h"

/* --- The thread of a core ------------------------------------------------- */

uint64_t *tprof_thread_slot(uint32_t index)
{
    if (!tprof_agent.ready || index >= TPROF_CPUS_MAX ||
        !tprof_agent.core[index])
        return NULL;
    /* through an integer, because the kernel stores without _Atomic */
    return (void *)(uintptr_t)&tprof_agent.core[index]->recorder.running;
}

/* Stores (id) as the thread that (cpu) runs. (cpu) may be NULL. */
TPROF_HOT void run(struct tprof_cpu *cpu, uint64_t id)
{
    if (cpu)
        atomic_store_explicit(&cpu->recorder.running, id, memory_order_relaxed);
}

TPROF_COLD void thread_slowly(uint64_t id)
{
    uint64_t flags = tprof_arch_irq_save();

    run(tprof_slow_cpu(), id);
    tprof_arch_irq_restore(flags);
}

void tprof_thread(uint64_t id)
{
    if (__builtin_expect(!tprof_arch_has_quick(), 0))
        thread_slowly(id);
    else
        run(tprof_quick_cpu(), id);
}

/* --- Names ---------------------------------------------------------------- */

/* Ends a thread after the sums have ended. Its times up to the end of the sums
 * are added. A thread whose state is UNKNOWN has no times. */
static void end_after_stop(struct tprof_thread_record *t, uint64_t id)
{
    uint64_t stopped = atomic_load(&tprof_sums.stopped);

    if (stopped == 0)
        return;
    struct tprof_change change = tprof_thread_table_change(
        t, id, stopped, true,
        TPROF_THREAD_LIVES & ~TPROF_THREAD_IN(TPROF_THREAD_UNKNOWN),
        TPROF_THREAD_ENDED, TPROF_THREAD_UNKNOWN);

    if (change.ended == TPROF_THREAD_BLOCKED)
        tprof_thread_waits_add(change.wait, change.ticks);
}

/* Ends thread (id) if it lives. */
static void end_thread(const struct tprof_call *c, uint64_t id)
{
    struct tprof_thread_record *t = tprof_thread_table_find(id);
    bool runs = c->running == id;
    /* if the sums begin at this moment, the thread ends before them */
    uint64_t now = c->counts ? c->now : 0;

    if (!t)
        return;
    if (!c->counts)
        end_after_stop(t, id);
    if (c->counts && runs) {
        (void)tprof_sums_ran(c->core, id, t, c->now);
        tprof_sums_do(c->core, TPROF_CORE_OTHER);
    }
    struct tprof_change change = tprof_thread_table_change(
        t, id, now, c->counts, TPROF_THREAD_LIVES, TPROF_THREAD_ENDED,
        runs ? TPROF_THREAD_RUNNING : TPROF_THREAD_BLOCKED);

    if (!c->counts)
        return;
    if (change.ended == TPROF_THREAD_BLOCKED)
        tprof_thread_waits_add(change.wait, change.ticks);
    tprof_sums_count_ready(tprof_sums_readies(t, &change, false), c->now);
}

void tprof_thread_end(uint64_t id)
{
    if (tprof_thread_table.size == 0)
        return;
    struct tprof_call c = tprof_call_begin();

    end_thread(&c, id);
    tprof_call_end(&c);
}

/* Makes the tick write a THREAD before the next sample of thread (id), although
 * the last THREAD has the same id. Ticks of other cores may write (told) at the
 * same time, but not this id, because this thread does not run yet. */
static void tell_again(uint64_t id)
{
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_recorder *r = &tprof_agent.core[i]->recorder;

        if (atomic_load_explicit(&r->told, memory_order_relaxed) == id)
            atomic_store_explicit(&r->told, ~id, memory_order_relaxed);
    }
}

static int name_thread(uint64_t id, const char *name, uint32_t flags)
{
    if (tprof_thread_table.size == 0)
        return TPROF_ERR_STATE;
    if (id == 0 || !name)
        return TPROF_ERR_CONFIG;
    struct tprof_call c = tprof_call_begin();
    bool runs = c.counts && c.running == id;

    end_thread(&c, id);
    if (runs)
        (void)tprof_sums_ran(c.core, id, NULL, c.now);
    /* if no core counts, the sums find the running threads when they begin */
    int error = tprof_thread_table_add(
        id, name, flags, runs ? TPROF_THREAD_RUNNING : TPROF_THREAD_UNKNOWN,
        c.now);

    if (runs)
        tprof_sums_do(c.core, tprof_sums_does(id, tprof_thread_table_find(id)));
    tell_again(id);
    tprof_call_end(&c);
    return error;
}

int tprof_name(uint64_t id, const char *name)
{
    return name_thread(id, name, 0);
}

int tprof_name_idle(uint64_t id, const char *name)
{
    return name_thread(id, name, WIRE_THREAD_IDLE);
}

/* --- Switches ------------------------------------------------------------- */

/* Ends the run of the thread with record (t) on this core. Returns the change
 * of the number of ready threads. */
TPROF_HOT int switch_out(struct tprof_core_sums *core,
                         struct tprof_thread_record *t, uint64_t id,
                         uint64_t now, uint32_t why, struct tprof_caller from)
{
    static const uint8_t state[] = {TPROF_THREAD_BLOCKED, TPROF_THREAD_READY,
                                    TPROF_THREAD_ENDED};

    if (why == TPROF_BLOCKED) {
        /* before the change: another core may wake the thread at once */
        uint32_t entry = tprof_thread_waits_at(
            atomic_load_explicit(&t->wait, memory_order_relaxed),
            WIRE_WAIT_BLOCKED,
            atomic_load_explicit(&t->serial, memory_order_relaxed), from.pc,
            from.fp, &core->callers, &core->range);

        atomic_store_explicit(&t->wait, (uint16_t)entry, memory_order_relaxed);
    }
    struct tprof_change change = tprof_thread_table_change(
        t, id, now, true, TPROF_THREAD_LIVES, state[why], TPROF_THREAD_RUNNING);

    return tprof_sums_readies(t, &change, why == TPROF_READY);
}

/* Adds the wait of the thread with record (t) that has ended. */
TPROF_HOT void end_wait(struct tprof_thread_record *t,
                        const struct tprof_change *change)
{
    struct tprof_work *work = &t->work;
    uint64_t longest = change->ticks << TPROF_LONGEST_SHIFT | change->wait;

    tprof_thread_waits_add(change->wait, change->ticks);
    if (atomic_load_explicit(&work->request, memory_order_relaxed) != 0 &&
        atomic_load_explicit(&work->longest, memory_order_relaxed) < longest)
        atomic_store_explicit(&work->longest, longest, memory_order_relaxed);
}

/* Begins the run of the thread with record (t) on this core. Returns the change
 * of the number of ready threads. */
TPROF_HOT int switch_in(struct tprof_core_sums *core, uint32_t index,
                        struct tprof_thread_record *t, uint64_t id,
                        uint64_t now)
{
    struct tprof_change change =
        tprof_thread_table_change(t, id, now, true, TPROF_THREAD_LIVES,
                                  TPROF_THREAD_RUNNING, TPROF_THREAD_READY);
    uint16_t last = atomic_load_explicit(&t->core, memory_order_relaxed);

    tprof_sums_add(&t->switches, 1);
    if (last != index + 1) {
        tprof_sums_add(&core->moved, last != 0);
        atomic_store_explicit(&t->core, (uint16_t)(index + 1),
                              memory_order_relaxed);
    }
    if (change.ended == TPROF_THREAD_BLOCKED) /* without a wake */
        end_wait(t, &change);
    if (change.ended != TPROF_THREAD_READY || !change.was_known ||
        tprof_sums_kind(t) == TPROF_CORE_IDLE)
        return 0;
    uint64_t bucket = tprof_bit_length(change.ticks);

    if (bucket >= TPROF_DELAY_BUCKETS)
        bucket = TPROF_DELAY_BUCKETS - 1;
    tprof_sums_add(&core->delay[bucket], 1);
    return tprof_sums_readies(t, &change, false);
}

/* If this core (was) idle for the time (ran), adds the part of (ran) in which a
 * thread was ready. If the core (is) idle now, begins to measure that part. */
static void note_idle(struct tprof_core_sums *core, bool was, bool is,
                      uint64_t ran, uint64_t now)
{
    if (!was && !is)
        return;
    uint64_t ticks = tprof_sums_ready_ticks(now);
    bool known =
        atomic_load_explicit(&core->was_ready_known, memory_order_relaxed);

    if (was && known) {
        uint64_t before =
            atomic_load_explicit(&core->ready_before, memory_order_relaxed);

        /* another core may just have changed the number of ready threads, with
         * a clock that it read a little earlier or later */
        int64_t more =
            (int64_t)((ticks - before) << TPROF_READY_BITS) >> TPROF_READY_BITS;

        if (more > (int64_t)ran)
            more = (int64_t)ran;
        tprof_sums_add(&core->ready_idle, more > 0 ? (uint64_t)more : 0);
    }
    atomic_store_explicit(&core->ready_before, ticks, memory_order_relaxed);
    atomic_store_explicit(&core->was_ready_known, is, memory_order_relaxed);
}

/* Does the work of tprof_switch() while nothing is counted. */
TPROF_COLD void end_after_switch(uint64_t from, uint32_t why)
{
    if (why == TPROF_ENDED)
        tprof_thread_end(from);
}

static __attribute__((noinline)) void count_switch(struct tprof_cpu *cpu,
                                                   uint64_t from, uint64_t to,
                                                   uint32_t why,
                                                   struct tprof_caller caller)
{
    struct tprof_core_sums *core =
        atomic_load_explicit(&cpu->sums, memory_order_acquire);

    uint64_t flags = tprof_arch_irq_save();

    if (why == TPROF_ENDED) /* the tick finds its record no more */
        run(cpu, to);
    if (__builtin_expect(!core || !tprof_sums_enter(core), 0)) { /* no longer */
        if (core)
            tprof_sums_leave(core);
        tprof_arch_irq_restore(flags);
        run(cpu, to);
        end_after_switch(from, why);
        return;
    }
    if (from != to && why <= TPROF_ENDED) {
        uint64_t now = tprof_arch_now();
        struct tprof_thread_record *out = tprof_call_current(core, from);
        struct tprof_thread_record *in = tprof_thread_table_find(to);
        int more = 0;

        uint64_t ran = tprof_sums_ran(core, from, out, now);
        enum tprof_core_time does = tprof_sums_does(to, in);

        tprof_sums_do(core, does);
        tprof_sums_add(&core->switches, 1);
        note_idle(core, tprof_sums_kind(out) == TPROF_CORE_IDLE,
                  does == TPROF_CORE_IDLE, ran, now);
        if (out)
            more = switch_out(core, out, from, now, why, caller);
        if (in)
            more += switch_in(core, cpu->index, in, to, now);
        tprof_sums_count_ready(more, now);
        core->current = in;
    }
    tprof_sums_leave(core);
    tprof_arch_irq_restore(flags);
    /* A tick that waited for this moment is still on the stack of (from). */
    run(cpu, to);
}

TPROF_COLD void switch_slowly(uint64_t from, uint64_t to, uint32_t why,
                              struct tprof_caller caller)
{
    uint64_t flags = tprof_arch_irq_save();
    struct tprof_cpu *cpu = tprof_slow_cpu();
    bool counts =
        cpu && atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed);

    if (!counts)
        run(cpu, to);
    tprof_arch_irq_restore(flags);
    if (counts)
        count_switch(cpu, from, to, why, caller);
    else
        end_after_switch(from, why);
}

void tprof_switch(uint64_t from, uint64_t to, uint32_t why)
{
    if (__builtin_expect(!tprof_arch_has_quick(), 0)) {
        switch_slowly(from, to, why, TPROF_CALLER());
        return;
    }
    struct tprof_cpu *cpu = tprof_quick_cpu();

    if (cpu &&
        atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed)) {
        count_switch(cpu, from, to, why, TPROF_CALLER());
        return;
    }
    run(cpu, to);
    if (why == TPROF_ENDED)
        end_after_switch(from, why);
}

static __attribute__((noinline)) void count_wake(uint64_t id,
                                                 struct tprof_caller caller)
{
    struct tprof_call c = tprof_call_begin();
    struct tprof_thread_record *t =
        c.counts ? tprof_thread_table_find(id) : NULL;

    if (t) {
        struct tprof_change change =
            tprof_thread_table_change(t, id, c.now, true,
                                      TPROF_THREAD_IN(TPROF_THREAD_BLOCKED) |
                                          TPROF_THREAD_IN(TPROF_THREAD_UNKNOWN),
                                      TPROF_THREAD_READY, TPROF_THREAD_BLOCKED);

        if (change.ended) {
            tprof_sums_count_ready(tprof_sums_readies(t, &change, true), c.now);
            end_wait(t, &change);
            uint32_t entry = tprof_thread_waits_at(
                atomic_load_explicit(&t->waker, memory_order_relaxed),
                WIRE_WAIT_WAKER,
                atomic_load_explicit(&t->serial, memory_order_relaxed),
                caller.pc, caller.fp, &c.core->callers, &c.core->range);

            atomic_store_explicit(&t->waker, (uint16_t)entry,
                                  memory_order_relaxed);
            tprof_thread_waits_add(entry, change.ticks);
        }
    }
    tprof_call_end(&c);
}

void tprof_wake(uint64_t id)
{
    if (atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed))
        count_wake(id, TPROF_CALLER());
}
