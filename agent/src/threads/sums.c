/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads/sums.h"

#define SLICE 64u /* entries that one call of the pump looks at */
#define CALLS 64u /* calls of the pump that wait for a core */

/* The work of the pump, guarded by the pump's lock */
enum phase {
    NONE,     /* there are no sums */
    CLEARING, /* the sums will begin */
    COUNTING,
    ENDED, /* no core counts; the last sums may be sent */
};

struct tprof_sums tprof_sums;

static struct {
    enum phase phase;
    struct tprof_sums_part *begun; /* this part and the next ones have begun */
    /* The next entry to be cleared or sent */
    struct tprof_sums_part *part;
    uint32_t at;
    uint32_t left;   /* entries that a round of sending has not looked at */
    uint32_t waited; /* calls of the pump that have waited for a core */
    bool all;        /* send entries that have not changed, too */
    uint64_t since;  /* clock: CLEARING since */
} state;

static struct tprof_sums_part *first_part(void)
{
    /* acquire: pairs with the release in tprof_sums_add_part() */
    return atomic_load_explicit(&tprof_sums.parts, memory_order_acquire);
}

/* Steps to the next entry. After the last entry, (state.part) is NULL. */
static void step(void)
{
    if (++state.at < state.part->entries)
        return;
    state.part = state.part->next;
    state.at = 0;
}

static void go_to_first(void)
{
    state.part = first_part();
    state.at = state.left = 0;
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
            return tprof_is_far(state.since, tprof_arch_now(),
                                2 * tprof_agent.second);
    }
    return true;
}

/* Begins the parts from the first one to (end), whose entries are clear. */
static void begin_parts(const struct tprof_sums_part *end)
{
    struct tprof_sums_part *first = first_part();
    uint64_t now = tprof_arch_now();

    for (struct tprof_sums_part *p = first; p != end; p = p->next)
        p->begin(now);
    state.begun = first;
    atomic_store(&tprof_sums.counting, 1);
    for (struct tprof_sums_part *p = first; p != end; p = p->next) {
        if (p->follow)
            p->follow(now);
    }
}

static void end_parts(void)
{
    for (struct tprof_sums_part *p = state.begun; p; p = p->next) {
        if (p->end)
            p->end();
    }
}

static void clear_slice(void)
{
    for (uint32_t i = 0; i < SLICE && state.part; i++, step())
        state.part->clear(state.at);
    if (state.part)
        return;
    state.phase = COUNTING;
    begin_parts(NULL);
    go_to_first();
}

static void note_owed(void)
{
    atomic_store_explicit(&tprof_agent.owes_sums,
                          state.phase == CLEARING || state.left > 0,
                          memory_order_relaxed);
}

/* Begins a round of sending where the previous round stopped, even if that
 * round was not over: otherwise the last entries might never be sent. */
static void begin_round(bool all)
{
    if (state.phase != COUNTING && state.phase != ENDED)
        return;
    state.left = 0;
    for (const struct tprof_sums_part *p = first_part(); p; p = p->next)
        state.left += p->entries;
    state.waited = 0;
    state.all = all;
}

static void end_counting(void)
{
    atomic_store(&tprof_sums.counting, 0);
    if (state.phase == COUNTING) {
        atomic_store(&tprof_sums.stopped, tprof_arch_now());
        end_parts();
    }
    state.phase = state.phase == COUNTING ? ENDED : NONE;
    go_to_first();
}

void tprof_sums_order(enum tprof_sums_order what)
{
    switch (what) {
    case TPROF_SUMS_BEGIN:
        atomic_store(&tprof_sums.stopped, 0);
        state.phase = CLEARING;
        go_to_first();
        state.since = tprof_arch_now();
        break;
    case TPROF_SUMS_END:
        end_counting();
        break;
    case TPROF_SUMS_FORGET:
        atomic_store(&tprof_sums.stopped, 0);
        if (state.phase == ENDED)
            state.phase = NONE;
        state.left = 0;
        break;
    default:
        begin_round(what == TPROF_SUMS_SEND_ALL);
    }
    note_owed();
}

/* --- The pump's turn ------------------------------------------------------ */

/* Writes the frame of the next entry that must be sent, of those in a slice. */
static void send_slice(struct tprof_frame *f)
{
    int type = 0;

    for (uint32_t i = 0; i < SLICE && state.left > 0 && type == 0; i++) {
        type = state.part->put(f, state.at, state.all);
        if (type < 0 && ++state.waited < CALLS)
            return; /* again in the next call */
        step();
        if (!state.part)
            state.part = first_part();
        state.left--;
        if (type < 0)
            type = 0;
    }
    if (type > 0)
        f->data[WIRE_FRAME_TYPE] = (uint8_t)type;
}

void tprof_sums_speak(struct tprof_frame *f)
{
    if (state.phase == CLEARING) {
        if (are_cores_outside())
            clear_slice();
    } else {
        if (state.phase == COUNTING && first_part() != state.begun)
            begin_parts(state.begun);
        send_slice(f);
    }
    note_owed();
}

uint64_t tprof_sums_now(void)
{
    uint64_t stopped =
        atomic_load_explicit(&tprof_sums.stopped, memory_order_relaxed);

    return stopped ? stopped : tprof_arch_now();
}

void tprof_sums_add_part(struct tprof_sums_part *part)
{
    part->next = atomic_load_explicit(&tprof_sums.parts, memory_order_relaxed);
    /* release: pairs with the acquire in first_part() */
    atomic_store_explicit(&tprof_sums.parts, part, memory_order_release);
}

uint32_t tprof_sums_serial(uint64_t id)
{
    const struct tprof_thread_record *t = tprof_thread_table_find(id);

    return t ? atomic_load_explicit(&t->serial, memory_order_relaxed) : 0;
}
