/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the compiler has the agent call. It is compiled with -fsanitize=thread,
 * but linked with this file instead of that sanitizer's library: so each of
 * the agent's accesses to memory, and each atomic operation, comes by here
 * first. It may be another core's turn before it happens, and where interrupts
 * are on, an interrupt; and the address is checked.
 *
 * In the build with AddressSanitizer, which does not go with it, each basic
 * block comes by instead (-fsanitize-coverage=trace-pc).
 */
#include <stdatomic.h>
#include <string.h>

#include "sim.h"
#include "thread_checks.h"

/* More accesses, or blocks, than any call of the agent needs, without those of
 * interrupts in it: a loop without end. */
#ifdef __SANITIZE_ADDRESS__
#define STEPS_MAX 2000000u
#else
#define STEPS_MAX 200000u
#endif

uint32_t preempt_mean = 1000;
uint64_t agent_steps;
static uint64_t left = 1;

void enter_agent(void)
{
    struct core *c = &cores[tprof_machine.core];

    c->steps[c->depth++ % NESTED] = 0;
}

void leave_agent(void)
{
    cores[tprof_machine.core].depth--;
}

static void preempt(void)
{
    left = 1 + below(2 * preempt_mean);
    thread_check_ranges();
    kernel_interrupts();
    threads_interrupt();
    /* a host that lets others run may do so anywhere, and for long */
    if (!is_calm && chance(2))
        cores[tprof_machine.core].starved =
            host_now_ns() + draw_log(SIM_SECOND / 10);
    fiber_yield();
}

static inline void step(void)
{
    if (!is_on_core())
        return;
    struct core *c = &cores[tprof_machine.core];

    tprof_machine.now++;
    agent_steps++;
    if (c->depth > 0 && ++c->steps[(c->depth - 1) % NESTED] > STEPS_MAX)
        fail("core %u: %u accesses in one call: is there an end to it?",
             tprof_machine.core, STEPS_MAX);
    if (--left == 0)
        preempt();
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    step();
}

/* --- Accesses ------------------------------------------------------------- */

#define ACCESS(name, size, write)                                              \
    void __tsan_##name(void *at);                                              \
    void __tsan_##name(void *at)                                               \
    {                                                                          \
        step();                                                                \
        check_access((uintptr_t)at, size, write);                              \
    }
#define ACCESSES(size)                                                         \
    ACCESS(read##size, size, false)                                            \
    ACCESS(write##size, size, true)                                            \
    ACCESS(unaligned_read##size, size, false)                                  \
    ACCESS(unaligned_write##size, size, true)                                  \
    ACCESS(volatile_read##size, size, false)                                   \
    ACCESS(volatile_write##size, size, true)                                   \
    ACCESS(unaligned_volatile_read##size, size, false)                         \
    ACCESS(unaligned_volatile_write##size, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *at, size_t size);
void __tsan_read_range(void *at, size_t size)
{
    step();
    check_access((uintptr_t)at, size, false);
}

void __tsan_write_range(void *at, size_t size);
void __tsan_write_range(void *at, size_t size)
{
    step();
    check_access((uintptr_t)at, size, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

/* --- Atomic operations: one core runs at a time, so each is what it says ---
 */

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    step();
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    step();
}

#define ATOMIC_CHANGE(type, bits, name, result)                                \
    type __tsan_atomic##bits##_##name(volatile type *at, type value,           \
                                      int order);                              \
    type __tsan_atomic##bits##_##name(volatile type *at, type value,           \
                                      int order)                               \
    {                                                                          \
        (void)order;                                                           \
        step();                                                                \
        check_access((uintptr_t)at, sizeof *at, true);                         \
        type before = *at;                                                     \
                                                                               \
        *at = (type)(result);                                                  \
        return before;                                                         \
    }
#define ATOMICS(type, bits)                                                    \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);       \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)        \
    {                                                                          \
        (void)order;                                                           \
        step();                                                                \
        check_access((uintptr_t)at, sizeof *at, false);                        \
        return *at;                                                            \
    }                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value,            \
                                     int order);                               \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    {                                                                          \
        (void)order;                                                           \
        step();                                                                \
        check_access((uintptr_t)at, sizeof *at, true);                         \
        *at = value;                                                           \
    }                                                                          \
    ATOMIC_CHANGE(type, bits, exchange, value)                                 \
    ATOMIC_CHANGE(type, bits, fetch_add, before + value)                       \
    ATOMIC_CHANGE(type, bits, fetch_sub, before - value)                       \
    ATOMIC_CHANGE(type, bits, fetch_or, before | value)                        \
    ATOMIC_CHANGE(type, bits, fetch_and, before &value)                        \
    int __tsan_atomic##bits##_compare_exchange_strong(                         \
        volatile type *at, type *expected, type value, int order, int other);  \
    int __tsan_atomic##bits##_compare_exchange_strong(                         \
        volatile type *at, type *expected, type value, int order, int other)   \
    {                                                                          \
        (void)order;                                                           \
        (void)other;                                                           \
        step();                                                                \
        check_access((uintptr_t)at, sizeof *at, true);                         \
        if (*at != *expected) {                                                \
            *expected = *at;                                                   \
            return 0;                                                          \
        }                                                                      \
        *at = value;                                                           \
        return 1;                                                              \
    }
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)
