/* SPDX-License-Identifier: BSD-2-Clause */
#include "drive/control.h"
#include "state/agent.h"

#define NAME_MAX 63u /* bytes of a name that are sent */

/* The kernel's counters, sent to the host (WIRE.md 9). Only a kernel that calls
 * tprof_add_counter() links this file: control.c reaches it through struct
 * tprof_agent. */
static const struct tprof_counter *counters[WIRE_PROGRESS_COUNTERS];

/* The value of a counter at some time */
static struct counter_reading {
    uint64_t units, time;
} began[WIRE_PROGRESS_COUNTERS]; /* when sampling started */

static struct counter_reading mark_now(const struct tprof_counter *c)
{
    return (struct counter_reading){
        __atomic_load_n(&c->units, __ATOMIC_RELAXED), tprof_arch_now()};
}

static void mark_progress(void)
{
    for (uint32_t i = 0; i < tprof_agent.work_counters; i++)
        began[i] = mark_now(counters[i]);
}

static void put_progress(uint32_t number, struct tprof_frame *f)
{
    const struct tprof_counter *c = counters[number];
    struct counter_reading now = mark_now(c);
    uint32_t length = 0;

    while (length < NAME_MAX && c->name[length])
        length++;
    tprof_frame_field(f, WIRE_PROGRESS_COUNTER, number);
    tprof_frame_bytes(f, WIRE_PROGRESS_NAME, c->name, length);
    tprof_frame_field(f, WIRE_PROGRESS_UNITS, now.units);
    tprof_frame_field(f, WIRE_PROGRESS_TSC, now.time);
    tprof_frame_field(f, WIRE_PROGRESS_BEGAN_UNITS, began[number].units);
    tprof_frame_field(f, WIRE_PROGRESS_BEGAN_TSC, began[number].time);
}

int tprof_add_counter(const struct tprof_counter *counter)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t count =
        atomic_load_explicit(&a->work_counters, memory_order_relaxed);

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    if (!counter->name)
        return TPROF_ERR_CONFIG;
    if (count == WIRE_PROGRESS_COUNTERS)
        return TPROF_ERR_MEMORY_SMALL;
    counters[count] = counter;
    began[count] = mark_now(counter);
    a->mark_progress = mark_progress;
    a->put_progress = put_progress;
    /* release: pairs with the acquire in owes_counters(), control.c */
    atomic_store_explicit(&a->work_counters, count + 1, memory_order_release);
    return TPROF_OK;
}
