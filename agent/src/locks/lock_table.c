/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/lock_table.h"

#include "arch/arch.h"
#include "state/agent.h"
#include "threads/thread_table.h"
#include "tprof/tprof.h"

#define WINDOW 8u /* a lock is in one of these records from its home on */
#define TRIES  4u
#define OTHERS 1u /* the first records: for locks that find no record */

struct tprof_lock_table tprof_lock_table;

/* --- Records -------------------------------------------------------------- */

static uint64_t word_of(const struct tprof_lock_record *r)
{
    return atomic_load_explicit(&r->word, memory_order_relaxed);
}

/* Returns the first record, from (at) on, that has (plain), or that is free if
 * (make). Then makes the record that of (plain). 0: there is none. */
TPROF_HOT uint32_t look(uint32_t at, uint64_t plain, bool make)
{
    uint32_t size = tprof_lock_table.size - OTHERS;

    for (uint32_t i = 0; i < WINDOW; i++) {
        struct tprof_lock_record *r = &tprof_lock_table.record[at];
        uint64_t word = word_of(r);

        if (word == 0 && make &&
            atomic_compare_exchange_strong(&r->word, &word, plain))
            return at;
        if (word != 0 && (word | 1) == (plain | 1)) /* or has it just now */
            return at;
        at = at < size ? at + 1 : OTHERS;
    }
    return 0;
}

uint32_t tprof_lock_table_find(uint64_t address, bool make)
{
    uint32_t size = tprof_lock_table.size - OTHERS;
    uint64_t hash = (address * 0x9e3779b97f4a7c15u) >> 32;
    uint32_t home = OTHERS + (uint32_t)(hash * size >> 32);
    uint64_t plain = address << 1;
    uint32_t at = plain ? look(home, plain, false) : 0;

    /* first all records: one before the lock's own may have become free */
    if (at == 0 && make && plain != 0)
        at = look(home, plain, true);
    return at;
}

int tprof_lock_table_name(uint64_t address, const char *name)
{
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        uint32_t at = tprof_lock_table_find(address, true);
        struct tprof_lock_record *r = &tprof_lock_table.record[at];
        uint64_t plain = address << 1;

        if (at == 0)
            break;
        /* fails if the pump has freed the record meanwhile */
        if (atomic_compare_exchange_strong(&r->word, &plain, plain | 1) ||
            plain == (address << 1 | 1)) {
            tprof_thread_table_copy_name(r->name, name);
            return TPROF_OK;
        }
    }
    return TPROF_ERR_MEMORY_SMALL;
}

void tprof_lock_table_clear(uint32_t i)
{
    struct tprof_lock_record *r = &tprof_lock_table.record[i];
    uint64_t word = word_of(r);

    tprof_arch_zero(&r->acquires,
                    (uint32_t)((uintptr_t)&r->name - (uintptr_t)&r->acquires));
    tprof_arch_zero(&r->holder, sizeof r->holder);
    r->told = 0;
    if (word % 2 == 0) /* the kernel may name the lock meanwhile */
        (void)atomic_compare_exchange_strong(&r->word, &word, 0);
}

/* --- Sums ----------------------------------------------------------------- */

void tprof_lock_times_add(struct tprof_lock_times *t,
                          struct tprof_lock_span span)
{
    uint64_t least = atomic_load(&t->least);
    uint64_t longest = atomic_load(&t->longest);

    atomic_fetch_add(&t->count, 1);
    atomic_fetch_add(&t->ticks, span.ticks);
    if (span.ready)
        atomic_fetch_add(&t->ready, span.ready);
    if (span.blocked)
        atomic_fetch_add(&t->blocked, span.blocked);
    for (int tries = 0; tries < 8 && longest < span.ticks; tries++) {
        if (atomic_compare_exchange_strong(&t->longest, &longest, span.ticks))
            break;
    }
    for (int tries = 0; tries < 8 && least - 1 > span.ticks; tries++) {
        if (atomic_compare_exchange_strong(&t->least, &least, span.ticks + 1))
            break;
    }
}

/* --- The holder ----------------------------------------------------------- */

static void put(_Atomic uint64_t *to, uint64_t value)
{
    atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint64_t get(const _Atomic uint64_t *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

/* Stores the stack (c) in (h). A lock is often acquired at the same stack as
 * before. */
static void put_callers(struct tprof_lock_holder *h,
                        const struct tprof_callers *c)
{
    if (get(&h->name) == c->name && h->count == c->count)
        return;
    put(&h->name, c->name);
    atomic_store_explicit(&h->end, c->end, memory_order_relaxed);
    atomic_store_explicit(&h->count, c->count, memory_order_relaxed);
    for (uint32_t i = 0; i < c->count; i++)
        put(&h->frame[i], c->frame[i]);
}

void tprof_lock_holder_set(struct tprof_lock_holder *h, uint64_t who,
                           uint32_t serial, uint64_t since, uint64_t ready,
                           uint64_t blocked, const struct tprof_callers *c)
{
    uint32_t version = atomic_load_explicit(&h->version, memory_order_relaxed);
    uint32_t odd = (version + 1) | 1;
    bool was_left = version % 2 != 0 &&
                    tprof_is_far(get(&h->since), since, 2 * tprof_agent.second);

    if (version % 2 != 0 && !was_left)
        return;
    /* acquire: the stores below come later */
    if (!atomic_compare_exchange_strong(&h->version, &version, odd))
        return;
    if (was_left) /* the stack may be half of another one */
        put(&h->name, 0);
    atomic_thread_fence(memory_order_release);
    put(&h->since, since);
    put(&h->ready, ready);
    put(&h->blocked, blocked);
    atomic_store_explicit(&h->serial, serial, memory_order_relaxed);
    put_callers(h, c);
    put(&h->who, who);
    /* release: pairs with the acquire in tprof_lock_holder_read() */
    atomic_store_explicit(&h->version, odd + 1, memory_order_release);
}

uint64_t tprof_lock_holder_since(const struct tprof_lock_holder *h)
{
    uint32_t version = atomic_load_explicit(&h->version, memory_order_acquire);
    uint64_t who = get(&h->who);
    uint64_t since = get(&h->since);

    atomic_thread_fence(memory_order_acquire);
    if (version % 2 != 0 || who == 0 ||
        atomic_load_explicit(&h->version, memory_order_relaxed) != version)
        return 0;
    return since;
}

bool tprof_lock_holder_read(const struct tprof_lock_holder *h,
                            struct tprof_callers *c, uint32_t *serial)
{
    uint32_t version = atomic_load_explicit(&h->version, memory_order_acquire);

    c->count = atomic_load_explicit(&h->count, memory_order_relaxed);
    if (version % 2 != 0 || get(&h->who) == 0 ||
        c->count > WIRE_WAIT_FRAMES_MAX)
        return false;
    c->name = get(&h->name);
    c->end = atomic_load_explicit(&h->end, memory_order_relaxed);
    for (uint32_t i = 0; i < c->count; i++)
        c->frame[i] = get(&h->frame[i]);
    *serial = atomic_load_explicit(&h->serial, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&h->version, memory_order_relaxed) == version;
}
