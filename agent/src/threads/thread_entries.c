/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads/thread_entries.h"

#include "base/mem.h"
#include "encode/encode.h"
#include "sample/longrec.h"
#include "threads/sums.h"

#define READS  8u /* tries to read a record while a core changes it */
#define VARINT 10u

/* The entries are numbered: cores, threads, waits. */
static uint32_t first_wait(void)
{
    return tprof_sums.cores + tprof_thread_table.size;
}

/* --- Begin and end -------------------------------------------------------- */

static void clear_core(struct tprof_core_sums *core, uint64_t since)
{
    for (uint32_t i = 0; i < TPROF_CORE_TIMES; i++)
        atomic_store(&core->ticks[i], 0);
    for (uint32_t i = 0; i < TPROF_DELAY_BUCKETS; i++)
        atomic_store(&core->delay[i], 0);
    atomic_store(&core->other_running, 0);
    atomic_store(&core->switches, 0);
    atomic_store(&core->moved, 0);
    atomic_store(&core->ready_idle, 0);
    atomic_store(&core->was_ready_known, 0);
    atomic_store(&core->work.request, 0);
    atomic_store(&core->last, since);
}

/* Sets the state of the thread that core (core) runs when the sums begin,
 * because a switch may never come. */
static void note_running(uint32_t core, uint64_t since)
{
    const struct tprof_cpu *cpu = tprof_agent.core[core];
    uint64_t id =
        atomic_load_explicit(&cpu->recorder.running, memory_order_relaxed);
    struct tprof_thread_record *t = tprof_thread_table_find(id);

    if (t)
        (void)tprof_thread_table_change(
            t, id, since, true, TPROF_THREAD_IN(TPROF_THREAD_UNKNOWN),
            TPROF_THREAD_RUNNING, TPROF_THREAD_RUNNING);
}

/* Counts a core's time up to the end of the sums by its kind. If a core has not
 * switched since the sums began, its kind was the same all the time. */
static void note_stopped(uint32_t core)
{
    struct tprof_core_sums *sums = &tprof_sums.core[core];
    uint64_t id = atomic_load_explicit(
        &tprof_agent.core[core]->recorder.running, memory_order_relaxed);

    if (atomic_load_explicit(&sums->switches, memory_order_relaxed) == 0)
        tprof_sums_do(sums, tprof_sums_does(id, tprof_thread_table_find(id)));
}

/* Called when no core counts any more */
static void end_threads(void)
{
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        note_stopped(i);
}

static void begin_threads(uint64_t now)
{
    struct tprof_thread_table *table = &tprof_thread_table;

    table->since = now;
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        atomic_store(&table->evicted_ticks[i], 0);
    atomic_store(&table->evicted, 0);
    atomic_store(&tprof_sums.ready, 0);
    atomic_store(&tprof_sums.is_ready_lost, 0);
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        clear_core(&tprof_sums.core[i], now);
}

/* Called when cores may count */
static void follow_threads(uint64_t now)
{
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        note_running(i, now);
}

static void clear_entry(uint32_t entry)
{
    if (entry >= first_wait())
        tprof_thread_waits_clear(&tprof_thread_waits.table,
                                 entry - first_wait());
    else if (entry >= tprof_sums.cores)
        tprof_thread_table_clear(entry - tprof_sums.cores);
}

/* --- Frames --------------------------------------------------------------- */

static uint64_t get(const _Atomic uint64_t *sum)
{
    return atomic_load_explicit(sum, memory_order_relaxed);
}

/* A record, read at the moment (now) */
struct reading {
    uint64_t now, word, id, since;
    uint64_t name[(WIRE_THREAD_NAME_MAX + 1) / 8];
    uint64_t ticks[TPROF_THREAD_TIMES];
    uint64_t switches;
    uint32_t serial, wait, flags;
};

static bool read_record(const struct tprof_thread_record *t, struct reading *r)
{
    for (uint32_t tries = 0; tries < READS; tries++) {
        /* seq_cst, both pairs of loads: each call that has changed the word has
         * also added to the sums */
        r->word = atomic_load(&t->word);
        if (atomic_load(&t->users) != 0)
            continue;
        r->id = get(&t->id);
        r->since = get(&t->since);
        for (uint32_t i = 0; i < sizeof r->name / 8; i++)
            r->name[i] = get(&t->name[i]);
        for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
            r->ticks[i] = get(&t->ticks[i]);
        r->switches = get(&t->switches);
        r->serial = t->serial;
        r->wait = t->wait;
        r->flags = t->flags;
        r->now = tprof_sums_now(); /* the word is still the same then */
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load(&t->users) == 0 && atomic_load(&t->word) == r->word)
            return true;
    }
    return false;
}

static uint32_t state_of(const struct reading *r)
{
    return r->word & ((1u << TPROF_THREAD_STATE_BITS) - 1);
}

static void put_name(struct tprof_frame *f, const struct reading *r)
{
    const char *name = (const char *)r->name;
    uint32_t size = 0;

    while (name[size])
        size++;
    tprof_frame_bytes(f, WIRE_THREAD_NAME, name, size);
}

static void put_thread(struct tprof_frame *f, struct reading *r, uint32_t slot)
{
    uint64_t since = r->since > tprof_thread_table.since
                         ? r->since
                         : tprof_thread_table.since;
    uint64_t now = r->now;
    uint64_t then = r->word >> TPROF_THREAD_STATE_BITS;
    uint32_t is = state_of(r);

    if (then < since)
        then = since;
    if (now < then || is == TPROF_THREAD_ENDED)
        now = then;
    if (is <= TPROF_THREAD_BLOCKED) /* the current state, up to now */
        r->ticks[is - TPROF_THREAD_RUNNING] += now - then;
    tprof_frame_field(f, WIRE_THREAD_SERIAL, r->serial);
    tprof_frame_field(f, WIRE_THREAD_ID, r->id);
    put_name(f, r);
    tprof_frame_field(f, WIRE_THREAD_FLAGS,
                      r->flags |
                          (is == TPROF_THREAD_ENDED ? WIRE_THREAD_ENDED : 0));
    tprof_frame_field(f, WIRE_THREAD_NOW, now);
    tprof_frame_field(f, WIRE_THREAD_SINCE, since);
    tprof_frame_field(f, WIRE_THREAD_STATE,
                      is == TPROF_THREAD_ENDED ? (uint32_t)WIRE_IS_UNKNOWN
                                               : is - TPROF_THREAD_RUNNING);
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        tprof_frame_field(f, WIRE_THREAD_RUNNING + i, r->ticks[i]);
    tprof_frame_field(f, WIRE_THREAD_SWITCHES, r->switches);
    tprof_frame_field(f, WIRE_THREAD_SLOT, slot);
    if (is == TPROF_THREAD_BLOCKED)
        tprof_frame_field(f, WIRE_THREAD_WAIT, r->wait);
}

void tprof_thread_entries_put_name(struct tprof_frame *f, uint32_t tag,
                                   const _Atomic uint64_t *name)
{
    uint64_t words[TPROF_NAME_WORDS] = {0};
    const char *text = (const char *)words;
    uint32_t size = 0;

    for (uint32_t i = 0; i < TPROF_NAME_WORDS; i++)
        words[i] = get(&name[i]);
    while (size < WIRE_THREAD_NAME_MAX && text[size])
        size++;
    if (size > 0)
        tprof_frame_bytes(f, tag, text, size);
}

void tprof_thread_entries_put_stack(struct tprof_frame *f, uint32_t tag,
                                    const struct tprof_wait_entry *w)
{
    uint8_t stack[WIRE_WAIT_FRAMES_MAX * VARINT];
    uint8_t *at = stack;
    uint64_t last = tprof_agent.bounds.image.text.start;

    for (uint32_t i = 0; i < w->frames; i++) {
        at = tprof_encode_varint(at, tprof_zigzag(w->frame[i] - last));
        last = w->frame[i];
    }
    if (at > stack)
        tprof_frame_bytes(f, tag, stack, (uint32_t)(at - stack));
}

static void put_wait(struct tprof_frame *f, const struct tprof_wait_entry *w,
                     uint32_t entry)
{
    /* acquire: pairs with the release in tprof_thread_waits_add(). Read first,
     * so that the wait is part of count and time. */
    uint64_t longest = atomic_load_explicit(&w->longest, memory_order_acquire);

    tprof_frame_field(f, WIRE_WAIT_KIND, w->kind);
    tprof_frame_field(f, WIRE_WAIT_SERIAL, w->serial);
    tprof_thread_entries_put_stack(f, WIRE_WAIT_STACK, w);
    tprof_frame_field(f, WIRE_WAIT_END, w->end);
    tprof_frame_field(f, WIRE_WAIT_COUNT, get(&w->count));
    tprof_frame_field(f, WIRE_WAIT_TIME, get(&w->ticks));
    tprof_frame_field(f, WIRE_WAIT_LONGEST, longest);
    tprof_frame_field(f, WIRE_WAIT_ENTRY, entry);
}

/* Writes the histogram of (core). There is room for the counts of 40 buckets:
 * larger counts would take years. */
static void put_delays(struct tprof_frame *f,
                       const struct tprof_core_sums *core)
{
    uint8_t field[UINT8_MAX];
    uint8_t *at = field;

    for (uint32_t i = 0; i < TPROF_DELAY_BUCKETS; i++) {
        uint64_t count = get(&core->delay[i]);

        if (count == 0 || at + 1 + VARINT > field + sizeof field)
            continue;
        at = tprof_encode_varint(at, i);
        at = tprof_encode_varint(at, count);
    }
    tprof_frame_bytes(f, WIRE_SCHED_HISTOGRAM, field, (uint32_t)(at - field));
}

static void put_evicted(struct tprof_frame *f)
{
    const struct tprof_thread_table *table = &tprof_thread_table;

    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        tprof_frame_field(f, WIRE_SCHED_EVICTED_RUNNING + i,
                          get(&table->evicted_ticks[i]));
    tprof_frame_field(f, WIRE_SCHED_EVICTED, get(&table->evicted));
    tprof_frame_field(f, WIRE_SCHED_REFUSED, get(&table->refused));
}

/* The times of a core, read at the moment (now) */
struct core_reading {
    uint64_t now, last, running, other, ready_idle;
    uint64_t ticks[TPROF_CORE_TIMES];
    uint32_t does;
};

static bool read_core(uint32_t index, struct core_reading *r)
{
    const struct tprof_core_sums *core = &tprof_sums.core[index];
    const struct tprof_cpu *cpu = tprof_agent.core[index];

    for (uint32_t tries = 0; tries < READS; tries++) {
        uint32_t calls =
            atomic_load_explicit(&core->calls, memory_order_acquire);

        r->last = get(&core->last);
        r->other = get(&core->other_running);
        r->ready_idle = get(&core->ready_idle);
        r->does = core->does;
        r->running = get(&cpu->recorder.running);
        for (uint32_t i = 0; i < TPROF_CORE_TIMES; i++)
            r->ticks[i] = get(&core->ticks[i]);
        r->now = tprof_sums_now();
        atomic_thread_fence(memory_order_seq_cst);
        if (calls % 2 == 0 && atomic_load(&core->calls) == calls)
            return true;
    }
    return false;
}

static void put_core(struct tprof_frame *f, uint32_t index,
                     struct core_reading *r)
{
    const struct tprof_core_sums *core = &tprof_sums.core[index];
    uint64_t ticks = r->now > r->last ? r->now - r->last : 0;
    uint32_t does = r->does;

    if (!get(&tprof_sums.stopped))
        does = tprof_sums_does(r->running, tprof_thread_table_find(r->running));
    if (does == TPROF_CORE_OTHER)
        r->other += ticks, does = TPROF_CORE_UNNAMED;
    r->ticks[does] += ticks;
    tprof_frame_field(f, WIRE_SCHED_CORE, index);
    tprof_frame_field(f, WIRE_SCHED_NOW, r->last + ticks);
    tprof_frame_field(f, WIRE_SCHED_SINCE, tprof_thread_table.since);
    tprof_frame_field(f, WIRE_SCHED_SWITCHES, get(&core->switches));
    for (uint32_t i = 0; i < TPROF_CORE_TIMES; i++)
        tprof_frame_field(f, WIRE_SCHED_RUNNING + i, r->ticks[i]);
    tprof_frame_field(f, WIRE_SCHED_MOVED, get(&core->moved));
    if (!atomic_load(&tprof_sums.is_ready_lost))
        tprof_frame_field(f, WIRE_SCHED_READY_IDLE, r->ready_idle);
    put_delays(f, core);
    tprof_frame_field(f, WIRE_SCHED_OTHER_RUNNING, r->other);
    if (index == 0)
        put_evicted(f);
}

static int put_entry(struct tprof_frame *f, uint32_t at, bool all)
{
    if (at < tprof_sums.cores) {
        struct core_reading r;

        if (!tprof_cpu[at])
            return 0;
        if (!read_core(at, &r))
            return -1;
        put_core(f, at, &r);
        return WIRE_SCHED;
    }
    if (at < first_wait()) {
        struct tprof_thread_record *t =
            &tprof_thread_table.record[at - tprof_sums.cores];
        struct reading r;
        uint32_t is;

        if (!all && atomic_load(&t->word) == t->told)
            return 0;
        if (!read_record(t, &r))
            return -1;
        is = state_of(&r);
        if (is == TPROF_THREAD_FREE || is == TPROF_THREAD_FILLING)
            return 0;
        t->told = r.word;
        put_thread(f, &r, at - tprof_sums.cores);
        return WIRE_THREAD;
    }
    struct tprof_wait_entry *w =
        &tprof_thread_waits.table.entry[at - first_wait()];

    /* acquire: pairs with the release in fill(), thread_waits.c */
    if (!atomic_load_explicit(&w->is_filled, memory_order_acquire))
        return 0;
    uint32_t told = (uint32_t)get(&w->count) + 1;

    if (!all && w->told == told)
        return 0;
    w->told = told;
    put_wait(f, w, at - first_wait());
    return WIRE_WAIT;
}

struct tprof_sums_part tprof_thread_entries = {
    .clear = clear_entry,
    .begin = begin_threads,
    .follow = follow_threads,
    .end = end_threads,
    .put = put_entry,
};
