/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps threads, waits and scheduling once, and adds up how their sums grow. */
#include <stdlib.h>
#include <string.h>

#include "profile/aggregate/gathered.h"
#include "util/hash.h"

/* Limit of threads, waits and entries of waits, because the guest decides about
 * their number. */
#define MOST 65536u

/* The part of the last report of a thread, or of an entry of waits, that has
 * been added up. */
struct thread_reported {
    uint64_t since, wall, running, ready, blocked, switches;
    bool has_wait;
    uint32_t wait; /* as in struct guest_thread */
};

struct wait_reported {
    uint32_t session, wait; /* index in the profile's waits */
    uint64_t count, time;
};

uint32_t *aggregate_put_pair(struct aggregate *a, struct pair_map *m,
                             uint64_t key, uint64_t kind)
{
    size_t before = map_bytes(m);
    uint64_t mixed = hash_mix(a->seed, key);

    if (m->count == MOST && map_get(m, mixed, kind) == MAP_NOTHING)
        return NULL;
    uint32_t *at = map_put(m, mixed, kind);

    (void)budget_keep(&a->budget, map_bytes(m) - before);
    return at;
}

/* Number of the thread. A new thread is added to the list. 0: no room. */
static uint32_t number_of(struct aggregate *a, uint64_t serial, uint64_t id)
{
    struct threads *t = &a->threads;
    uint32_t *at =
        aggregate_put_pair(a, &t->numbers, serial != 0 ? serial : id,
                           (uint64_t)a->profile.boots << 1 | (serial == 0));

    if (at != NULL && *at != MAP_NOTHING)
        return *at;
    if (at == NULL ||
        budget_make_room(&a->budget, &t->list, &t->room, t->count + 1,
                         sizeof *t->list) != 0 ||
        budget_make_room(&a->budget, &t->reported, &t->reported_room,
                         t->count + 1, sizeof *t->reported) != 0) {
        t->refused++; /* the pair stays without a number */
        return 0;
    }
    t->list[t->count] = (struct profile_thread){
        .serial = serial, .id = id, .state = WIRE_IS_UNKNOWN};
    *at = (uint32_t)++t->count;
    return *at;
}

uint32_t aggregate_runs(void *aggregate, uint64_t serial, uint64_t id)
{
    return number_of(aggregate, serial, id);
}

uint32_t aggregate_stack_of(void *aggregate, uint32_t number, uint32_t thread,
                            uint32_t request)
{
    struct aggregate *a = aggregate;
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
    struct stack s = stack_pool_get(&a->stacks, number);

    if (number == STACK_UNKNOWN || number == STACK_OTHERS)
        return number;
    if (s.depth != 0) /* the lists may move when the stack is added */
        memcpy(frames, s.frames, s.depth * sizeof *frames);
    s.frames = frames;
    s.thread = thread;
    s.request = (uint8_t)request; /* at most 2 * WIRE_REQUEST_KINDS */
    return aggregate_add_stack(a, &s);
}

void aggregate_thread(void *aggregate, const struct guest_thread *thread)
{
    struct aggregate *a = aggregate;
    uint32_t number = number_of(a, thread->serial, thread->id);

    if (number == 0)
        return;
    struct profile_thread *t = &a->threads.list[number - 1];
    struct thread_reported *last = &a->threads.reported[number - 1];

    if (last->since != thread->since) /* another span of time */
        *last = (struct thread_reported){.since = thread->since};
    if (thread->running < last->running || thread->ready < last->ready ||
        thread->blocked < last->blocked)
        return; /* sums do not fall */
    last->has_wait = thread->has_wait && thread->state == WIRE_IS_BLOCKED;
    last->wait = thread->wait;
    t->id = thread->id;
    t->idle = thread->flags & WIRE_THREAD_IDLE;
    t->ended = thread->flags & WIRE_THREAD_ENDED;
    t->state = thread->state;
    memcpy(t->name, thread->name, sizeof t->name);
    aggregate_grow(&t->wall, &last->wall, thread->now - thread->since);
    aggregate_grow(&t->running, &last->running, thread->running);
    aggregate_grow(&t->ready, &last->ready, thread->ready);
    aggregate_grow(&t->blocked, &last->blocked, thread->blocked);
    aggregate_grow(&t->switches, &last->switches, thread->switches);
}

uint64_t aggregate_chain_key(const struct aggregate *a, const uint64_t *frames,
                             uint32_t depth)
{
    uint64_t key = hash_mix(a->seed, depth);

    for (uint32_t i = 0; i < depth; i++)
        key = hash_mix(key, frames[i]);
    return key;
}

uint32_t aggregate_chain_stack(struct aggregate *a, const uint64_t *frames,
                               uint32_t depth, uint8_t end)
{
    const struct stack stack = {.frames = frames,
                                .depth = depth,
                                .end = end,
                                .generation = GENERATION_NONE};

    return depth != 0 ? aggregate_stack(a, 0, &stack) : STACK_UNKNOWN;
}

/* The index of the wait of (w) in the profile; MAP_NOTHING if there is no room.
 */
static uint32_t wait_of(struct aggregate *a, const struct guest_wait *w)
{
    struct threads *t = &a->threads;
    uint32_t thread = w->serial != 0 ? number_of(a, w->serial, 0) : 0;
    uint32_t *at = aggregate_put_pair(
        a, &t->waits, aggregate_chain_key(a, w->frames, w->depth),
        (uint64_t)thread << 1 | w->kind);

    if (at == NULL)
        return MAP_NOTHING;
    if (*at == MAP_NOTHING &&
        budget_make_room(&a->budget, &t->wait_list, &t->wait_room,
                         t->wait_count + 1, sizeof *t->wait_list) == 0) {
        *at = (uint32_t)t->wait_count++;
        t->wait_list[*at] = (struct profile_wait){
            .kind = w->kind,
            .thread = thread,
            .stack = aggregate_chain_stack(a, w->frames, w->depth, w->end)};
    }
    return *at;
}

/* The last report of entry (entry). NULL if there is no room. */
static struct wait_reported *reported_of(struct aggregate *a, uint32_t entry)
{
    struct threads *t = &a->threads;
    uint32_t *at = aggregate_put_pair(a, &t->entries, entry, 0);

    if (at == NULL)
        return NULL;
    if (*at == MAP_NOTHING) {
        if (budget_make_room(&a->budget, &t->entry_list, &t->entry_room,
                             t->entry_count + 1, sizeof *t->entry_list) != 0)
            return NULL;
        *at = (uint32_t)t->entry_count++;
        t->entry_list[*at] = (struct wait_reported){.wait = MAP_NOTHING};
    }
    return &t->entry_list[*at];
}

void aggregate_wait(void *aggregate, const struct guest_wait *w)
{
    struct aggregate *a = aggregate;
    uint32_t index = wait_of(a, w);
    struct wait_reported *last = reported_of(a, w->entry);

    if (index == MAP_NOTHING || last == NULL) {
        a->threads.refused_waits++;
        return;
    }
    struct profile_wait *wait = &a->threads.wait_list[index];

    if (last->session != a->profile.sessions || last->wait != index ||
        w->count < last->count || w->time < last->time) /* counted anew */
        *last = (struct wait_reported){.session = a->profile.sessions,
                                       .wait = index};
    aggregate_grow(&wait->count, &last->count, w->count);
    aggregate_grow(&wait->time, &last->time, w->time);
    if (w->longest > wait->longest)
        wait->longest = w->longest;
}

void aggregate_sched(void *aggregate, const struct guest_sched *s)
{
    struct aggregate *a = aggregate;
    struct sums *sums = aggregate_sums_of(a, s->core);

    if (sums != NULL && sums->sched == NULL)
        sums->sched = calloc(1, sizeof *sums->sched);
    if (sums == NULL || sums->sched == NULL)
        return;
    struct profile_sched *to = &sums->sched->sum;
    struct guest_sched *last = &sums->sched->reported;

    if (last->since != s->since) /* another span of time */
        *last = (struct guest_sched){.since = s->since, .now = s->since};
    if (s->running < last->running || s->idle < last->idle ||
        s->unnamed < last->unnamed)
        return; /* sums do not fall */
    aggregate_add_growth(&to->wall, s->now - last->now);
    last->now = s->now;
    aggregate_grow(&to->switches, &last->switches, s->switches);
    aggregate_grow(&to->running, &last->running, s->running);
    aggregate_grow(&to->idle, &last->idle, s->idle);
    aggregate_grow(&to->unnamed, &last->unnamed, s->unnamed);
    aggregate_grow(&to->moved, &last->moved, s->moved);
    to->has_ready_idle |= s->has_ready_idle;
    aggregate_grow(&to->ready_idle, &last->ready_idle, s->ready_idle);
    aggregate_grow(&to->evicted, &last->evicted, s->evicted);
    aggregate_grow(&to->refused, &last->refused, s->refused);
    for (size_t i = 0; i < SCHED_CLASSES; i++)
        aggregate_grow(&to->ready[i], &last->ready[i], s->ready[i]);
}

uint32_t aggregate_wait_at(const struct aggregate *a, uint32_t session,
                           uint32_t entry)
{
    const struct threads *t = &a->threads;
    uint32_t at = map_get(&t->entries, hash_mix(a->seed, entry), 0);
    const struct wait_reported *w =
        at != MAP_NOTHING ? &t->entry_list[at] : NULL;

    return w != NULL && w->session == session ? w->wait + 1 : 0;
}

/* Find the wait of each thread that was blocked. */
static void find_waits(struct aggregate *a)
{
    struct threads *t = &a->threads;

    for (size_t i = 0; i < t->count; i++) {
        const struct thread_reported *last = &t->reported[i];
        uint32_t wait =
            last->has_wait
                ? aggregate_wait_at(a, a->profile.sessions, last->wait)
                : 0;

        t->list[i].waits =
            wait != 0 && t->wait_list[wait - 1].thread == i + 1 ? wait : 0;
    }
}

/* Find how long each blocked thread has been in its wait: the blocked time that
 * is in no wait that has ended. Waits of several threads may be its own. */
static void find_open(struct aggregate *a)
{
    struct threads *t = &a->threads;
    uint64_t *ended = calloc(t->count + 1, sizeof *ended);

    for (size_t i = 0; i < t->wait_count; i++) {
        t->wait_list[i].open = 0;
        if (ended != NULL && t->wait_list[i].kind == WIRE_WAIT_BLOCKED)
            aggregate_add_growth(&ended[t->wait_list[i].thread],
                                 t->wait_list[i].time);
    }
    for (size_t i = 0; ended != NULL && i < t->count; i++) {
        aggregate_add_growth(&ended[i + 1], ended[0]);
        if (t->list[i].waits != 0 && t->list[i].blocked > ended[i + 1])
            t->wait_list[t->list[i].waits - 1].open =
                t->list[i].blocked - ended[i + 1];
    }
    free(ended);
}

/* Add up the samples of each thread. */
static void sum_samples(struct aggregate *a)
{
    struct threads *t = &a->threads;

    for (size_t i = 0; i < t->count; i++)
        t->list[i].sampled = 0;
    for (size_t i = 0; i < a->used && t->count != 0; i++) {
        const struct entries *e = &a->sums[i].entries;

        for (size_t k = 1; k <= e->count; k++) {
            uint32_t n = stack_pool_get(&a->stacks, e->list[k].stack).thread;

            if (n != 0)
                t->list[n - 1].sampled += e->list[k].tally.time;
        }
    }
}

/* Find the names that several threads have. */
static void find_shared(struct aggregate *a)
{
    struct threads *t = &a->threads;
    struct pair_map names = {0};

    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t name = hash_mix(a->seed, hash_text(t->list[i].name));
        uint32_t *at = map_put(&names, name, 0);

        t->list[i].shared = at != NULL && *at != MAP_NOTHING;
        if (t->list[i].shared)
            t->list[*at].shared = true;
        else if (at != NULL)
            *at = i;
    }
    map_fini(&names);
}

/* The longest wait of each thread. */
static void find_longest(struct aggregate *a)
{
    struct threads *t = &a->threads;

    for (size_t i = 0; i < t->count; i++)
        t->list[i].longest = 0;
    for (size_t i = 0; i < t->wait_count; i++) {
        const struct profile_wait *w = &t->wait_list[i];
        uint64_t longest = w->open > w->longest ? w->open : w->longest;

        if (w->kind == WIRE_WAIT_BLOCKED && w->thread != 0 &&
            longest > t->list[w->thread - 1].longest)
            t->list[w->thread - 1].longest = longest;
    }
}

void aggregate_fill_threads(struct aggregate *a)
{
    struct profile *p = &a->profile;
    struct threads *t = &a->threads;

    sum_samples(a);
    find_waits(a);
    find_open(a);
    find_shared(a);
    find_longest(a);
    for (size_t i = 0; i < a->used && i < p->core_count; i++)
        if (a->sums[i].sched != NULL)
            p->cores[i].sched = &a->sums[i].sched->sum;
    p->threads = t->list;
    p->thread_count = t->count;
    p->refused_threads = t->refused;
    p->waits = t->wait_list;
    p->wait_count = t->wait_count;
    p->refused_waits = t->refused_waits;
    aggregate_fill_locks(a);
}

void aggregate_fini_threads(struct aggregate *a)
{
    struct threads *t = &a->threads;

    for (size_t i = 0; i < a->used; i++)
        free(a->sums[i].sched);
    map_fini(&t->numbers);
    map_fini(&t->waits);
    map_fini(&t->entries);
    free(t->list);
    free(t->reported);
    free(t->wait_list);
    free(t->entry_list);
    aggregate_fini_locks(a);
}
