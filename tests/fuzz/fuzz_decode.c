/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wire bytes of a hostile guest, decoded and added up as the collector does it.
 *
 * Bit 7 of the first byte chooses what the other bytes are. Clear: the stream.
 * Set: a row of "type, length, body", of which this file makes frames with a
 * right CRC and number, since a fuzzer guesses no CRC. The low bits are the
 * size of the pieces in which the stream arrives.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/aggregate/aggregate.h"
#include "profile/decode/decode.h"
#include "wiregen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY_MAX (1u << 20)

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)e;
    aggregate_hello(context, kind, g);
    return 0;
}

static void on_status(void *context, const struct guest_status *status)
{
    aggregate_status(context, status);
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    aggregate_clock(context, pong->tsc % GUEST_TSC_HZ_MAX);
}

/* Check what decode promises of a map. */
static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    (void)e;
    if (map->start == 0 || map->start + map->size <= map->start ||
        map->name[sizeof map->name - 1] != 0 ||
        map->build_id_len > sizeof map->build_id)
        abort();
    return aggregate_map(context, map) == MAPS_OTHER_IMAGE ? -1 : 0;
}

static void on_gap(void *context, uint32_t frames)
{
    (void)context;
    (void)frames;
}

static void must(int true_now, const char *what)
{
    if (true_now)
        return;
    fprintf(stderr, "must be: %s\n", what);
    abort();
}

/* Check what must hold for any bytes. */
static void check_profile(const struct profile *p)
{
    must(p->map_count <= GUEST_MAPS_MAX, "images are bounded");
    for (size_t i = 1; i < p->map_count; i++)
        must(p->maps[i].start - p->maps[i - 1].start >= p->maps[i - 1].size &&
                 p->maps[i].start > p->maps[i - 1].start,
             "images do not overlap");
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *c = &p->cores[i];

        if (c->selected && p->guest.cores == p->core_count)
            must(c->total.samples <= c->account.samples || p->boots > 1,
                 "no sample out of nothing");
        for (size_t k = 0; k < c->entry_count; k++) {
            must(c->entries[k].stack < p->stack_count ||
                     c->entries[k].stack == STACK_UNKNOWN ||
                     c->entries[k].stack == STACK_OTHERS,
                 "stacks are known");
            must(profile_stack(p, c->entries[k].stack).depth <=
                     WIRE_STACK_FRAMES_MAX,
                 "stacks are bounded");
            must(profile_stack(p, c->entries[k].stack).thread <=
                     p->thread_count,
                 "threads of samples are known");
        }
    }
}

/* Check the threads of any bytes. */
static void check_threads(const struct profile *p)
{
    for (size_t i = 0; i < p->thread_count; i++) {
        const struct profile_thread *t = &p->threads[i];

        must(t->name[sizeof t->name - 1] == 0, "names end");
        must(t->waits <= p->wait_count, "the wait of a thread is known");
        must(t->running <= t->wall && t->ready <= t->wall &&
                 t->blocked <= t->wall,
             "no part of a thread's time is longer than the time");
    }
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_sched *s = p->cores[i].sched;

        must(s == NULL || (s->running <= s->wall && s->idle <= s->wall &&
                           s->unnamed <= s->wall),
             "no part of a core's time is longer than the time");
    }
    for (size_t i = 0; i < p->wait_count; i++) {
        const struct profile_wait *w = &p->waits[i];

        must(w->thread <= p->thread_count, "threads that wait are known");
        must(w->stack < p->stack_count || w->stack == STACK_UNKNOWN ||
                 w->stack == STACK_OTHERS,
             "stacks of waits are known");
    }
}

static void check_lock_times(const struct lock_times *t)
{
    must(t->ready <= t->time && t->blocked <= t->time,
         "no part of a lock's time is longer than the time");
    must(t->longest <= t->time && t->least <= t->longest,
         "no wait is longer than all waits");
}

/* Check the locks of any bytes. */
static void check_locks(const struct profile *p)
{
    for (size_t i = 0; i < p->lock_count; i++) {
        const struct profile_lock *l = &p->locks[i];

        must(l->name[sizeof l->name - 1] == 0, "names of locks end");
        check_lock_times(&l->waits);
        check_lock_times(&l->holds);
        must(l->holds.time <= l->wall, "no lock is held for longer than ever");
    }
    for (size_t i = 0; i < p->lock_wait_count; i++) {
        const struct profile_lock_wait *w = &p->lock_waits[i];

        check_lock_times(&w->waits);
        must(w->lock < p->lock_count && w->thread <= p->thread_count,
             "locks and threads of waits are known");
        must(w->stack < p->stack_count || w->stack == STACK_UNKNOWN ||
                 w->stack == STACK_OTHERS,
             "stacks of waits for locks are known");
    }
}

/* Check the requests of any bytes. */
static void check_requests(const struct profile *p)
{
    for (size_t i = 0; i < p->request_count; i++) {
        const struct profile_request *r = &p->requests[i];
        const struct request_times *t = &r->times;

        must(r->name[sizeof r->name - 1] == 0, "names end");
        must(t->running <= t->time && t->ready <= t->time &&
                 t->blocked <= t->time,
             "no part of the requests' time is longer than the time");
    }
    for (size_t i = 0; i < p->slow_count; i++) {
        const struct profile_slow *s = &p->slow[i];

        must(s->kind < WIRE_REQUEST_KINDS && s->wait <= p->wait_count &&
                 s->thread <= p->thread_count,
             "kind, wait and thread of a slow request are known");
        must(s->longest <= s->times.time, "no wait is longer than its request");
    }
}

static void frames_of(struct wiregen *w, const uint8_t *data, size_t size)
{
    while (size >= 3) {
        size_t length = (size_t)(data[1] | data[2] << 8) & 0xfff;

        length = length < size - 3 ? length : size - 3;
        wiregen_open(w, data[0]);
        wiregen_bytes(w, data + 3, length);
        wiregen_close(w);
        data += 3 + length;
        size -= 3 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aggregate_config config = {.memory_max = MEMORY_MAX};
    struct wiregen w = {0};
    struct err e;

    if (size == 0)
        return 0;
    if (data[0] & 0x80)
        frames_of(&w, data + 1, size - 1);
    else
        wiregen_bytes(&w, data + 1, size - 1);
    size_t piece = data[0] & 0x7f ? (size_t)(data[0] & 0x7f) * 37 : 1u << 20;
    struct aggregate *a = aggregate_new(&config);
    struct events events = aggregate_events;

    events.hello = on_hello;
    events.status = on_status;
    events.pong = on_pong;
    events.map = on_map;
    events.gap = on_gap;
    struct decode *d = decode_new(&events, a);
    int result = 0;

    for (size_t at = 0; result == 0 && at < w.size; at += piece)
        result = decode_feed(d, w.bytes + at,
                             w.size - at < piece ? w.size - at : piece, &e);
    if (result == 0)
        (void)decode_end(d, &e);
    aggregate_health(a, decode_health(d));
    check_profile(aggregate_profile(a));
    check_threads(aggregate_profile(a));
    check_requests(aggregate_profile(a));
    check_locks(aggregate_profile(a));
    decode_free(d);
    aggregate_free(a);
    wiregen_fini(&w);
    return 0;
}
