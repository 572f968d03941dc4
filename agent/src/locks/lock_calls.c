/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's calls about its locks (tprof/locks.h) */
#include "arch/arch.h"
#include "locks/lock_sums.h"
#include "locks/lock_table.h"
#include "locks/lock_waits.h"
#include "state/agent.h"
#include "threads/thread_call.h"
#include "threads/thread_table.h"
#include "threads/thread_waits.h"

#define LOCKS_DEFAULT 64u
#define WAITS_DEFAULT 256u
#define ENTRIES_MIN   16u
#define ENTRIES_MAX   65536u
#define TRIES         64u /* looks at a thread that another core wakes */

/* --- Memory --------------------------------------------------------------- */

static bool are_numbers_in_range(const struct tprof_locks_config *c)
{
    return c->locks >= ENTRIES_MIN && c->locks <= ENTRIES_MAX &&
           c->waits >= ENTRIES_MIN && c->waits <= ENTRIES_MAX && c->memory &&
           (uintptr_t)c->memory % 64 == 0;
}

/* Divides the memory into the locks, the entries of waits, the waits that go
 * on, and the sums of the entries. */
static void lay_out(const struct tprof_locks_config *c)
{
    struct tprof_lock_waits *w = &tprof_lock_waits;

    tprof_arch_zero(c->memory, c->size & ~(size_t)7);
    tprof_lock_table.record = c->memory;
    w->table.entry = (void *)(tprof_lock_table.record + c->locks);
    w->table.size = c->waits;
    w->open = (void *)(w->table.entry + c->waits);
    w->times = (void *)(w->open + c->waits);
    tprof_lock_table.size = c->locks;
    for (uint32_t i = 0; i < WIRE_LOCK_HELD + 1; i++)
        tprof_lock_waits_clear(i);
    tprof_lock_sums.part.entries = c->locks + c->waits;
    atomic_store_explicit(&tprof_agent.locks, TPROF_LOCKS_READY,
                          memory_order_release);
    tprof_sums_add_part(&tprof_lock_sums.part);
}

int tprof_locks(const struct tprof_locks_config *config)
{
    struct tprof_locks_config c = *config;

    if (!tprof_agent.ready || !tprof_agent.order_sums)
        return TPROF_ERR_NOT_INIT;
    if (atomic_load(&tprof_agent.locks))
        return TPROF_ERR_STATE;
    if (c.locks == 0)
        c.locks = LOCKS_DEFAULT;
    if (c.waits == 0)
        c.waits = WAITS_DEFAULT;
    if (!are_numbers_in_range(&c))
        return TPROF_ERR_CONFIG;
    if (c.size < TPROF_LOCKS_MEMORY((size_t)c.locks, c.waits))
        return TPROF_ERR_MEMORY_SMALL;
    lay_out(&c);
    if (tprof_state() == WIRE_STATE_SAMPLING) /* begins this part soon */
        atomic_store_explicit(&tprof_agent.owes_sums, true,
                              memory_order_relaxed);
    return TPROF_OK;
}

int tprof_lock_name(const volatile void *lock, const char *name)
{
    if (atomic_load_explicit(&tprof_agent.locks, memory_order_acquire) == 0)
        return TPROF_ERR_STATE;
    if (!lock || !name)
        return TPROF_ERR_CONFIG;
    return tprof_lock_table_name((uintptr_t)lock, name);
}

/* --- The calling thread --------------------------------------------------- */

/* The thread that calls. If the core runs no thread, the core. */
struct self {
    uint64_t who; /* not 0 */
    uint32_t serial;
    uint64_t ready, blocked; /* complete, because the thread runs */
};

TPROF_HOT struct self find_self(const struct tprof_call *c)
{
    const struct tprof_thread_record *t =
        tprof_call_current(c->core, c->running);
    struct self s = {.who = c->running};

    if (s.who == 0)
        s.who = ~(uint64_t)(c->core - tprof_sums.core);
    if (!t)
        return s;
    /* The core that has woken the thread may still add the time of its wait.
     * acquire: pairs with the release in tprof_thread_table_change(). After
     * (TRIES) that time counts as running. */
    for (uint32_t i = 0; i < TRIES; i++) {
        if (atomic_load_explicit(&t->users, memory_order_acquire) == 0)
            break;
    }
    s.serial = atomic_load_explicit(&t->serial, memory_order_relaxed);
    s.ready =
        atomic_load_explicit(&t->ticks[WIRE_IS_READY], memory_order_relaxed);
    s.blocked =
        atomic_load_explicit(&t->ticks[WIRE_IS_BLOCKED], memory_order_relaxed);
    return s;
}

/* Returns the span from (since) on, when the thread had the sums (ready) and
 * (blocked). */
static struct tprof_lock_span span_since(const struct tprof_call *c,
                                         const struct self *s, uint64_t since,
                                         uint64_t ready, uint64_t blocked)
{
    struct tprof_lock_span span = {
        .ticks = c->now > since ? c->now - since : 0,
        .ready = s->ready - ready,
        .blocked = s->blocked - blocked,
    };

    /* another thread, if the kernel's calls do not match */
    if (span.ready > span.ticks || span.blocked > span.ticks - span.ready)
        span.ready = span.blocked = 0;
    return span;
}

/* --- Waits and holds ------------------------------------------------------ */

/* Begins a call that counts if the sums of locks have begun. */
static struct tprof_call begin_call(void)
{
    struct tprof_call c = tprof_call_begin();

    c.counts = c.counts &&
               atomic_load_explicit(&tprof_agent.locks, memory_order_acquire) ==
                   TPROF_LOCKS_COUNT;
    return c;
}

static void begin_wait(const struct tprof_call *c, uint64_t lock,
                       struct tprof_caller caller)
{
    struct tprof_callers *callers = &c->core->callers;
    const struct self self = find_self(c);
    uint32_t at = tprof_lock_table_find(lock, true);
    struct tprof_lock_wait wait = {
        .since = c->now,
        .ready = self.ready,
        .blocked = self.blocked,
        .lock = at,
    };

    tprof_thread_waits_walk(callers, caller.pc, caller.fp, &c->core->range);
    wait.waited = tprof_thread_waits_find(
        &tprof_lock_waits.table, WIRE_LOCK_WAITED, at, self.serial, callers);
    tprof_lock_waits_open(lock, self.who, &wait);
}

/* Ends the wait of the calling thread for (lock). Returns false if there is
 * none. */
static bool end_wait(const struct tprof_call *c, const struct self *s,
                     uint64_t lock)
{
    struct tprof_lock_wait w;

    if (!tprof_lock_waits_close(lock, s->who, &w))
        return false;
    struct tprof_lock_span span = span_since(c, s, w.since, w.ready, w.blocked);

    tprof_lock_times_add(&tprof_lock_table.record[w.lock].waits, span);
    tprof_lock_times_add(&tprof_lock_waits.times[w.waited], span);
    return true;
}

static void begin_hold(const struct tprof_call *c, uint64_t lock,
                       struct tprof_caller caller)
{
    struct tprof_lock_record *record = tprof_lock_table.record;
    uint32_t at = tprof_lock_table_find(lock, true);
    const struct self self = find_self(c);

    atomic_fetch_add(&record[at].acquires, 1);
    if (atomic_load(&record[at].waiting) || atomic_load(&record->waiting))
        (void)end_wait(c, &self, lock);
    if (at == 0)
        return;
    tprof_thread_waits_walk(&c->core->callers, caller.pc, caller.fp,
                            &c->core->range);
    tprof_lock_holder_set(&record[at].holder, self.who, self.serial, c->now,
                          self.ready, self.blocked, &c->core->callers);
}

/* Ends the hold of record (at), by whichever thread. If threads wait, adds the
 * hold to the entry of the holder's stack, too. The hold is over before its
 * time is in the sums: put_lock(), lock_sums.c, looks in the other order. */
static void end_hold(const struct tprof_call *c, const struct self *s,
                     uint32_t at)
{
    struct tprof_lock_record *r = &tprof_lock_table.record[at];
    struct tprof_lock_holder *h = &r->holder;
    struct tprof_callers *callers = &c->core->callers;
    struct tprof_lock_span span =
        span_since(c, s, atomic_load(&h->since), atomic_load(&h->ready),
                   atomic_load(&h->blocked));
    uint32_t serial;
    bool waited =
        atomic_load(&r->waiting) && tprof_lock_holder_read(h, callers, &serial);

    if (atomic_exchange(&h->who, 0) == 0)
        return; /* another thread has just ended the hold */
    tprof_lock_times_add(&r->holds, span);
    if (waited)
        tprof_lock_times_add(
            &tprof_lock_waits.times[tprof_thread_waits_find(
                &tprof_lock_waits.table, WIRE_LOCK_HELD, at, serial, callers)],
            span);
}

static void end_either(const struct tprof_call *c, uint64_t lock)
{
    uint32_t at = tprof_lock_table_find(lock, false);
    struct tprof_lock_record *r = &tprof_lock_table.record[at];
    const struct self self = find_self(c);
    uint64_t who = at ? atomic_load(&r->holder.who) : 0;

    if (who == self.who || (!end_wait(c, &self, lock) && who != 0))
        end_hold(c, &self, at);
}

/* --- The calls ------------------------------------------------------------ */

static __attribute__((noinline)) void count_wait(uint64_t lock,
                                                 struct tprof_caller caller)
{
    struct tprof_call c = begin_call();

    if (c.counts)
        begin_wait(&c, lock, caller);
    tprof_call_end(&c);
}

static __attribute__((noinline)) void count_got(uint64_t lock,
                                                struct tprof_caller caller)
{
    struct tprof_call c = begin_call();

    if (c.counts)
        begin_hold(&c, lock, caller);
    tprof_call_end(&c);
}

static __attribute__((noinline)) void count_gave(uint64_t lock)
{
    struct tprof_call c = begin_call();

    if (c.counts)
        end_either(&c, lock);
    tprof_call_end(&c);
}

void tprof_wait(const volatile void *lock)
{
    if (atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed))
        count_wait((uintptr_t)lock, TPROF_CALLER());
}

void tprof_got(const volatile void *lock)
{
    if (atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed))
        count_got((uintptr_t)lock, TPROF_CALLER());
}

void tprof_gave(const volatile void *lock)
{
    if (atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed))
        count_gave((uintptr_t)lock);
}
