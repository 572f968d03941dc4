/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's calls about its requests (tprof/requests.h) */
#include "arch/arch.h"
#include "requests/request_tables.h"
#include "requests/request_times.h"
#include "state/agent.h"
#include "threads/thread_call.h"

#define WINDOW 8u /* a request is in one of these records from its home on */
#define TRIES  8u
#define DEPTH  16u /* open requests of a thread that an end looks at */
#define WAITS  64u /* looks at a BUSY record */

/* --- The thread or core that works ---------------------------------------- */

/* The thread of the calling core, or the core */
struct worker {
    struct tprof_work *work; /* NULL: a thread without a record */
    struct tprof_thread_record *thread;
};

TPROF_HOT struct worker find_worker(const struct tprof_call *c)
{
    struct worker w = {0};

    if (c->running == 0)
        w.work = &c->core->work;
    else if ((w.thread = tprof_call_current(c->core, c->running)))
        w.work = &w.thread->work;
    return w;
}

/* Makes the ticks of all cores that have written a THREAD for this worker write
 * THREAD and REQUEST before their next sample. (thread): NULL if (work) is the
 * work of a core. */
TPROF_COLD void tell_again(const struct tprof_work *work,
                           const struct tprof_thread_record *thread)
{
    uint64_t id =
        thread ? atomic_load_explicit(&thread->id, memory_order_relaxed) : 0;

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_recorder *r = &tprof_agent.core[i]->recorder;

        if (atomic_load_explicit(&r->told, memory_order_relaxed) == id &&
            (thread || work == &tprof_sums.core[i].work))
            atomic_store_explicit(&r->told, ~id, memory_order_relaxed);
    }
}

/* Follows a change of (work->request), which was seq_cst. (thread): as for
 * tell_again(). */
TPROF_HOT void tell_if_told(struct tprof_work *work,
                            const struct tprof_thread_record *thread)
{
    /* seq_cst, all: pair with request_of(), request_setup.c. A tick that found
     * the old request has set (is_told), and has stored (told) before. */
    if (__builtin_expect(atomic_load(&work->is_told) != 0, 0)) {
        atomic_store(&work->is_told, 0);
        tell_again(work, thread);
    }
}

/* --- Open requests -------------------------------------------------------- */

/* Returns the open request that (work->request) was before (o): 0 if it has
 * left. */
static uint32_t outer_of(const struct tprof_open_request *o,
                         const struct tprof_work *work)
{
    uint32_t is = atomic_load_explicit(&o->outer, memory_order_relaxed);

    if (is == 0 || atomic_load_explicit(&tprof_request_tables.open[is - 1].work,
                                        memory_order_relaxed) != work)
        return 0;
    return is;
}

/* release: pairs with the acquire in put_kind(), request_entries.c: the longest
 * time is in the sum of times */
static void note_longest(_Atomic uint64_t *longest, uint64_t time)
{
    uint64_t is = atomic_load_explicit(longest, memory_order_relaxed);

    for (uint32_t tries = 0; tries < TRIES && is < time; tries++) {
        if (atomic_compare_exchange_strong_explicit(
                longest, &is, time, memory_order_release, memory_order_relaxed))
            break;
    }
}

/* Takes (o) out of the open requests of (work). Returns the longest wait since
 * (o) became one of them. Does not look at all waits if more than DEPTH
 * requests have begun since. */
static uint64_t leave_work(const struct tprof_open_request *o,
                           struct tprof_work *work)
{
    uint32_t is = 1 + (uint32_t)(o - tprof_request_tables.open);
    uint32_t at = atomic_load_explicit(&work->request, memory_order_relaxed);
    _Atomic uint32_t *link = &work->request;
    _Atomic uint64_t *longest = &work->longest;
    uint64_t wait = atomic_load_explicit(longest, memory_order_relaxed);

    for (uint32_t i = 0; i < DEPTH && at != 0 && at != is; i++) {
        struct tprof_open_request *inner = &tprof_request_tables.open[at - 1];

        link = &inner->outer;
        longest = &inner->before;
        at = outer_of(inner, work);
        uint64_t before = atomic_load_explicit(longest, memory_order_relaxed);

        if (wait < before)
            wait = before;
    }
    /* the waits were also waits of the outer request */
    if (atomic_compare_exchange_strong(link, &is, outer_of(o, work)))
        note_longest(longest,
                     atomic_load_explicit(&o->before, memory_order_relaxed));
    return wait;
}

/* Ends the work on (o), which the caller has made BUSY. */
TPROF_HOT void detach(struct tprof_open_request *o, uint64_t now)
{
    struct tprof_work *work =
        atomic_load_explicit(&o->work, memory_order_relaxed);

    if (!work)
        return;
    /* else the thread has ended, and another thread has the record */
    if (!o->thread || atomic_load_explicit(&o->thread->serial,
                                           memory_order_relaxed) == o->serial) {
        tprof_request_times_add(o, now);
        uint64_t longest = leave_work(o, work);

        if (o->longest < longest)
            o->longest = longest;
        tell_if_told(work, o->thread);
    }
    o->since = now;
    atomic_store_explicit(&o->work, NULL, memory_order_relaxed);
}

/* Begins the work of (w) on (o), which the caller has made BUSY. */
TPROF_HOT void attach(struct tprof_open_request *o, const struct worker *w,
                      uint64_t now)
{
    if (!w->work)
        return;
    o->since = now;
    o->thread = w->thread;
    if (w->thread) {
        o->serial =
            atomic_load_explicit(&w->thread->serial, memory_order_relaxed);
        o->word = atomic_load(&w->thread->word);
        (void)tprof_request_times_read(w->thread, now, o->sum);
    }
    atomic_store_explicit(
        &o->outer,
        atomic_load_explicit(&w->work->request, memory_order_relaxed),
        memory_order_relaxed);
    atomic_store_explicit(
        &o->before,
        atomic_exchange_explicit(&w->work->longest, 0, memory_order_relaxed),
        memory_order_relaxed);
    atomic_store_explicit(&o->work, w->work, memory_order_relaxed);
    atomic_exchange(&w->work->request,
                    1 + (uint32_t)(o - tprof_request_tables.open));
    tell_if_told(w->work, w->thread);
}

TPROF_HOT bool take_free(struct tprof_open_request *o)
{
    return atomic_load_explicit(&o->state, memory_order_relaxed) ==
               TPROF_REQUEST_FREE &&
           tprof_request_take(&o->state, TPROF_REQUEST_FREE);
}

TPROF_HOT bool is_request(const struct tprof_open_request *o, uint32_t kind,
                          uint64_t number)
{
    return atomic_load_explicit(&o->number, memory_order_relaxed) == number &&
           atomic_load_explicit(&o->kind, memory_order_relaxed) == kind;
}

/* Makes (o) BUSY if it is the open request (number). Waits a little for a core
 * that has made it BUSY: a request whose end is lost has its record for ever.
 */
TPROF_HOT bool take_kept(struct tprof_open_request *o, uint32_t kind,
                         uint64_t number)
{
    for (uint32_t i = 0; i < WAITS && is_request(o, kind, number); i++) {
        uint32_t state = atomic_load_explicit(&o->state, memory_order_relaxed);

        if (state == TPROF_REQUEST_FREE)
            return false;
        if (state == TPROF_REQUEST_KEPT &&
            tprof_request_take(&o->state, TPROF_REQUEST_KEPT)) {
            if (is_request(o, kind, number))
                return true;
            /* another request has got the record */
            tprof_request_give(&o->state, TPROF_REQUEST_KEPT);
            return false;
        }
        tprof_arch_relax();
    }
    return false;
}

/* Makes the record of a request BUSY that is in state (state), and if KEPT is
 * request (number). NULL: there is none. */
TPROF_HOT struct tprof_open_request *take(uint32_t kind, uint64_t number,
                                          uint32_t state)
{
    const struct tprof_request_tables *tables = &tprof_request_tables;
    uint64_t hash =
        ((number ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u) >> 32;
    uint32_t at = (uint32_t)(hash * tables->opens >> 32);

    for (uint32_t i = 0; i < WINDOW; i++) {
        struct tprof_open_request *o = &tables->open[at];

        if (state == TPROF_REQUEST_FREE ? take_free(o)
                                        : take_kept(o, kind, number))
            return o;
        at = at + 1 < tables->opens ? at + 1 : 0;
    }
    return NULL;
}

/* Returns the time of a call about (o), which the call has made BUSY. Another
 * core may have changed the request after this call read the clock. */
static uint64_t time_of(const struct tprof_call *c,
                        const struct tprof_open_request *o)
{
    return c->now > o->since ? c->now : o->since;
}

static void give(struct tprof_open_request *o, enum tprof_request_state state)
{
    tprof_request_give(&o->state, state);
}

/* --- Begin ---------------------------------------------------------------- */

static void open_request(const struct tprof_call *c, uint32_t kind,
                         uint64_t number, bool works)
{
    struct tprof_request_kind *k = &tprof_request_tables.kind[kind];
    struct tprof_open_request *o = take(kind, number, TPROF_REQUEST_FREE);

    if (!o) {
        atomic_fetch_add_explicit(&k->refused, 1, memory_order_relaxed);
        return;
    }
    atomic_fetch_add_explicit(&k->begun, 1, memory_order_relaxed);
    atomic_store_explicit(&o->kind, kind, memory_order_relaxed);
    atomic_store_explicit(&o->number, number, memory_order_relaxed);
    o->begun = o->since = c->now;
    o->longest = 0;
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        o->ticks[i] = 0;
    c->core->request = (uint32_t)(o - tprof_request_tables.open);
    if (works) {
        struct worker w = find_worker(c);

        attach(o, &w, c->now);
    }
    give(o, TPROF_REQUEST_KEPT);
}

static uint32_t kinds_counted(void)
{
    /* acquire: pairs with the release in begin_requests(), request_entries.c */
    return atomic_load_explicit(&tprof_request_tables.counted,
                                memory_order_acquire);
}

static __attribute__((noinline)) void count_begin(uint32_t kind,
                                                  uint64_t number, bool works)
{
    struct tprof_call c = tprof_call_begin();

    if (c.counts && kind < kinds_counted() && number != 0)
        open_request(&c, kind, number, works);
    tprof_call_end(&c);
}

static bool is_counting(void)
{
    return atomic_load_explicit(&tprof_sums.counting, memory_order_relaxed);
}

void tprof_begin(uint32_t kind, uint64_t number)
{
    if (is_counting())
        count_begin(kind, number, true);
}

void tprof_queue(uint32_t kind, uint64_t number)
{
    if (is_counting())
        count_begin(kind, number, false);
}

/* --- Hand over ------------------------------------------------------------ */

static void put_aside(const struct tprof_call *c, const struct worker *w)
{
    uint32_t request =
        w->work ? atomic_load_explicit(&w->work->request, memory_order_relaxed)
                : 0;

    if (request == 0)
        return;
    struct tprof_open_request *o = &tprof_request_tables.open[request - 1];

    if (!tprof_request_take(&o->state, TPROF_REQUEST_KEPT))
        return; /* another core takes or ends it */
    if (atomic_load_explicit(&o->work, memory_order_relaxed) == w->work)
        detach(o, time_of(c, o));
    give(o, TPROF_REQUEST_KEPT);
}

static __attribute__((noinline)) void count_request(uint32_t kind,
                                                    uint64_t number)
{
    struct tprof_call c = tprof_call_begin();

    if (c.counts && kind < kinds_counted()) {
        struct worker w = find_worker(&c);
        struct tprof_open_request *o =
            number ? take(kind, number, TPROF_REQUEST_KEPT) : NULL;

        if (number == 0)
            put_aside(&c, &w);
        if (o) {
            uint64_t now = time_of(&c, o);

            detach(o, now);
            attach(o, &w, now);
            give(o, TPROF_REQUEST_KEPT);
        }
    }
    tprof_call_end(&c);
}

void tprof_request(uint32_t kind, uint64_t number)
{
    if (is_counting())
        count_request(kind, number);
}

/* --- End ------------------------------------------------------------------ */

/* Makes the record BUSY that keeps a slow request of (kind), which took (time):
 * a free record, or else the record of the request that took least. NULL: all
 * took longer, among WINDOW records. */
static struct tprof_slow_request *take_slow(struct tprof_request_kind *k,
                                            uint32_t kind, uint64_t time)
{
    const struct tprof_request_tables *tables = &tprof_request_tables;
    struct tprof_slow_request *least = NULL;

    for (uint32_t i = 0; i < WINDOW && i < tables->slows; i++) {
        uint32_t next =
            atomic_fetch_add_explicit(&k->next, 1, memory_order_relaxed);
        struct tprof_slow_request *s =
            &tables->slow[kind * tables->slows + next % tables->slows];
        uint64_t is = atomic_load_explicit(&s->time, memory_order_relaxed);

        if (tprof_request_take(&s->state, TPROF_REQUEST_FREE))
            return s;
        if (is < time)
            least = s, time = is;
    }
    return least && tprof_request_take(&least->state, TPROF_REQUEST_KEPT)
               ? least
               : NULL;
}

/* Keeps the slow request (o), which took (time), until the pump sends it. */
TPROF_COLD void keep_slow(struct tprof_request_kind *k, uint32_t kind,
                          const struct tprof_open_request *o, uint64_t time,
                          uint32_t serial)
{
    struct tprof_slow_request *s = take_slow(k, kind, time);

    if (!s)
        return;
    atomic_store_explicit(&s->time, time, memory_order_relaxed);
    s->number = atomic_load_explicit(&o->number, memory_order_relaxed);
    s->begun = o->begun;
    s->longest = o->longest;
    s->serial = serial;
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        s->ticks[i] = o->ticks[i];
    tprof_request_give(&s->state, TPROF_REQUEST_KEPT);
}

static void add_request(struct tprof_request_kind *k,
                        const struct tprof_open_request *o, uint64_t time)
{
    atomic_fetch_add_explicit(&k->bucket[tprof_request_bucket(time)], 1,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&k->time, time, memory_order_relaxed);
    /* release: pairs with the acquire in put_kind(): the parts are never more
     * than the time */
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++) {
        if (o->ticks[i] != 0)
            atomic_fetch_add_explicit(&k->ticks[i], o->ticks[i],
                                      memory_order_release);
    }
    note_longest(&k->longest, time);
    /* release: pairs with the acquire in put_kind(): the sums are complete */
    atomic_fetch_add_explicit(&k->count, 1, memory_order_release);
}

static void end_request(const struct tprof_call *c, uint32_t kind,
                        uint64_t number)
{
    struct tprof_request_kind *k = &tprof_request_tables.kind[kind];
    struct tprof_open_request *o =
        &tprof_request_tables.open[c->core->request]; /* in most cases */

    if (!take_kept(o, kind, number))
        o = take(kind, number, TPROF_REQUEST_KEPT);
    if (!o)
        return;
    uint64_t now = time_of(c, o), time = now - o->begun;

    detach(o, now);

    add_request(k, o, time);
    if (time >= atomic_load_explicit(&k->limit, memory_order_relaxed)) {
        const struct tprof_thread_record *thread = find_worker(c).thread;

        atomic_fetch_add_explicit(&k->slow, 1, memory_order_relaxed);
        keep_slow(
            k, kind, o, time,
            thread ? atomic_load_explicit(&thread->serial, memory_order_relaxed)
                   : 0);
    }
    give(o, TPROF_REQUEST_FREE);
}

static __attribute__((noinline)) void count_end(uint32_t kind, uint64_t number)
{
    struct tprof_call c = tprof_call_begin();

    if (c.counts && kind < kinds_counted())
        end_request(&c, kind, number);
    tprof_call_end(&c);
}

void tprof_end(uint32_t kind, uint64_t number)
{
    if (is_counting())
        count_end(kind, number);
}
