/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/lock_waits.h"

#include "arch/arch.h"

#define WINDOW 8u /* a wait is in one of these places from its home on */
#define MIX    0x9e3779b97f4a7c15u
#define FILLED 1u /* a key: a core fills the place in */

struct tprof_lock_waits tprof_lock_waits;

static uint64_t key_of(uint64_t address, uint64_t who)
{
    return ((address + who * MIX) * MIX) | 2; /* neither 0 nor FILLED */
}

/* Returns place (i) of the window of (key). */
static struct tprof_lock_open *place_of(uint64_t key, uint32_t i)
{
    uint32_t size = tprof_lock_waits.table.size;
    uint32_t at = (uint32_t)((key >> 32) * size >> 32) + i;

    return &tprof_lock_waits.open[at < size ? at : at - size];
}

static uint64_t get(const _Atomic uint64_t *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

/* Takes (o), which has the key (was), and fills it in. Returns false if another
 * core was faster. */
static bool fill(struct tprof_lock_open *o, uint64_t was, uint64_t key,
                 const struct tprof_lock_wait *w)
{
    if (!atomic_compare_exchange_strong(&o->key, &was, FILLED))
        return false;
    if (was != 0) { /* its thread waits no longer, or is forgotten */
        atomic_fetch_add(&tprof_lock_waits.untimed, 1);
        atomic_fetch_sub(&tprof_lock_table.record[o->lock].waiting, 1);
    }
    atomic_store_explicit(&o->since, w->since, memory_order_relaxed);
    atomic_store_explicit(&o->ready, w->ready, memory_order_relaxed);
    atomic_store_explicit(&o->blocked, w->blocked, memory_order_relaxed);
    atomic_store_explicit(&o->lock, w->lock, memory_order_relaxed);
    atomic_store_explicit(&o->waited, w->waited, memory_order_relaxed);
    /* release: pairs with the acquire in tprof_lock_waits_close() */
    atomic_store_explicit(&o->key, key, memory_order_release);
    return true;
}

static void count_waiting(uint32_t lock)
{
    struct tprof_lock_record *r = &tprof_lock_table.record[lock];
    uint32_t now = atomic_fetch_add(&r->waiting, 1) + 1;
    uint32_t most = atomic_load(&r->most_waiting);

    for (int tries = 0; tries < 8 && most < now; tries++) {
        if (atomic_compare_exchange_strong(&r->most_waiting, &most, now))
            break;
    }
}

void tprof_lock_waits_open(uint64_t address, uint64_t who,
                           const struct tprof_lock_wait *w)
{
    uint64_t key = key_of(address, who);
    struct tprof_lock_open *oldest = NULL;
    uint64_t oldest_key = 0;

    count_waiting(w->lock);
    for (uint32_t i = 0; i < WINDOW; i++) {
        struct tprof_lock_open *o = place_of(key, i);
        uint64_t is = get(&o->key);

        if (is == 0 && fill(o, 0, key, w))
            return;
        if (is > FILLED && (!oldest || get(&o->since) < get(&oldest->since)))
            oldest = o, oldest_key = is;
    }
    if (oldest && fill(oldest, oldest_key, key, w))
        return;
    atomic_fetch_add(&tprof_lock_waits.untimed, 1);
    atomic_fetch_sub(&tprof_lock_table.record[w->lock].waiting, 1);
}

bool tprof_lock_waits_close(uint64_t address, uint64_t who,
                            struct tprof_lock_wait *w)
{
    uint64_t key = key_of(address, who);
    struct tprof_lock_open *latest = NULL;

    for (uint32_t i = 0; i < WINDOW; i++) {
        struct tprof_lock_open *o = place_of(key, i);

        if (atomic_load_explicit(&o->key, memory_order_acquire) == key &&
            (!latest || get(&o->since) > get(&latest->since)))
            latest = o;
    }
    if (!latest)
        return false;
    *w = (struct tprof_lock_wait){
        .since = get(&latest->since),
        .ready = get(&latest->ready),
        .blocked = get(&latest->blocked),
        .lock = latest->lock,
        .waited = latest->waited,
    };
    /* fails if another thread has taken the place */
    if (!atomic_compare_exchange_strong(&latest->key, &key, 0))
        return false;
    atomic_fetch_sub(&tprof_lock_table.record[w->lock].waiting, 1);
    return true;
}

void tprof_lock_waits_clear(uint32_t i)
{
    tprof_thread_waits_clear(&tprof_lock_waits.table, i);
    tprof_arch_zero(&tprof_lock_waits.times[i],
                    sizeof tprof_lock_waits.times[i]);
    tprof_arch_zero(&tprof_lock_waits.open[i], sizeof tprof_lock_waits.open[i]);
}
