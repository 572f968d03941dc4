/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's threads: what its scheduler, its drivers and its threads tell
 * the agent. In most runs with threads, no two cores tell of the same thread at
 * the same time, so the times of each thread are known within bounds
 * (thread_checks.c). In the other runs any core wakes any thread at any time.
 */
#include <stdio.h>
#include <string.h>

#include "sim.h"
#include "thread_checks.h"

#define THREADS 14u /* the first of them are the idle threads of the cores */
#define ID(i)   (0x1000u + (uint64_t)(i))

#define TABLE 64u /* records of threads */
#define WAITS 32u

static struct thread {
    uint32_t life; /* of thread_checks.c; 0: there is no such thread */
    enum life_state state;
    bool is_busy; /* a core tells of it just now */
} threads[THREADS];
static uint32_t current[SIM_CORES]; /* index of the thread that the core runs */
static bool has_threads, is_orderly;
static bool is_telling[SIM_CORES]; /* the core is in a call about threads */
static uint32_t names;

static uint8_t memory[TPROF_THREADS_MEMORY(SIM_CORES, TABLE, WAITS)]
    __attribute__((aligned(64)));

/* --- Calls of the agent --------------------------------------------------- */

/* Calls (function) from code with a stack of its own: (fp) is its caller's
 * frame. */
uint64_t call_from(uint64_t a, uint64_t b, uint64_t c, void (*function)(void),
                   uint64_t fp);
__asm__(".pushsection .text\n"
        ".globl call_from\n"
        ".type call_from, @function\n"
        "call_from:\n"
        "pushq %rbp\n"
        "movq %r8, %rbp\n"
        "call *%rcx\n"
        "popq %rbp\n"
        "ret\n"
        ".popsection");

static void begin(void)
{
    is_telling[tprof_machine.core] = true;
    enter_agent();
    check_call();
}

static void end(void)
{
    check_called();
    leave_agent();
    is_telling[tprof_machine.core] = false;
}

static void tell(void (*function)(void), uint64_t a, uint64_t b, uint64_t c)
{
    begin();
    (void)call_from(a, b, c, function, a_frame_pointer());
    end();
}

/* The state of (t) becomes (state) by a call of (function). */
static void tell_change(struct thread *t, enum life_state state,
                        void (*function)(void), uint64_t id)
{
    uint32_t event = life_changes(t->life, state);

    t->is_busy = true;
    t->state = state;
    tell(function, id, 0, 0);
    t->is_busy = false;
    life_has_changed(event);
}

/* --- What threads do ------------------------------------------------------ */

static bool runs(uint32_t i)
{
    for (uint32_t core = 0; core < guest_config.cpus; core++) {
        if (current[core] == i)
            return true;
    }
    return false;
}

/* A thread that a core may choose, or wake; 0: none, after some tries. */
static uint32_t pick(bool must_be_ready)
{
    for (uint32_t tries = 0; tries < 4; tries++) {
        uint32_t i = SIM_CORES + below(THREADS - SIM_CORES);
        const struct thread *t = &threads[i];

        if (t->life != 0 && !t->is_busy && !runs(i) &&
            (!must_be_ready || t->state == LIFE_READY || chance(50)))
            return i;
    }
    return 0;
}

static void name(uint32_t i, bool is_idle)
{
    char text[16];
    struct thread *t = &threads[i];

    (void)snprintf(text, sizeof text, "thread %u", ++names);
    t->life = life_begins(names, is_idle);
    t->state = LIFE_READY;
    t->is_busy = true;
    begin();
    int error = (is_idle ? tprof_name_idle : tprof_name)(ID(i), text);

    end();
    t->is_busy = false;
    life_is_named(t->life);
    if (error != TPROF_OK && (is_orderly || error != TPROF_ERR_MEMORY_SMALL))
        fail("tprof_name() says %d", error);
}

static void name_some(void)
{
    uint32_t i = SIM_CORES + below(THREADS - SIM_CORES);
    struct thread *t = &threads[i];

    if (runs(i) || t->is_busy)
        return;
    if (is_orderly && names + SIM_CORES > TABLE - 8)
        return;                     /* all records shall be told to the end */
    if (t->life != 0 && is_orderly) /* the name would end it */
        tell_change(t, LIFE_ENDED, (void (*)(void))tprof_thread_end, ID(i));
    name(i, false);
}

static void end_some(void)
{
    uint32_t i = pick(false);

    if (i == 0)
        return;
    tell_change(&threads[i], LIFE_ENDED, (void (*)(void))tprof_thread_end,
                ID(i));
    threads[i].life = 0;
}

static void switch_to(uint32_t to, uint32_t why)
{
    static const enum life_state states[] = {
        [TPROF_BLOCKED] = LIFE_BLOCKED,
        [TPROF_READY] = LIFE_READY,
        [TPROF_ENDED] = LIFE_ENDED,
    };
    uint32_t from = current[tprof_machine.core];
    struct thread *out = &threads[from], *in = &threads[to];
    uint32_t leaves = life_changes(out->life, states[why]);
    uint32_t comes = life_changes(in->life, LIFE_RUNNING);

    current[tprof_machine.core] = to;
    out->is_busy = in->is_busy = true;
    out->state = states[why];
    in->state = LIFE_RUNNING;
    tell((void (*)(void))tprof_switch, ID(from), ID(to), why);
    out->is_busy = in->is_busy = false;
    life_has_changed(leaves);
    life_has_changed(comes);
    if (why == TPROF_ENDED)
        out->life = 0;
}

static void switch_some(void)
{
    uint32_t idle = tprof_machine.core, from = current[idle];
    uint32_t to = pick(true);

    if (threads[from].is_busy)
        return; /* a driver, in whose interrupt this core is, tells of it */
    if (to == 0 || chance(200))
        to = idle;
    if (to == from)
        return;
    if (from == idle)
        switch_to(to, TPROF_READY);
    else
        switch_to(to, chance(60)    ? TPROF_ENDED
                      : chance(600) ? TPROF_BLOCKED
                                    : TPROF_READY);
}

static void wake_some(void)
{
    uint32_t i =
        is_orderly ? pick(false) : SIM_CORES + below(THREADS - SIM_CORES);
    struct thread *t = &threads[i];

    if (i == 0)
        return;
    if (is_orderly && t->state == LIFE_BLOCKED)
        tell_change(t, LIFE_READY, (void (*)(void))tprof_wake, ID(i));
    else
        tell((void (*)(void))tprof_wake, ID(i), 0, 0);
}

/* --- For the rest of the simulation --------------------------------------- */

void threads_init(void)
{
    const struct tprof_threads_config config = {
        .memory = memory,
        .size = sizeof memory,
        .threads = is_orderly ? TABLE : 16,
        .waits = WAITS,
        .frames = (uint32_t)(guest_config.seed >> 8) % 17,
    };

    if (!has_threads)
        return;
    int error = tprof_threads(&config);

    note("tprof_threads() says %ld, orderly: %lu", (uint64_t)(int64_t)error,
         is_orderly, 0);
    if (error != TPROF_OK)
        fail("tprof_threads() says %d", error);
}

void threads_draw(void)
{
    /* of a number that is drawn anyway: runs without threads stay as they are
     */
    has_threads = guest_config.seed % 2 == 0;
    is_orderly = guest_config.seed % 8 != 0;
    thread_checks_init(is_orderly);
    for (uint32_t i = 0; i < SIM_CORES; i++)
        current[i] = i;
}

void threads_act(void)
{
    uint32_t core = tprof_machine.core, what = below(100);

    if (!has_threads)
        return;
    if (threads[core].life == 0) {
        name(core, true);
        uint32_t event = life_changes(threads[core].life, LIFE_RUNNING);

        tell((void (*)(void))tprof_switch, 0, ID(core), TPROF_READY);
        life_has_changed(event);
    }
    if (what < 55)
        switch_some();
    else if (what < 85)
        wake_some();
    else if (what < 95)
        name_some();
    else
        end_some();
}

void threads_interrupt(void)
{
    struct tprof_machine_core *m = tprof_machine_this();
    struct core *c = &cores[tprof_machine.core];

    if (!has_threads || !kernel_may_call() || m->interrupts_off ||
        c->depth + 1 >= NESTED || is_telling[tprof_machine.core] || chance(900))
        return;
    m->interrupts_off = true;
    wake_some();
    m->interrupts_off = false;
}

void threads_reset(uint32_t core)
{
    if (is_telling[core])
        life_is_lost();
    is_telling[core] = false;
}
