/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes wrong. To add a fault: a function of a few lines, and a row in the
 * table. Each run draws which of them it has at all, so that some runs are full
 * of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "sim.h"
#include "thread_checks.h"

bool is_calm;

static uint32_t a_core(void)
{
    return below(guest_config.cpus);
}

static void starve(void)
{
    uint32_t core = a_core();
    uint64_t ns = draw_log(SIM_SECOND / 2);

    note("core %lu does not run for %lu us", core, ns / 1000, 0);
    cores[core].starved = host_now_ns() + ns;
}

static void take_timer(void)
{
    uint32_t core = a_core();

    if (guest_config.timer != TPROF_TIMER_APIC)
        return; /* it is the kernel's anyway */
    note("the kernel takes the timer of core %lu", core, 0, 0);
    tprof_machine.cores[core].timer_taken = true;
}

static void disturb(void)
{
    if (guest_config.timer != TPROF_TIMER_APIC)
        return; /* no vector is the agent's */
    note("an interrupt for nothing", 0, 0, 0);
    tprof_machine_raise(tprof_machine.cores[a_core()].hardware_id);
}

static void leave_silently(void)
{
    uint32_t core = a_core();

    if (guest_config.cpus == 1)
        return; /* nobody would be left */
    if (tprof_pump_lock || tprof_map_lock || tprof_agent.joining)
        return; /* it may have a lock: nothing helps against that */
    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        if (cores[i].gone)
            return;
    }
    note("core %lu is gone, without a word", core, 0, 0);
    threads_reset(core);
    cores[core].gone = true;
}

/* Who has it is no core of the agent's: a thread, or a core that had not
 * joined. If that core is reset, nothing helps. */
static bool is_anybodys(uint32_t lock)
{
    return lock == TPROF_OWNER_OTHER;
}

static void reset(void)
{
    uint32_t core = a_core();

    if (cores[core].gone || is_anybodys(tprof_pump_lock) ||
        is_anybodys(tprof_map_lock))
        return;
    note("core %lu is reset, inside %lu calls of the agent", core,
         cores[core].depth, 0);
    kernel_reset(core);
    cores[core].starved = host_now_ns() + draw_log(SIM_SECOND / 2);
}

static void jump_ahead(void)
{
    uint64_t ticks = draw_log(1000ull * SIM_SECOND);

    note("the clock jumps ahead by %lu us", ticks / 1000, 0, 0);
    tprof_machine.now += ticks;
    clock_skew += ticks;
}

/* Timers count on; the clock that they are compared with does not. */
static void jump_back(void)
{
    uint64_t ticks = draw_log(tprof_machine.now);

    note("the clock goes back by %lu us", ticks / 1000, 0, 0);
    life_has_no_clock();
    tprof_machine.now -= ticks;
    clock_skew -= ticks;
    for (uint32_t i = 0; i < guest_config.cpus; i++) {
        struct tprof_machine_core *c = &tprof_machine.cores[i];

        if (c->deadline != 0)
            c->deadline = c->deadline > ticks ? c->deadline - ticks : 1;
        if (cores[i].asleep > ticks)
            cores[i].asleep -= ticks;
        kernel_clock_back(i, ticks);
    }
}

static void stall(void)
{
    uint64_t ns = draw_log(SIM_SECOND);

    note("device: does nothing for %lu us", ns / 1000, 0, 0);
    device_faults.stalled = host_now_ns() + ns;
}

static void halve(void)
{
    device_faults.half = !device_faults.half;
    note("device: takes and gives parts only: %lu", device_faults.half, 0, 0);
}

static void babble(void)
{
    device_faults.nonsense = !device_faults.nonsense;
    note("device: sends nonsense: %lu", device_faults.nonsense, 0, 0);
}

static void lie(void)
{
    device_faults.lie = 1 + below(4);
}

static void vanish(void)
{
    note("device: vanishes", 0, 0, 0);
    device_faults.vanished = true;
    device_lied = true;
    link_hang_up();
}

static void damage(void)
{
    struct link *l = &link_now;

    if (l->to_host_size == 0)
        return;
    note("a byte on its way to the host is damaged", 0, 0, 0);
    l->to_host[below((uint32_t)l->to_host_size)] ^= (uint8_t)(1 + below(255));
}

static void cut(void)
{
    link_hang_up();
}

/* The guest's state is kept, and two guests go on from it, one after the other
 * here. Both have what goes with it: this whole process. */
static void resume_twice(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    note("the guest is saved", 0, 0, 0);
    (void)fflush(stdout);
    pid_t clone = fork();

    if (clone < 0)
        abort();
    if (clone > 0) {
        int status;

        if (waitpid(clone, &status, 0) != clone || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 0) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) == 1)
                (void)printf("(that was the first clone of two)\n");
            exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
        }
    }
    for (uint32_t i = clone > 0; i < 2; i++)
        (void)draw(); /* they differ from here on */
    note("the guest is resumed, clone %lu of two", clone > 0 ? 2 : 1, 0, 0);
    jump_ahead();
    device_resumed();
    link_now.state = LINK_CLOSED;
}

static const struct fault {
    const char *name;
    uint32_t per_mille; /* of the times that something goes wrong */
    void (*strike)(void);
    const char *what;
} faults[] = {
    {"starve", 100, starve, "a core does not run for a while"},
    {"disturb", 60, disturb, "an interrupt for nothing"},
    {"timer", 60, take_timer, "the kernel takes a core's timer"},
    {"gone", 15, leave_silently, "a core leaves without a word"},
    {"reset", 100, reset, "a core is reset, and boots again"},
    {"ahead", 30, jump_ahead, "the clock jumps ahead"},
    {"back", 30, jump_back, "the clock goes back"},
    {"stall", 80, stall, "the device does nothing for a while"},
    {"half", 60, halve, "the device takes and gives parts"},
    {"babble", 30, babble, "the device sends what makes no sense"},
    {"lie", 6, lie, "the device lies about a buffer"},
    {"vanish", 4, vanish, "the device is gone"},
    {"damage", 60, damage, "a byte is damaged on its way"},
    {"cut", 60, cut, "the connection is cut"},
    {"resume", 15, resume_twice, "the guest is saved and resumed twice"},
};
#define FAULTS (sizeof faults / sizeof *faults)

static bool is_on[FAULTS];

void faults_init(void)
{
    for (size_t i = 0; i < FAULTS; i++)
        is_on[i] = chance(500);
}

void fault_strike(void)
{
    for (size_t i = 0; i < FAULTS; i++) {
        const struct fault *f = &faults[i];

        if (is_on[i] && chance(f->per_mille))
            f->strike();
    }
}
