/* SPDX-License-Identifier: BSD-2-Clause */
#include "drive/control.h"
#include "state/agent.h"

#define NAME_MAX 63u /* bytes of a name that are sent */

/* The kernel's counters and marks, sent to the host (WIRE.md 9). Only a kernel
 * that calls tprof_add_counter() or tprof_mark() links this file: control.c
 * reaches it through struct tprof_agent. */
static struct told {
    const char *name;
    const uint64_t *units; /* of a counter; NULL: a mark */
    uint64_t mark;         /* time of the mark */
} entries[WIRE_PROGRESS_COUNTERS];

/* The value of a counter at some time */
static struct counter_reading {
    uint64_t units, time;
} began[WIRE_PROGRESS_COUNTERS]; /* when sampling started */

static struct counter_reading read_now(const struct told *e)
{
    return (struct counter_reading){
        e->units ? __atomic_load_n(e->units, __ATOMIC_RELAXED) : 0,
        tprof_arch_now()};
}

static void mark_progress(void)
{
    for (uint32_t i = 0; i < tprof_agent.work_counters; i++)
        began[i] = read_now(&entries[i]);
}

static void put_progress(uint32_t number, struct tprof_frame *f)
{
    const struct told *e = &entries[number];
    struct counter_reading now = read_now(e);
    uint32_t length = 0;

    while (length < NAME_MAX && e->name[length])
        length++;
    tprof_frame_field(f, WIRE_PROGRESS_COUNTER, number);
    tprof_frame_bytes(f, WIRE_PROGRESS_NAME, e->name, length);
    if (!e->units) {
        tprof_frame_field(f, WIRE_PROGRESS_MARK, e->mark);
        return;
    }
    tprof_frame_field(f, WIRE_PROGRESS_UNITS, now.units);
    tprof_frame_field(f, WIRE_PROGRESS_TSC, now.time);
    tprof_frame_field(f, WIRE_PROGRESS_BEGAN_UNITS, began[number].units);
    tprof_frame_field(f, WIRE_PROGRESS_BEGAN_TSC, began[number].time);
}

static int add(const char *name, const uint64_t *units)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t count =
        atomic_load_explicit(&a->work_counters, memory_order_relaxed);

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    if (!name)
        return TPROF_ERR_CONFIG;
    if (count == WIRE_PROGRESS_COUNTERS)
        return TPROF_ERR_MEMORY_SMALL;
    entries[count] = (struct told){name, units, tprof_arch_now()};
    began[count] = read_now(&entries[count]);
    a->mark_progress = mark_progress;
    a->put_progress = put_progress;
    /* release: pairs with the acquire in owes_counters(), control.c */
    atomic_store_explicit(&a->work_counters, count + 1, memory_order_release);
    return TPROF_OK;
}

int tprof_add_counter(const struct tprof_counter *counter)
{
    return add(counter->name, &counter->units);
}

int tprof_mark(const char *name)
{
    return add(name, NULL);
}
