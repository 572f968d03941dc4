/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_threads() of tprof/threads.h */
#include "arch/arch.h"
#include "state/agent.h"
#include "threads/sums.h"
#include "threads/thread_entries.h"
#include "threads/thread_table.h"
#include "threads/thread_waits.h"

#define THREADS_DEFAULT 64u
#define WAITS_DEFAULT   256u
#define ENTRIES_MIN     16u
#define ENTRIES_MAX     65536u

static bool are_numbers_in_range(const struct tprof_threads_config *c)
{
    return c->threads >= ENTRIES_MIN && c->threads <= ENTRIES_MAX &&
           c->waits >= ENTRIES_MIN && c->waits <= ENTRIES_MAX &&
           c->frames <= WIRE_WAIT_FRAMES_MAX && c->memory &&
           (uintptr_t)c->memory % 64 == 0;
}

/* Divides the memory into the sums of cores, the threads and the waits. */
static void lay_out(const struct tprof_threads_config *c, uint32_t cores)
{
    tprof_arch_zero(c->memory, c->size & ~(size_t)7);
    tprof_sums.core = c->memory;
    tprof_sums.cores = cores;
    tprof_thread_table.record = (void *)(tprof_sums.core + cores);
    tprof_thread_waits.table.entry =
        (void *)(tprof_thread_table.record + c->threads);
    tprof_thread_waits.table.size = c->waits;
    tprof_thread_waits.depth = c->frames;
    tprof_thread_waits.bounds = &tprof_agent.bounds;
    tprof_thread_table.size = c->threads;
    tprof_thread_entries.entries = cores + c->threads + c->waits;
    atomic_store(&tprof_sums.parts, NULL);
    tprof_sums_add_part(&tprof_thread_entries);
    atomic_store(&tprof_sums.counting, 0);
    tprof_sums_order(TPROF_SUMS_BEGIN);
}

int tprof_threads(const struct tprof_threads_config *config)
{
    struct tprof_agent *a = &tprof_agent;
    struct tprof_threads_config c = *config;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    if (a->order_sums)
        return TPROF_ERR_STATE;
    if (c.threads == 0)
        c.threads = THREADS_DEFAULT;
    if (c.waits == 0)
        c.waits = WAITS_DEFAULT;
    if (c.frames == 0)
        c.frames = WIRE_WAIT_FRAMES_MAX;
    if (!are_numbers_in_range(&c))
        return TPROF_ERR_CONFIG;
    if (c.size <
        TPROF_THREADS_MEMORY((size_t)a->config.cpus, c.threads, c.waits))
        return TPROF_ERR_MEMORY_SMALL;
    lay_out(&c, a->config.cpus);
    for (uint32_t i = 0; i < a->config.cpus; i++) {
        atomic_store(&a->core[i]->recorder.serial_of, tprof_sums_serial);
        /* release: pairs with the acquire in tprof_call_begin() */
        atomic_store_explicit(&a->core[i]->sums, &tprof_sums.core[i],
                              memory_order_release);
    }
    a->speak_sums = tprof_sums_speak;
    /* release: pairs with the acquire in order_sums(), control.c */
    atomic_store_explicit(&a->order_sums, tprof_sums_order,
                          memory_order_release);
    atomic_store_explicit(&a->owes_sums, tprof_state() == WIRE_STATE_SAMPLING,
                          memory_order_relaxed);
    return TPROF_OK;
}
