/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_checks.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"
#include "threads/sums.h"

#define LIVES  4096u
#define EVENTS 65536u
#define TIMES  3u /* running, ready, blocked */
#define NEVER  UINT64_MAX

/* A change of a life's state, at some time from (earliest) to (latest). */
static struct event {
    uint32_t next; /* of this life; 0: none */
    enum life_state state;
    bool was_counted;          /* sums grew before the call, and after it */
    uint64_t earliest, latest; /* (latest) NEVER: the call has not ended */
} events[EVENTS];
static uint32_t event_count;

static struct life {
    uint32_t first, last; /* events; the first is the name */
    bool is_idle;
    struct guest_thread told; /* in this session; (serial) 0: not told */
} lives[LIVES];
static uint32_t life_count;

/* The last that the host was told in this session */
static struct guest_sched sched_told[SIM_CORES];
static struct guest_wait wait_told[4096];
static bool is_orderly, is_lost;
static uint64_t compared; /* threads */

void thread_check_ranges(void)
{
    for (uint32_t i = 0; i < tprof_sums.cores; i++) {
        const struct tprof_range *r = &tprof_sums.core[i].range;

        /* (size): places for a frame, each of 16 bytes */
        if (r->size > 0 && !is_readable(r->start, r->size + 15))
            fail("core %u: a reset would leave %#lx places from %#lx on for "
                 "frames, which are not readable",
                 i, r->size, r->start);
    }
}

/* --- Lives ---------------------------------------------------------------- */

void thread_checks_init(bool orderly)
{
    is_orderly = orderly;
}

static uint32_t add_event(struct life *l, enum life_state state)
{
    if (event_count + 1 == EVENTS)
        end_early();
    uint32_t event = ++event_count;

    events[event] = (struct event){.state = state,
                                   .was_counted = tprof_sums.counting != 0,
                                   .earliest = tprof_machine.now,
                                   .latest = NEVER};
    if (l->first == 0)
        l->first = event;
    else
        events[l->last].next = event;
    l->last = event;
    return event;
}

uint32_t life_begins(uint32_t number, bool is_idle)
{
    if (number == LIVES)
        end_early();
    life_count = number;
    lives[number].is_idle = is_idle;
    (void)add_event(&lives[number], LIFE_READY);
    return number;
}

void life_is_named(uint32_t life)
{
    events[lives[life].first].latest = tprof_machine.now;
}

uint32_t life_changes(uint32_t life, enum life_state state)
{
    return life != 0 ? add_event(&lives[life], state) : 0;
}

void life_has_changed(uint32_t event)
{
    events[event].latest = tprof_machine.now;
    events[event].was_counted &= tprof_sums.counting != 0;
}

void life_is_lost(void)
{
    is_lost = true;
}

void life_has_no_clock(void)
{
    is_orderly = false;
}

/* --- The times of a thread ------------------------------------------------ */

struct bounds {
    uint64_t least[TIMES], most[TIMES];
    uint64_t fewest, atmost; /* switches to the thread */
};

static uint64_t clip(uint64_t time, uint64_t from, uint64_t to)
{
    return time < from ? from : time > to ? to : time;
}

/* Adds what (e) has begun, from (since) to (now). The agent does not know a
 * state that began before, but if the thread runs. */
static void add_bounds(struct bounds *b, const struct event *e, uint64_t since,
                       uint64_t now)
{
    const struct event *next = &events[e->next];
    uint64_t until = e->next ? next->earliest : NEVER;
    uint64_t until_most = e->next ? next->latest : NEVER;
    uint64_t begun = clip(e->latest, since, now);
    uint64_t ended = clip(until, since, now);
    uint64_t most =
        clip(until_most, since, now) - clip(e->earliest, since, now);
    bool is_counted = e->was_counted && e->earliest > since;
    /* the agent looks once at each core, when the sums have begun */
    bool is_seen = e->state == LIFE_RUNNING && e->latest < since &&
                   (next->was_counted || e->next == 0 || until > now);
    bool is_known = is_counted || is_seen;

    if (e->state == LIFE_RUNNING) {
        b->fewest += is_counted && e->latest < now;
        b->atmost += e->latest >= since && e->earliest <= now;
    }
    for (uint32_t i = 0; i < TIMES && e->state != LIFE_ENDED; i++) {
        if (!is_known || i == e->state)
            b->most[i] += most;
        if (is_known && i == e->state)
            b->least[i] += ended > begun ? ended - begun : 0;
    }
}

static void check_times(uint32_t number, const struct guest_thread *t)
{
    static const char *const names[TIMES] = {"running", "ready", "blocked"};
    const uint64_t times[TIMES] = {t->running, t->ready, t->blocked};
    struct bounds b = {0};

    if (t->state >= WIRE_IS_UNKNOWN && !(t->flags & WIRE_THREAD_ENDED))
        return; /* no times yet */
    for (uint32_t i = lives[number].first; i != 0; i = events[i].next)
        add_bounds(&b, &events[i], t->since, t->now);
    for (uint32_t i = 0; i < TIMES; i++) {
        if (times[i] < b.least[i] || times[i] > b.most[i])
            fail("thread %u is %s for %lu of %lu ticks, and was for %lu to %lu",
                 number, names[i], times[i], t->now - t->since, b.least[i],
                 b.most[i]);
    }
    if (t->switches < b.fewest || t->switches > b.atmost)
        fail("thread %u has %lu switches, and had %lu to %lu", number,
             t->switches, b.fewest, b.atmost);
    compared++;
}

/* --- What a host is told -------------------------------------------------- */

void thread_check_session(void)
{
    for (uint32_t i = 1; i <= life_count; i++)
        lives[i].told.serial = 0;
    memset(sched_told, 0, sizeof sched_told);
    memset(wait_told, 0, sizeof wait_told);
}

void thread_check_thread(void *context, const struct guest_thread *t)
{
    static const char name[] = "thread ";
    uint32_t number;

    (void)context;
    if (strncmp(t->name, name, strlen(name)) != 0 ||
        (number = (uint32_t)strtoul(t->name + strlen(name), NULL, 10)) == 0 ||
        number > life_count)
        fail("a host is told of the thread '%s'", t->name);
    if (!!(t->flags & WIRE_THREAD_IDLE) != lives[number].is_idle)
        fail("thread %u is idle, or is not", number);
    lives[number].told = *t;
    if (is_orderly && !is_lost)
        check_times(number, t);
}

void thread_check_wait(void *context, const struct guest_wait *w)
{
    (void)context;
    if (w->entry < sizeof wait_told / sizeof *wait_told)
        wait_told[w->entry] = *w;
}

void thread_check_sched(void *context, const struct guest_sched *s)
{
    (void)context;
    if (s->core < SIM_CORES)
        sched_told[s->core] = *s;
}

/* --- At the end ----------------------------------------------------------- */

/* Is there a change that may lie before (time), or after? */
static bool is_doubtful(uint64_t time)
{
    for (uint32_t i = 1; i <= event_count; i++) {
        if (events[i].earliest <= time && events[i].latest >= time)
            return true;
    }
    return false;
}

/* The waits that were told: TIME and COUNT of the entries of (kind). */
static struct guest_wait sum_of_waits(uint8_t kind)
{
    struct guest_wait sum = {0};

    for (size_t i = 0; i < sizeof wait_told / sizeof *wait_told; i++) {
        if (wait_told[i].kind != kind)
            continue;
        sum.time += wait_told[i].time;
        sum.count += wait_told[i].count;
    }
    return sum;
}

static void check_waits(uint64_t blocked, const struct bounds *open)
{
    struct guest_wait at = sum_of_waits(WIRE_WAIT_BLOCKED);
    struct guest_wait ended_by = sum_of_waits(WIRE_WAIT_WAKER);

    if (ended_by.count > at.count || ended_by.time > at.time)
        fail("%lu waits of %lu ticks have an end, and there were %lu of %lu",
             ended_by.count, ended_by.time, at.count, at.time);
    if (at.time > blocked || blocked - at.time < open->least[0] ||
        blocked - at.time > open->most[0])
        fail("threads are blocked for %lu ticks, %lu of them in waits; %lu to "
             "%lu are open",
             blocked, at.time, open->least[0], open->most[0]);
}

/* Adds how long life (l), which is blocked when the sums end, has waited. */
static void add_open(struct bounds *open, const struct life *l)
{
    const struct event *e = &events[l->last];
    uint64_t since = l->told.since, now = l->told.now;

    if (l->told.state != WIRE_IS_BLOCKED)
        return;
    while (e->earliest > now && e->state != LIFE_BLOCKED)
        return; /* it changed after the sums had ended */
    open->least[0] += now - clip(e->latest, since, now);
    open->most[0] += now - clip(e->earliest, since, now);
}

/* All cores and threads have been told at the same time, when the sums ended:
 * the threads have run for as long as the cores ran them. */
static void check_sums(void)
{
    uint64_t by_core = 0, by_thread = 0, blocked = 0, since = 0, now = 0;
    struct bounds open = {0};

    for (uint32_t i = 0; i < SIM_CORES; i++) {
        const struct guest_sched *s = &sched_told[i];

        if (s->now == 0)
            continue;
        if ((now != 0 && now != s->now) || (since != 0 && since != s->since))
            return; /* a core was in the middle of a call */
        now = s->now;
        since = s->since;
        by_core += s->running + s->idle;
        if (s->refused != 0 || s->evicted != 0)
            return;
    }
    if (now == 0 || is_doubtful(now) || is_doubtful(since))
        return;
    for (uint32_t i = 1; i <= life_count; i++) {
        const struct guest_thread *t = &lives[i].told;
        const struct event *last = &events[lives[i].last];

        bool is_told = t->serial != 0 && t->since >= since;

        if (!is_told && last->state == LIFE_ENDED)
            continue;
        if (events[lives[i].first].earliest > now)
            continue; /* named after the sums had ended */
        if (!is_told || (t->now != now && t->state < WIRE_IS_UNKNOWN))
            fail("thread %u was not told at the end", i);
        if (last->earliest > now)
            return; /* its state at the end is another event's */
        by_thread += t->running;
        blocked += t->blocked;
        add_open(&open, &lives[i]);
    }
    if (by_core != by_thread)
        fail("cores have run threads for %lu ticks, threads have run for %lu",
             by_core, by_thread);
    check_waits(blocked, &open);
    note("sums of threads and cores are the same: %lu ticks", by_core, 0, 0);
}

void thread_check_end(bool complete)
{
    if (is_orderly && !is_lost && complete)
        check_sums();
    note("%lu times of threads were compared", compared, 0, 0);
}
