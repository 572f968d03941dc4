/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel of which some cores hang, for `collector stacks`.
 *
 * Options: roles=TEXT a letter for each core, for those that are left w:
 *                 w works without end
 *                 s sleeps, and is woken by nobody
 *                 k has known values in its registers, interrupts off
 *                 h waits for a lock that nobody gives back, interrupts off
 *                 d has died: it is halted, interrupts off
 * and those of agent.h.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "work.h"

static char roles[GUEST_CORES_MAX + 1];
static atomic_uint lock = 1; /* it is held for good */
static volatile uint64_t result;
static atomic_bool joined; /* the first core has */
static atomic_uint begun;  /* cores that are about to do what they shall */

/* Global, with frames: they are to be seen in stacks. */
void take_lock(void);
void write_block(void);
void serve(void);
void sleep_on(void);
void die(void);
void hold_values(void);

__attribute__((noinline)) void take_lock(void)
{
    while (atomic_exchange(&lock, 1) != 0)
        cpu_pause(); /* the line that is looked for */
}

__attribute__((noinline)) void write_block(void)
{
    take_lock();
    result = 0;
}

__attribute__((noinline)) void serve(void)
{
    for (;;)
        result = work_three(work_one(result));
}

__attribute__((noinline)) void sleep_on(void)
{
    for (;;)
        cpu_wait();
}

__attribute__((noinline)) void die(void)
{
    for (;;)
        __asm__ volatile("cli; hlt" ::: "memory");
}

/* 0x5eed000000000000 and on in all but RSP and RBP; nobody leaves. */
__attribute__((noinline)) void hold_values(void)
{
    __asm__ volatile(".set value, 0x5eed000000000000\n"
                     ".irp r, rax, rbx, rcx, rdx, rsi, rdi, r8, r9, r10, r11, "
                     "r12, r13, r14, r15\n"
                     "movabs $value, %%\\r\n"
                     ".set value, value + 1\n"
                     ".endr\n"
                     "1: pause\n"
                     "jmp 1b" ::
                         : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
                           "r10", "r11", "r12", "r13", "r14", "r15", "memory");
}

/* The first core joins first: the agent has it watch for a host, and a core
 * that hangs cannot. */
static void join(void)
{
    while (core_index() != 0 && !atomic_load(&joined))
        cpu_pause();
    agent_start_core();
    atomic_store(&joined, true);
}

static void run_core(void)
{
    join();
    atomic_fetch_add(&begun, 1);
    if (core_index() == 0) {
        while (atomic_load(&begun) < core_count())
            cpu_pause();
        con_printf("hang: %u cores\n", core_count());
    }
    switch (roles[core_index()]) {
    case 'h':
        cpu_irq_disable();
        write_block();
        break;
    case 'k':
        cpu_irq_disable();
        hold_values();
        break;
    case 'd':
        die();
        break;
    case 's':
        sleep_on();
        break;
    default:
        cpu_irq_enable();
        serve();
        break;
    }
}

int guest_main(void)
{
    opt_str("roles", "", roles, sizeof roles);
    agent_init();
    core_run_all(run_core);
    return 0;
}
