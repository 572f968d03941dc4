/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads THREAD, WAIT and SCHED (WIRE.md 10). */
#include "ear.h"

#include "guest.h"
#include "host.h"

#define THREAD 9u
#define WAIT   10u
#define SCHED  11u

#define UNKNOWN 3u
#define ENDED   2u /* flag */

struct ear_thread ear_threads[EAR_THREADS];
struct ear_wait ear_waits[EAR_WAITS];
struct ear_core ear_cores[16];

/* The field (tag) as bytes. Returns their number; 0: there is none. */
static uint32_t find_bytes(const uint8_t *frame, uint32_t size, uint8_t tag,
                           const uint8_t **bytes)
{
    for (uint32_t at = 8; at + 2 <= size - 4; at += 2u + frame[at + 1]) {
        *bytes = frame + at + 2;
        if (frame[at] == tag)
            return frame[at + 1];
    }
    return 0;
}

static void hear_thread(const uint8_t *f, uint32_t size)
{
    uint64_t slot = host_field(f, size, 12, EAR_THREADS);
    const uint8_t *name;
    uint32_t length = find_bytes(f, size, 3, &name);

    if (slot >= EAR_THREADS || length > 31)
        guest_fail("threads: a THREAD of no record");
    struct ear_thread *t = &ear_threads[slot];

    for (uint32_t i = 0; i < length; i++)
        t->name[i] = (char)name[i];
    t->name[length] = 0;
    t->serial = host_field(f, size, 1, 0);
    t->flags = host_field(f, size, 4, 0);
    t->now = host_field(f, size, 5, 0);
    t->since = host_field(f, size, 6, 0);
    t->state = host_field(f, size, 7, 0);
    t->running = host_field(f, size, 8, 0);
    t->ready = host_field(f, size, 9, 0);
    t->blocked = host_field(f, size, 10, 0);
    t->switches = host_field(f, size, 11, 0);
    t->wait = host_field(f, size, 13, 0);
    if ((t->state != UNKNOWN || t->flags & ENDED) &&
        t->running + t->ready + t->blocked != t->now - t->since)
        guest_fail("threads: the times of a thread do not add up");
}

/* The return addresses in STACK: zigzag varints, the first less the start of
 * text, then each less the one before. */
static void hear_stack(struct ear_wait *w, const uint8_t *f, uint32_t size)
{
    extern const char __tprof_text_start[];
    uint64_t address = (uintptr_t)__tprof_text_start, value = 0;
    const uint8_t *at;
    uint32_t length = find_bytes(f, size, 3, &at), bit = 0;

    w->depth = 0;
    for (uint32_t i = 0; i < length && w->depth < EAR_FRAMES; i++) {
        value |= (uint64_t)(at[i] & 0x7f) << bit;
        bit += 7;
        if (at[i] & 0x80)
            continue;
        address += value >> 1 ^ -(value & 1);
        w->frames[w->depth++] = address;
        value = bit = 0;
    }
}

static void hear_wait(const uint8_t *f, uint32_t size)
{
    uint64_t entry = host_field(f, size, 8, EAR_WAITS);

    if (entry >= EAR_WAITS)
        guest_fail("threads: a WAIT of no entry");
    struct ear_wait *w = &ear_waits[entry];

    w->seen = 1;
    w->kind = host_field(f, size, 1, 0);
    w->serial = host_field(f, size, 2, 0);
    w->count = host_field(f, size, 5, 0);
    w->time = host_field(f, size, 6, 0);
    w->longest = host_field(f, size, 7, 0);
    hear_stack(w, f, size);
}

static void hear_core(const uint8_t *f, uint32_t size)
{
    struct ear_core *c = &ear_cores[host_field(f, size, 1, 0) % 16];

    c->now = host_field(f, size, 2, 0);
    c->since = host_field(f, size, 3, 0);
    c->switches = host_field(f, size, 4, 0);
    c->running = host_field(f, size, 5, 0);
    c->idle = host_field(f, size, 6, 0);
    c->unnamed = host_field(f, size, 7, 0);
    c->moved = host_field(f, size, 8, 0);
    c->evicted_running = host_field(f, size, 12, 0);
    c->evicted = host_field(f, size, 15, 0);
    c->refused = host_field(f, size, 16, 0);
    if (c->running + c->idle + c->unnamed != c->now - c->since)
        guest_fail("threads: the times of a core do not add up");
}

int ear_send(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;

    (void)context;
    if (frame[2] == THREAD)
        hear_thread(frame, size);
    else if (frame[2] == WAIT)
        hear_wait(frame, size);
    else if (frame[2] == SCHED)
        hear_core(frame, size);
    return (int)size;
}
