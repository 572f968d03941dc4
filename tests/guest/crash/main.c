/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with a flight recorder and no host, which dies: core 0 does its
 * usual work, then three times as long what will kill it, and says "crash: now"
 * right before. Core 1 looks on.
 *
 *   how=fault    a page fault, whose handler stops with interrupts off
 *   how=hang     a lock that nobody lets go of, waited for with interrupts off
 *   how=triple   a triple fault: QEMU needs -action shutdown=pause
 *   rounds=N     how long: the usual work takes N rounds (default 3000)
 */
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define ROUND      1000u
#define PAGE_FAULT 14

static volatile uint64_t results[GUEST_CORES_MAX]; /* so that all is done */
static volatile uint32_t lock = 1;
static char hole[8192];

IDT_ENTRY(page_fault, panic);

/* Global, with frames: they are to be seen in a profile. */
uint64_t work_as_usual(uint64_t x);
uint64_t parse_packet(uint64_t x);
void look_on(void);
void take_lock(void);
void serve(void);

__attribute__((noinline)) uint64_t work_as_usual(uint64_t x)
{
    for (uint32_t i = 0; i < ROUND; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x;
}

__attribute__((noinline)) uint64_t parse_packet(uint64_t x)
{
    for (uint32_t i = 0; i < ROUND; i++)
        x = (x ^ x >> 29) * 0x9e3779b97f4a7c15u;
    return x;
}

__attribute__((noinline)) void take_lock(void)
{
    while (lock)
        cpu_pause();
}

__attribute__((noinline)) void look_on(void)
{
    for (;;)
        cpu_pause();
}

void panic(const struct idt_frame *frame)
{
    (void)frame;
    take_lock(); /* of the console, say */
}

static _Noreturn void die(void)
{
    uintptr_t page = ((uintptr_t)hole + 4095) & ~(uintptr_t)4095;
    char how[16];

    opt_str("how", "fault", how, sizeof how);
    con_printf("crash: now\n");
    if (how[0] == 'f') {
        idt_set_gate(PAGE_FAULT, page_fault);
        page_unmap(page);
        *(volatile char *)page = 1;
    } else if (how[0] == 'h') {
        cpu_irq_disable();
        take_lock();
    } else {
        __asm__ volatile("xorl %esp, %esp; lidt (%rsp); ud2");
    }
    guest_fail("it lives");
}

/* Not static: the last function that is called on purpose. */
__attribute__((noinline)) void serve(void)
{
    uint64_t rounds = opt_u64("rounds", 3000), x = 1;

    for (uint64_t i = 0; i < rounds; i++)
        x = work_as_usual(x);
    for (uint64_t i = 0; i < 3 * rounds; i++)
        x = parse_packet(x);
    results[0] = x;
    die();
}

static void run(void)
{
    must(tprof_start_cpu());
    cpu_irq_enable();
    if (core_index() == 0)
        serve();
    else
        look_on();
}

int guest_main(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .rate_hz = 1000,
        .seed = 1,
        .always = 1,
        .channel = &agent_lonely_channel,
    };

    must(tprof_init(&config));
    core_run_all(run);
    return 1;
}
