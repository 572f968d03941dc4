/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spends known shares of each core's time in eight functions: in a loop whose
 * length can be in step with the sampling interval. How much each one really
 * took only the plugin knows, since their branches depend on their data.
 *
 * Options: loop=NS length of the loop (instructions, under icount); paced=1
 * waits at its end until it took just that long; loops=N; mix=N core c's
 * shares are those of core 0 moved on by N * c functions; boost=K by=PERCENT
 * multiplies the work of function K; turns=1 lets the other
 * cores run every now and then (see tests/accuracy/test_cores.c); those of
 * profile.h and own_timer.h.
 */
#include "cpu.h"
#include "guest.h"
#include "own_timer.h"
#include "profile.h"
#include "work.h"

/* In a paced loop this much is work, the rest absorbs the profiler. */
#define FILL_PERCENT 88

/* A core's turn, and the steps between two looks at it: under 1000 ns. */
#define TURN_NS     2500
#define PIECE_STEPS 50

/* Share of the loop in thousandths. */
static const uint32_t shares[WORK_KINDS] = {400, 250, 150, 100, 50, 30, 15, 5};

static const struct {
    work_fn run;
    uint32_t cost; /* sixteenths of an instruction that a step takes, about */
} kinds[WORK_KINDS] = {
    {work_hash, 208}, {work_sort, 287},   {work_copy, 210},  {work_walk, 113},
    {work_crc, 203},  {work_search, 267}, {work_parse, 202}, {work_divide, 112},
};

static struct {
    uint64_t loop_ns, loops, mix, boost, boost_percent;
    bool paced, turns, own_timer;
} options;

static struct work work[GUEST_CORES_MAX];
static uint64_t turn_end[GUEST_CORES_MAX];

/* Keeps a call from becoming a jump, which would leave no frame. */
#define NO_TAIL_CALL() __asm__ volatile("")

__attribute__((noinline)) static void call_near(unsigned kind, struct work *w,
                                                uint32_t steps)
{
    kinds[kind].run(w, steps);
    NO_TAIL_CALL();
}

__attribute__((noinline)) static void call_far(unsigned kind, struct work *w,
                                               uint32_t steps)
{
    call_near(kind, w, steps);
    NO_TAIL_CALL();
}

static uint32_t steps_of(unsigned kind, unsigned core)
{
    uint64_t share = shares[(kind + options.mix * core) % WORK_KINDS];
    uint64_t ns = options.loop_ns * share / 1000;

    if (options.paced)
        ns = ns * FILL_PERCENT / 100;
    if (kind == options.boost)
        ns = ns * options.boost_percent / 100;
    return (uint32_t)(ns * 16 / kinds[kind].cost);
}

/* (steps) of a function's work, so many calls further down. */
static void call_at(unsigned depth, unsigned kind, struct work *w,
                    uint32_t steps)
{
    switch (depth) {
    case 0:
        kinds[kind].run(w, steps);
        break;
    case 1:
        call_near(kind, w, steps);
        break;
    default:
        call_far(kind, w, steps);
        break;
    }
}

/* The same in pieces, between which other cores get their turn. */
static void call_in_turns(unsigned depth, unsigned kind, struct work *w,
                          uint32_t steps)
{
    uint64_t *end = &turn_end[core_index()];

    while (steps > 0) {
        uint32_t piece = steps < PIECE_STEPS ? steps : PIECE_STEPS;

        call_at(depth, kind, w, piece);
        steps -= piece;
        if (cpu_rdtsc() >= *end) {
            cpu_pause();
            *end = cpu_rdtsc() + TURN_NS;
        }
    }
}

/* Three depths, a different one for each function from loop to loop. */
static void one_loop(struct work *w, const uint32_t *steps, uint64_t loop)
{
    for (unsigned kind = 0; kind < WORK_KINDS; kind++) {
        unsigned depth = (unsigned)((kind + loop) % 3);

        if (kind == 1)
            own_timer_boundary((uintptr_t)kinds[0].run + 16,
                               options.loop_ns / 200);
        if (options.turns)
            call_in_turns(depth, kind, w, steps[kind]);
        else
            call_at(depth, kind, w, steps[kind]);
    }
}

static void all_loops(unsigned core)
{
    uint32_t steps[WORK_KINDS];

    for (unsigned kind = 0; kind < WORK_KINDS; kind++)
        steps[kind] = steps_of(kind, core);
    work_init(&work[core], core + 1);

    profile_begin();
    if (options.own_timer)
        own_timer_start();
    uint64_t next = cpu_rdtsc();
    for (uint64_t loop = 0; loop < options.loops; loop++) {
        one_loop(&work[core], steps, loop);
        next += options.loop_ns;
        while (options.paced && cpu_rdtsc() < next)
            ;
    }
    if (options.own_timer)
        own_timer_stop();
    profile_end();
}

/* Each core under a name of its own, so that a sample on the wrong core shows.
 */
#define CORE_MAIN(n)                                                           \
    __attribute__((noinline)) static void core_##n(void)                       \
    {                                                                          \
        all_loops(n);                                                          \
        NO_TAIL_CALL();                                                        \
    }
CORE_MAIN(0)
CORE_MAIN(1)
CORE_MAIN(2)
CORE_MAIN(3)

static void (*const core_main[])(void) = {core_0, core_1, core_2, core_3};

static void run_core(void)
{
    core_main[core_index()]();
    NO_TAIL_CALL();
}

int guest_main(void)
{
    unsigned cores = core_count();

    if (cores > sizeof core_main / sizeof *core_main)
        guest_fail("too many cores");
    options.loop_ns = opt_u64("loop", 20000);
    options.loops = opt_u64("loops", 1000);
    options.paced = opt_u64("paced", 0) != 0;
    options.turns = opt_u64("turns", 0) != 0;
    options.mix = opt_u64("mix", 0);
    options.boost = opt_u64("boost", WORK_KINDS);
    options.boost_percent = opt_u64("by", 100);
    options.own_timer = own_timer_init();
    profile_init();

    core_run_all(run_core);
    profile_fini();
    return 0;
}
