/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight threads of the Toro-style scheduler take turns on one core. In its turn
 * each thread does its own kind of work, in known shares. A thread says so to
 * the truth plugin (tests/support/plugin_threads.h) as soon as it has the core.
 *
 * Options: turns=N for each thread; loop=NS length of a round of turns, in
 * instructions of work; those of profile.h.
 */
#include "guest.h"
#include "profile.h"
#include "sched.h"
#include "timed.h"
#include "work.h"

/* Share of the work in thousandths, and its cost: see ../accuracy/main.c. Each
 * turn costs the scheduler's instructions, too. */
static const struct {
    const char *name;
    work_fn run;
    uint32_t share;
    uint32_t cost; /* sixteenths of an instruction that a step takes, about */
} kinds[WORK_KINDS] = {
    {"Hash", work_hash, 400, 208},  {"Sort", work_sort, 250, 287},
    {"Copy", work_copy, 150, 210},  {"Walk", work_walk, 100, 113},
    {"Crc", work_crc, 50, 203},     {"Search", work_search, 30, 267},
    {"Parse", work_parse, 15, 202}, {"Divide", work_divide, 5, 112},
};

static struct work work;
static uint64_t turns, loop_ns;

/* Marks for the plugin */
#define MARK(n)                                                                \
    __attribute__((noinline)) static void truth_thread_##n(void)               \
    {                                                                          \
        __asm__ volatile("");                                                  \
    }
MARK(0)
MARK(1)
MARK(2)
MARK(3)
MARK(4)
MARK(5)
MARK(6)
MARK(7)

static void (*const marks[WORK_KINDS])(void) = {
    truth_thread_0, truth_thread_1, truth_thread_2, truth_thread_3,
    truth_thread_4, truth_thread_5, truth_thread_6, truth_thread_7,
};

static void Worker(void *arg)
{
    uintptr_t kind = (uintptr_t)arg;
    uint32_t steps =
        (uint32_t)(loop_ns * kinds[kind].share / 1000 * 16 / kinds[kind].cost);

    for (uint64_t turn = 0; turn < turns; turn++) {
        marks[kind]();
        kinds[kind].run(&work, steps);
        SysThreadSwitch();
    }
    /* thread 0 is the first whose turns are over: the rest is not counted */
    profile_end();
    profile_fini();
    guest_exit(0);
}

int guest_main(void)
{
    turns = opt_u64("turns", 1000);
    loop_ns = opt_u64("loop", 100000);
    work_init(&work, 1);
    profile_init();
    timed_init();
    sched_init();
    for (uintptr_t kind = 0; kind < WORK_KINDS; kind++)
        BeginThread(kinds[kind].name, (unsigned)kind, Worker, (void *)kind);
    profile_begin();
    StartThreads();
}
