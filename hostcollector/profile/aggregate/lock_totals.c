/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps locks and the waits for them once, and adds up how their sums grow. */
#include <stdlib.h>
#include <string.h>

#include "profile/aggregate/gathered.h"

/* The part of the last report of a lock that has been added up. */
struct lock_reported {
    uint64_t since, wall, acquires, untimed;
    struct lock_times waits, holds;
};

/* The same of an entry of waits */
struct lock_wait_reported {
    uint32_t session, wait; /* index in the profile's waits */
    struct lock_times waits;
};

/* Add the growth from (*last) to (now) to (*sum). */
static void grow(struct lock_times *sum, struct lock_times *last,
                 const struct lock_times *now)
{
    if (now->count != 0 && (sum->count == 0 || now->least < sum->least))
        sum->least = now->least;
    if (now->longest > sum->longest)
        sum->longest = now->longest;
    aggregate_grow(&sum->count, &last->count, now->count);
    aggregate_grow(&sum->time, &last->time, now->time);
    aggregate_grow(&sum->ready, &last->ready, now->ready);
    aggregate_grow(&sum->blocked, &last->blocked, now->blocked);
}

/* Index of the lock at (address). A new lock is added to the list. MAP_NOTHING
 * if there is no room. */
static uint32_t lock_at(struct aggregate *a, uint64_t address)
{
    struct locks *l = &a->locks;
    uint32_t *at = aggregate_put_pair(a, &l->numbers, address, 0);

    if (at == NULL || *at != MAP_NOTHING)
        return at != NULL ? *at : MAP_NOTHING;
    if (budget_make_room(&a->budget, &l->list, &l->room, l->count + 1,
                         sizeof *l->list) != 0 ||
        budget_make_room(&a->budget, &l->reported, &l->reported_room,
                         l->count + 1, sizeof *l->reported) != 0)
        return MAP_NOTHING;
    l->list[l->count] = (struct profile_lock){.address = address};
    l->reported[l->count] = (struct lock_reported){0};
    *at = (uint32_t)l->count++;
    return *at;
}

void aggregate_lock(void *aggregate, const struct guest_lock *lock)
{
    struct aggregate *a = aggregate;
    uint32_t at = lock_at(a, lock->address);

    if (at == MAP_NOTHING) {
        a->locks.refused++;
        return;
    }
    struct profile_lock *l = &a->locks.list[at];
    struct lock_reported *last = &a->locks.reported[at];

    if (last->since != lock->since) /* another span of time */
        *last = (struct lock_reported){.since = lock->since};
    if (lock->acquires < last->acquires ||
        lock->waits.time < last->waits.time ||
        lock->holds.time < last->holds.time)
        return; /* sums do not fall */
    memcpy(l->name, lock->name, sizeof l->name);
    l->waiting = lock->waiting;
    if (lock->most_waiting > l->most_waiting)
        l->most_waiting = lock->most_waiting;
    l->is_held = lock->is_held;
    l->holding = lock->holding;
    aggregate_grow(&l->wall, &last->wall, lock->now - lock->since);
    aggregate_grow(&l->acquires, &last->acquires, lock->acquires);
    aggregate_grow(&l->untimed, &last->untimed, lock->untimed);
    grow(&l->waits, &last->waits, &lock->waits);
    grow(&l->holds, &last->holds, &lock->holds);
}

/* The index of the wait of (w) in the profile; MAP_NOTHING if there is no room.
 */
static uint32_t wait_of(struct aggregate *a, const struct guest_lock_wait *w)
{
    struct locks *l = &a->locks;
    uint32_t lock = lock_at(a, w->address);
    uint32_t thread = w->serial != 0 ? aggregate_runs(a, w->serial, 0) : 0;
    uint64_t key = aggregate_chain_key(a, w->frames, w->depth);

    if (lock == MAP_NOTHING)
        return MAP_NOTHING;
    uint32_t *at = aggregate_put_pair(a, &l->waits, key + lock,
                                      (uint64_t)thread << 1 | w->kind);

    if (at == NULL)
        return MAP_NOTHING;
    if (*at == MAP_NOTHING &&
        budget_make_room(&a->budget, &l->wait_list, &l->wait_room,
                         l->wait_count + 1, sizeof *l->wait_list) == 0) {
        *at = (uint32_t)l->wait_count++;
        l->wait_list[*at] = (struct profile_lock_wait){
            .kind = w->kind,
            .lock = lock,
            .thread = thread,
            .stack = aggregate_chain_stack(a, w->frames, w->depth, w->end)};
    }
    return *at;
}

/* The last report of entry (entry). NULL if there is no room. */
static struct lock_wait_reported *reported_of(struct aggregate *a,
                                              uint32_t entry)
{
    struct locks *l = &a->locks;
    uint32_t *at = aggregate_put_pair(a, &l->entries, entry, 0);

    if (at == NULL)
        return NULL;
    if (*at == MAP_NOTHING) {
        if (budget_make_room(&a->budget, &l->entry_list, &l->entry_room,
                             l->entry_count + 1, sizeof *l->entry_list) != 0)
            return NULL;
        *at = (uint32_t)l->entry_count++;
        l->entry_list[*at] = (struct lock_wait_reported){.wait = MAP_NOTHING};
    }
    return &l->entry_list[*at];
}

void aggregate_lock_wait(void *aggregate, const struct guest_lock_wait *w)
{
    struct aggregate *a = aggregate;
    uint32_t index = wait_of(a, w);
    struct lock_wait_reported *last = reported_of(a, w->entry);

    if (index == MAP_NOTHING || last == NULL) {
        a->locks.refused++;
        return;
    }
    if (last->session != a->profile.sessions || last->wait != index ||
        w->waits.count < last->waits.count ||
        w->waits.time < last->waits.time) /* counted anew */
        *last = (struct lock_wait_reported){.session = a->profile.sessions,
                                            .wait = index};
    grow(&a->locks.wait_list[index].waits, &last->waits, &w->waits);
}

void aggregate_fill_locks(struct aggregate *a)
{
    struct profile *p = &a->profile;
    const struct locks *l = &a->locks;

    p->locks = l->list;
    p->lock_count = l->count;
    p->lock_waits = l->wait_list;
    p->lock_wait_count = l->wait_count;
    p->refused_locks = l->refused;
}

void aggregate_fini_locks(struct aggregate *a)
{
    struct locks *l = &a->locks;

    map_fini(&l->numbers);
    map_fini(&l->waits);
    map_fini(&l->entries);
    free(l->list);
    free(l->reported);
    free(l->wait_list);
    free(l->entry_list);
}
