/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_requests() and tprof_kind() of tprof/requests.h */
#include "arch/arch.h"
#include "base/mem.h"
#include "requests/request_tables.h"
#include "state/agent.h"

#define KINDS_DEFAULT 1u
#define OPEN_DEFAULT  256u
#define OPEN_MIN      16u
#define OPEN_MAX      65536u
#define SLOW_DEFAULT  32u
#define SLOW_MAX      1024u

struct tprof_request_tables tprof_request_tables;

static bool are_numbers_in_range(const struct tprof_requests_config *c)
{
    return c->kinds <= WIRE_REQUEST_KINDS && c->open >= OPEN_MIN &&
           c->open <= OPEN_MAX && c->slow <= SLOW_MAX && c->memory &&
           (uintptr_t)c->memory % 64 == 0;
}

/* Implements (request_of) of struct tprof_recorder. */
static bool request_of(const struct tprof_recorder *r, uint64_t id,
                       uint64_t *value)
{
    const struct tprof_cpu *cpu =
        (const void *)((const uint8_t *)r -
                       offsetof(struct tprof_cpu, recorder));
    struct tprof_core_sums *core =
        atomic_load_explicit(&cpu->sums, memory_order_acquire);
    struct tprof_thread_record *t = tprof_thread_table_find(id);
    struct tprof_work *work = t ? &t->work : &core->work;

    if (!t && id != 0)
        return false;
    /* seq_cst, both: pair with set_request(), request_calls.c */
    atomic_exchange(&work->is_told, 1);
    uint32_t request = atomic_load(&work->request);

    if (request == 0)
        return false;
    struct tprof_open_request *o = &tprof_request_tables.open[request - 1];

    value[0] = atomic_load_explicit(&o->kind, memory_order_relaxed);
    value[1] = atomic_load_explicit(&o->number, memory_order_relaxed);
    /* else another core has just taken or ended the request */
    return atomic_load_explicit(&o->work, memory_order_relaxed) == work;
}

static void lay_out(const struct tprof_requests_config *c)
{
    struct tprof_request_tables *tables = &tprof_request_tables;

    tprof_arch_zero(c->memory, c->size & ~(size_t)7);
    tables->kind = c->memory;
    tables->open = (void *)(tables->kind + c->kinds);
    tables->slow = (void *)(tables->open + c->open);
    tables->opens = c->open;
    tables->slows = c->slow;
    tables->since = 0;
    tables->kinds = c->kinds;
    tprof_request_entries.entries =
        c->kinds * (1 + TPROF_TIMES_SLICES * TPROF_TIMES_ENTRIES + c->slow) +
        c->open;
}

int tprof_requests(const struct tprof_requests_config *config)
{
    struct tprof_agent *a = &tprof_agent;
    struct tprof_requests_config c = *config;

    if (!a->ready || !a->order_sums)
        return TPROF_ERR_NOT_INIT;
    if (atomic_load(&a->core[0]->recorder.request_of))
        return TPROF_ERR_STATE;
    if (c.kinds == 0)
        c.kinds = KINDS_DEFAULT;
    if (c.open == 0)
        c.open = OPEN_DEFAULT;
    if (c.slow == 0)
        c.slow = SLOW_DEFAULT;
    if (!are_numbers_in_range(&c))
        return TPROF_ERR_CONFIG;
    if (c.size < TPROF_REQUESTS_MEMORY((size_t)c.kinds, c.open, c.slow))
        return TPROF_ERR_MEMORY_SMALL;
    lay_out(&c);
    tprof_sums_add_part(&tprof_request_entries);
    for (uint32_t i = 0; i < a->config.cpus; i++)
        /* release: pairs with the acquire in write_request(), sample.c */
        atomic_store_explicit(&a->core[i]->recorder.request_of, request_of,
                              memory_order_release);
    /* A tick that found no (request_of) may have written the THREAD. */
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        atomic_store(&tprof_sums.core[i].work.is_told, 1);
    if (tprof_state() == WIRE_STATE_SAMPLING)
        atomic_store_explicit(&a->owes_sums, true, memory_order_relaxed);
    return TPROF_OK;
}

int tprof_kind(uint32_t kind, const char *name)
{
    if (tprof_request_tables.kinds == 0)
        return TPROF_ERR_STATE;
    if (kind >= tprof_request_tables.kinds || !name)
        return TPROF_ERR_CONFIG;
    tprof_thread_table_copy_name(tprof_request_tables.kind[kind].name, name);
    return TPROF_OK;
}
