/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads/sums.h"

#include "base/mem.h"
#include "encode/encode.h"
#include "sample/longrec.h"

#define SLICE  64u /* entries that one call of the pump looks at */
#define READS  8u  /* tries to read a record while a core changes it */
#define CALLS  64u /* calls of the pump that wait for such a core */
#define VARINT 10u

/* The work of the pump, guarded by the pump's lock */
enum phase {
    CLEARING, /* the sums will begin */
    COUNTING,
    IDLE, /* no core counts; the last sums may be sent */
};

struct tprof_sums tprof_sums;

static struct {
    enum phase phase;
    uint32_t at;     /* the next entry to be cleared or sent */
    uint32_t left;   /* entries that a round of sending has not looked at */
    uint32_t waited; /* calls of the pump that have waited for a core */
    bool all;        /* send entries that have not changed, too */
    uint64_t begun;  /* clock: CLEARING since */
} state;

/* The entries are numbered: cores, threads, waits. */
static uint32_t first_wait(void)
{
    return tprof_sums.cores + tprof_thread_table.size;
}

static uint32_t end_of_entries(void)
{
    return first_wait() + tprof_thread_waits.size;
}

/* --- Threads that are ready ----------------------------------------------- */

void tprof_sums_change_ready(int64_t more, uint64_t now)
{
    uint64_t word = atomic_load(&tprof_sums.ready);
    uint64_t next;
    int tries = 0;

    do {
        uint64_t count = word % (1u << TPROF_READY_BITS);

        next = word + (uint64_t)more;
        if (count == (more < 0))
            next += (more < 0 ? now : -now) << TPROF_READY_BITS;
        if (tries++ == 64) {
            atomic_store(&tprof_sums.is_ready_lost, 1);
            return;
        }
    } while (!atomic_compare_exchange_strong(&tprof_sums.ready, &word, next));
}

uint64_t tprof_sums_ready_ticks(uint64_t now)
{
    uint64_t word = atomic_load(&tprof_sums.ready);

    if (word % (1u << TPROF_READY_BITS) != 0)
        word += now << TPROF_READY_BITS;
    return word >> TPROF_READY_BITS;
}

/* --- Begin and end -------------------------------------------------------- */

/* Has each core been seen outside the calls that count, since counting stopped?
 * A core that stays inside for two seconds was reset or parked there. */
static bool are_cores_outside(void)
{
    /* seq_cst: a core that is seen outside reads (counting) as 0 from now on */
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t i = 0; i < tprof_sums.cores; i++) {
        if (atomic_load(&tprof_sums.core[i].calls) % 2 != 0)
            return tprof_is_far(state.begun, tprof_arch_now(),
                                2 * tprof_agent.second);
    }
    return true;
}

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

/* Gives a core its kind of time at the end of the sums. A core that has not
 * switched since the sums began had the same kind all the time. */
static void note_stopped(uint32_t core)
{
    struct tprof_core_sums *sums = &tprof_sums.core[core];
    uint64_t id = atomic_load_explicit(
        &tprof_agent.core[core]->recorder.running, memory_order_relaxed);

    if (atomic_load_explicit(&sums->switches, memory_order_relaxed) == 0)
        tprof_sums_do(sums, tprof_sums_does(id, tprof_thread_table_find(id)));
}

static void end_counting(uint64_t now)
{
    atomic_store(&tprof_sums.stopped, now);
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        note_stopped(i);
}

static void begin_counting(uint64_t now)
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
    state.phase = COUNTING;
    state.at = 0;
    atomic_store(&tprof_sums.counting, 1);
    for (uint32_t i = 0; i < tprof_sums.cores; i++)
        note_running(i, now);
}

static void clear_slice(void)
{
    uint32_t end = end_of_entries();
    uint32_t to = state.at + SLICE < end ? state.at + SLICE : end;

    for (; state.at < to; state.at++) {
        if (state.at >= first_wait())
            tprof_thread_waits_clear(state.at - first_wait());
        else if (state.at >= tprof_sums.cores)
            tprof_thread_table_clear(state.at - tprof_sums.cores);
    }
    if (state.at == end)
        begin_counting(tprof_arch_now());
}

static void note_owed(void)
{
    atomic_store_explicit(&tprof_agent.owes_sums,
                          state.phase == CLEARING || state.left > 0,
                          memory_order_relaxed);
}

void tprof_sums_order(enum tprof_sums_order what)
{
    switch (what) {
    case TPROF_SUMS_BEGIN:
        atomic_store(&tprof_sums.stopped, 0);
        state.phase = CLEARING;
        state.at = state.left = 0;
        state.begun = tprof_arch_now();
        break;
    case TPROF_SUMS_END:
        atomic_store(&tprof_sums.counting, 0);
        if (state.phase == COUNTING)
            end_counting(tprof_arch_now());
        else
            tprof_thread_table.since = 0;
        state.phase = IDLE;
        state.at = state.left = 0;
        break;
    case TPROF_SUMS_FORGET:
        atomic_store(&tprof_sums.stopped, 0);
        tprof_thread_table.since = 0;
        state.left = 0;
        break;
    default:
        if (state.phase == CLEARING || tprof_thread_table.since == 0)
            break;
        /* A round begins where the previous round stopped, even if that round
         * was not over: otherwise the last entries might never be sent. */
        state.left = end_of_entries();
        state.waited = 0;
        state.all = what == TPROF_SUMS_SEND_ALL;
    }
    note_owed();
}

/* --- Frames --------------------------------------------------------------- */

static uint64_t get(const _Atomic uint64_t *sum)
{
    return atomic_load_explicit(sum, memory_order_relaxed);
}

/* Returns the time up to which the sums are complete. */
static uint64_t end_of_sums(void)
{
    uint64_t stopped = get(&tprof_sums.stopped);

    return stopped ? stopped : tprof_arch_now();
}

/* A record, read at one moment */
struct reading {
    uint64_t word, id, since;
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
    uint64_t now = end_of_sums();
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

static void put_wait(struct tprof_frame *f, const struct tprof_wait *w,
                     uint32_t entry)
{
    uint8_t stack[WIRE_WAIT_FRAMES_MAX * VARINT];
    uint8_t *at = stack;
    uint64_t last = tprof_agent.bounds.image.text.start;
    /* acquire: pairs with the release in tprof_thread_waits_add(). Read first,
     * so that the wait is part of count and time. */
    uint64_t longest = atomic_load_explicit(&w->longest, memory_order_acquire);

    for (uint32_t i = 0; i < w->frames; i++) {
        at = tprof_encode_varint(at, tprof_zigzag(w->frame[i] - last));
        last = w->frame[i];
    }
    tprof_frame_field(f, WIRE_WAIT_KIND, w->kind);
    tprof_frame_field(f, WIRE_WAIT_SERIAL, w->serial);
    if (at > stack)
        tprof_frame_bytes(f, WIRE_WAIT_STACK, stack, (uint32_t)(at - stack));
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

/* The times of a core, read at one moment */
struct core_reading {
    uint64_t last, running, other, ready_idle;
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
    uint64_t now = end_of_sums();
    uint64_t ticks = now > r->last ? now - r->last : 0;
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

/* --- The pump's turn ------------------------------------------------------ */

/* Writes the frame of entry (state.at). Returns its type; 0 if the entry need
 * not be sent; -1 if a core is changing it. */
static int put_entry(struct tprof_frame *f)
{
    uint32_t at = state.at;

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

        if (!state.all && atomic_load(&t->word) == t->told)
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
    struct tprof_wait *w = &tprof_thread_waits.entry[at - first_wait()];

    /* acquire: pairs with the release in fill(), thread_waits.c */
    if (!atomic_load_explicit(&w->is_filled, memory_order_acquire))
        return 0;
    uint32_t told = (uint32_t)get(&w->count) + 1;

    if (!state.all && w->told == told)
        return 0;
    w->told = told;
    put_wait(f, w, at - first_wait());
    return WIRE_WAIT;
}

void tprof_sums_speak(struct tprof_frame *f)
{
    int type = 0;

    if (state.phase == CLEARING) {
        if (are_cores_outside())
            clear_slice();
    } else if (tprof_thread_table.since != 0) {
        for (uint32_t i = 0; i < SLICE && state.left > 0 && type == 0; i++) {
            type = put_entry(f);
            if (type < 0 && ++state.waited < CALLS)
                break; /* again in the next call */
            state.at = state.at + 1 < end_of_entries() ? state.at + 1 : 0;
            state.left--;
            if (type < 0)
                type = 0;
        }
    }
    if (type > 0)
        f->data[WIRE_FRAME_TYPE] = (uint8_t)type;
    note_owed();
}

uint32_t tprof_sums_serial(uint64_t id)
{
    const struct tprof_thread_record *t = tprof_thread_table_find(id);

    return t ? atomic_load_explicit(&t->serial, memory_order_relaxed) : 0;
}
