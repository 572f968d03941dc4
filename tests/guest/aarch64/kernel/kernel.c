/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel for QEMU's virt with 1, 2 or 4 cores, on which each core calls
 * eight functions of known cost, until it has taken (samples).
 *
 * Options, as -append "guest: NAME=N ...":
 *   cores     cores that run
 *   gic       version of the interrupt controller, 2 or 3
 *   samples   the machine is switched off when each core has taken so many
 *   seed      of the agent
 *   physical  1: by CNTP instead of CNTV
 */
#include <stdatomic.h>
#include <tprof/aarch64.h>
#include <tprof/tprof.h>

#include "machine.h"

#define FLUSH_FRAMES 4096
#define GIC_INTID    0x3ffu /* without the core that sent a GICv2's SGI */
#define GIC_SPURIOUS 1020u
#define KINDS        8
#define TURNS        2000 /* of a loop with a share of 100 % */

void kernel_core(uint64_t index);
void kernel_irq(const struct tprof_interrupted *at);
_Noreturn void kernel_fault(uint64_t why, uint64_t pc, uint64_t address);

typedef void work(uint64_t turns);
work work_a, work_b, work_c, work_d, work_e, work_f, work_g, work_h;

static atomic_uint done;
static unsigned cores;

_Noreturn static void fail(const char *what)
{
    machine_print("failed: ");
    machine_print(what);
    machine_print("\n");
    machine_off();
}

_Noreturn void kernel_fault(uint64_t why, uint64_t pc, uint64_t address)
{
    machine_print("fault: ");
    machine_print_number(why);
    machine_print(" at ");
    machine_print_number(pc);
    machine_print(" ");
    machine_print_number(address);
    machine_print("\n");
    machine_off();
}

static void must(int error)
{
    if (error != TPROF_OK)
        fail(tprof_strerror(error));
}

void kernel_irq(const struct tprof_interrupted *at)
{
    uint32_t acknowledged = machine_gic_acknowledge();
    uint32_t intid = acknowledged & GIC_INTID;

    if (intid >= GIC_SPURIOUS)
        return;
    if (!tprof_irq(intid, at))
        fail("an interrupt that is nobody's");
    machine_gic_end(acknowledged);
}

/* Shares of 40, 25, 15, 10, 5, 3, 1.5 and 0.5 % */
static void one_loop(void)
{
    work_a(TURNS * 40);
    work_b(TURNS * 25);
    work_c(TURNS * 15);
    work_d(TURNS * 10);
    work_e(TURNS * 5);
    work_f(TURNS * 3);
    work_g(TURNS * 3 / 2);
    work_h(TURNS / 2);
}

static uint64_t samples_of(unsigned core)
{
    struct tprof_stats s;

    must(tprof_get_stats(core, &s));
    return s.samples;
}

static void print_account(unsigned core)
{
    struct tprof_stats s;

    must(tprof_get_stats(core, &s));
    machine_print("core ");
    machine_print_number(core);
    machine_print(": ");
    machine_print_number(s.ticks);
    machine_print(" ticks, ");
    machine_print_number(s.samples);
    machine_print(" samples, ");
    machine_print_number(s.missed);
    machine_print(" missed, ");
    machine_print_number(s.ring_full);
    machine_print(" full, ");
    machine_print_number(s.foreign);
    machine_print(" foreign\n");
}

static void start_agent(void)
{
    const struct tprof_aarch64 machine = {
        .device_tree = (const void *)(uintptr_t)MACHINE_TREE,
        .timer = (uint32_t)machine_option("physical", 0),
    };
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .seed = machine_option("seed", 0),
    };

    tprof_set_aarch64(&machine);
    must(tprof_init(&config));
}

static void end(void)
{
    while (atomic_load(&done) < cores)
        __asm__ volatile("yield");
    while (tprof_flush(FLUSH_FRAMES))
        __asm__ volatile("yield");
    for (unsigned core = 0; core < cores; core++)
        print_account(core);
    machine_print("the end\n");
    machine_off();
}

void kernel_core(uint64_t index)
{
    uint64_t samples = machine_option("samples", 12000);

    if (index == 0) {
        cores = (unsigned)machine_option("cores", 1);
        machine_gic((unsigned)machine_option("gic", 2));
        start_agent();
        for (unsigned i = 1; i < cores; i++)
            machine_start_core(i);
    }
    machine_gic_core((unsigned)index);
    must(tprof_start_cpu());
    __asm__ volatile("msr daifclr, #2" : : : "memory");
    while (samples_of((unsigned)index) < samples)
        one_loop();
    must(tprof_stop_cpu()); /* so that the account does not change any more */
    atomic_fetch_add(&done, 1);
    if (index == 0)
        end();
    for (;;)
        __asm__ volatile("wfi");
}
