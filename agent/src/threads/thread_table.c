/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads/thread_table.h"

#include "arch/arch.h"
#include "base/mem.h"

#define WINDOW 16u /* a thread is in one of these records from its home on */

#define WORD(time, state)                                                      \
    ((uint64_t)(time) << TPROF_THREAD_STATE_BITS | (state))

struct tprof_thread_table tprof_thread_table;

static uint32_t state_of(uint64_t word)
{
    return word & ((1u << TPROF_THREAD_STATE_BITS) - 1);
}

/* Returns the first of the records in which thread (id) may be. */
static uint32_t home_of(uint64_t id)
{
    uint64_t hash = (id * 0x9e3779b97f4a7c15u) >> 32;

    return (uint32_t)(hash * tprof_thread_table.size >> 32);
}

static uint32_t next_of(uint32_t at)
{
    return at + 1 < tprof_thread_table.size ? at + 1 : 0;
}

struct tprof_thread_record *tprof_thread_table_find(uint64_t id)
{
    uint32_t at = home_of(id);

    if (id == 0 || tprof_thread_table.size == 0)
        return NULL;
    for (uint32_t i = 0; i < WINDOW; i++, at = next_of(at)) {
        struct tprof_thread_record *t = &tprof_thread_table.record[at];

        if (tprof_thread_table_has(t, id))
            return t;
    }
    return NULL;
}

/* Makes the caller the owner of (t) if the record is free or its thread has
 * ended. The sums of an ended thread are added to those of evicted threads. */
static bool take_record(struct tprof_thread_record *t)
{
    struct tprof_thread_table *table = &tprof_thread_table;
    uint64_t word = atomic_load(&t->word);
    bool has_ended = state_of(word) == TPROF_THREAD_ENDED;

    if ((!has_ended && state_of(word) != TPROF_THREAD_FREE) ||
        !atomic_compare_exchange_strong(&t->word, &word,
                                        WORD(0, TPROF_THREAD_FILLING)))
        return false;
    /* calls from here on find the state FILLING, and add nothing */
    if (atomic_load(&t->users) != 0) {
        atomic_store(&t->word, word);
        return false;
    }
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        atomic_fetch_add(&table->evicted_ticks[i],
                         atomic_exchange(&t->ticks[i], 0));
    atomic_fetch_add(&table->evicted, has_ended);
    return true;
}

/* Takes a record in the window of (id): a free record, or else the record of
 * the ended thread that was named first. NULL: all threads there live. */
static struct tprof_thread_record *take_any(uint64_t id)
{
    struct tprof_thread_record *oldest = NULL;
    uint32_t at = home_of(id);
    uint32_t first = 0;

    for (uint32_t i = 0; i < WINDOW; i++, at = next_of(at)) {
        struct tprof_thread_record *t = &tprof_thread_table.record[at];
        uint32_t state = state_of(atomic_load(&t->word));
        uint32_t serial =
            atomic_load_explicit(&t->serial, memory_order_relaxed);

        if (state == TPROF_THREAD_FREE && take_record(t))
            return t;
        if (state == TPROF_THREAD_ENDED &&
            (!oldest || serial - first > 1u << 31))
            oldest = t, first = serial;
    }
    return oldest && take_record(oldest) ? oldest : NULL;
}

void tprof_thread_table_copy_name(
    _Atomic uint64_t name[(WIRE_THREAD_NAME_MAX + 1) / 8], const char *text)
{
    char bytes[WIRE_THREAD_NAME_MAX + 1] = {0};
    uint32_t size = 0;

    while (size < WIRE_THREAD_NAME_MAX && text[size])
        size++;
    tprof_arch_copy(bytes, text, size);
    for (uint32_t i = 0; i < sizeof bytes / 8; i++)
        atomic_store_explicit(&name[i], tprof_load64(bytes + 8 * i),
                              memory_order_relaxed);
}

int tprof_thread_table_add(uint64_t id, const char *name, uint32_t flags,
                           uint32_t state, uint64_t now)
{
    struct tprof_thread_table *table = &tprof_thread_table;
    struct tprof_thread_record *t = NULL;

    /* again, if another core has taken the record that was found */
    for (int tries = 0; tries < 4 && !t; tries++)
        t = take_any(id);
    if (!t) {
        atomic_fetch_add(&table->refused, 1);
        return TPROF_ERR_MEMORY_SMALL;
    }
    atomic_store(&t->serial, atomic_fetch_add(&table->serials, 1) + 1);
    atomic_store(&t->switches, 0);
    atomic_store(&t->since, now);
    atomic_store(&t->wait, 0);
    atomic_store(&t->waker, 0);
    atomic_store(&t->work.request, 0);
    atomic_store(&t->work.is_told, 1);
    atomic_store(&t->core, 0);
    atomic_store(&t->flags, (uint16_t)flags);
    tprof_thread_table_copy_name(t->name, name);
    atomic_store(&t->id, id);
    /* release: pairs with the loads of (word); the record is whole */
    atomic_store_explicit(&t->word, WORD(now, state), memory_order_release);
    return TPROF_OK;
}

void tprof_thread_table_clear(uint32_t i)
{
    struct tprof_thread_record *t = &tprof_thread_table.record[i];
    uint64_t word = atomic_load(&t->word);
    uint32_t state = state_of(word);

    /* The kernel may name and end threads meanwhile: a record that is FILLING
     * has no sums. */
    if (state == TPROF_THREAD_FREE || state == TPROF_THREAD_FILLING)
        return;
    for (uint32_t k = 0; k < TPROF_THREAD_TIMES; k++)
        atomic_store(&t->ticks[k], 0);
    atomic_store(&t->switches, 0);
    atomic_store(&t->wait, 0);
    atomic_store(&t->waker, 0);
    atomic_store(&t->work.request, 0);
    t->told = 0;
    (void)atomic_compare_exchange_strong(&t->word, &word,
                                         state == TPROF_THREAD_ENDED
                                             ? WORD(0, TPROF_THREAD_FREE)
                                             : WORD(0, TPROF_THREAD_UNKNOWN));
}
