/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt's way in and out, x86_64/isr.S, as this process runs it: what
 * the CPU pushes is pushed here. That real interrupts take it is proven by
 * every guest.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

#define CORES 2u

/* What isr.S reads. */
void *tprof_cpu[256], *tprof_present[256];
uint32_t tprof_cpus = CORES;
uint32_t tprof_gs_offset;
uint32_t *tprof_hook_stack[256];
uint32_t tprof_apic_ids[512];
uint8_t tprof_apic_to_cpu[512];
uintptr_t tprof_apic_registers;
_Atomic uint64_t tprof_unknown_cpu;

static _Alignas(64) uint8_t stacks[CORES][8192]; /* each ends at its half */
static _Alignas(64) uint8_t hook_stacks[CORES][4096];
static uint32_t registers[64]; /* of an xAPIC */
static void *interrupted;
static uint64_t interrupted_sp;
static uint32_t was_in_use;
static bool wants_nested;
static void *nested, *nested_at;
static void interrupt(void);

void tprof_interrupt(void *cpu, const uint64_t *trap, uint64_t fp);
void tprof_interrupt(void *cpu, const uint64_t *trap, uint64_t fp)
{
    uint64_t local = 0x1234;

    (void)fp;
    interrupted = cpu;
    interrupted_sp = trap[3];
    was_in_use = *(uint32_t *)cpu;
    if (wants_nested) {
        wants_nested = false;
        interrupt();
        interrupted_sp = local;
    }
}

void tprof_interrupt_inside(void *cpu);
void tprof_interrupt_inside(void *cpu)
{
    nested = cpu;
    nested_at = __builtin_frame_address(0);
}

/* The kernel's hook. A uint32_t leaves the upper half of RAX to chance. */
uint64_t tprof_hook_answer;
__asm__(".pushsection .text\n"
        ".globl tprof_ask_cpu_index\n"
        "tprof_ask_cpu_index:\n"
        "movq tprof_hook_answer(%rip), %rax\n"
        "ret\n"
        ".popsection");

/* As an interrupt does it: leaves the red zone alone. */
static void interrupt_at(void (*entry)(void))
{
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n"
                     "movq %%rsp, %%rcx\n"
                     "movl %%ss, %%eax\n"
                     "pushq %%rax\n"
                     "pushq %%rcx\n"
                     "pushfq\n"
                     "movl %%cs, %%eax\n"
                     "pushq %%rax\n"
                     "leaq 1f(%%rip), %%rax\n"
                     "pushq %%rax\n"
                     "jmp *%0\n"
                     "1: leaq 128(%%rsp), %%rsp"
                     :
                     : "r"(entry)
                     : "rax", "rcx", "cc", "memory");
}

void tprof_isr_hook(void);
void tprof_isr_apic(void);

static void interrupt(void)
{
    interrupt_at(tprof_isr_hook);
}

static void build(void)
{
    for (uint32_t i = 0; i < CORES; i++) {
        tprof_cpu[i] = tprof_present[i] = stacks[i] + 4096;
        tprof_hook_stack[i] = (void *)(hook_stacks[i] + 4032);
    }
    tprof_apic_registers = (uintptr_t)registers;
}

TEST(hook_says_which_core_is_interrupted)
{
    build();
    for (uint32_t i = 0; i < CORES; i++) {
        tprof_hook_answer = i;
        interrupt();
        CHECK(interrupted == stacks[i] + 4096);
        CHECK(interrupted_sp != 0);
    }
    CHECK_EQ(tprof_unknown_cpu, 0);
    CHECK_EQ(*tprof_hook_stack[0], 0); /* free again */
}

TEST(core_that_is_not_there_is_counted)
{
    build();
    tprof_hook_answer = CORES;
    registers[0xb0 / 4] = 1;
    interrupt();
    CHECK(interrupted == NULL);
    CHECK_EQ(tprof_unknown_cpu, 1);
    CHECK_EQ(registers[0xb0 / 4], 0); /* ended all the same */
}

/* catches: an interrupt that uses the memory of a core that has left, which the
 * kernel may have taken back */
TEST(core_that_has_left_is_not_touched)
{
    build();
    tprof_present[1] = NULL;
    tprof_hook_answer = 1;
    registers[0xb0 / 4] = 1;
    for (uint32_t i = 0; i < sizeof stacks[1]; i++)
        stacks[1][i] = 0x5a;
    interrupt();
    CHECK(interrupted == NULL);
    CHECK_EQ(tprof_unknown_cpu, 0);
    CHECK_EQ(registers[0xb0 / 4], 0); /* ended */
    for (uint32_t i = 0; i < sizeof stacks[1]; i++)
        CHECK_EQ(stacks[1][i], 0x5a);
}

TEST(upper_half_of_the_answer_is_not_looked_at)
{
    build();
    tprof_hook_answer = 0x1234567800000001;
    interrupt();
    CHECK(interrupted == stacks[1] + 4096);
}

TEST(interrupt_inside_another_leaves_the_stack_alone)
{
    uint8_t *top = stacks[1] + 4096;

    build();
    tprof_hook_answer = 1;
    wants_nested = true;
    interrupt();
    CHECK(nested == top);
    /* below what the outer one has there, not from the top on again */
    CHECK((uint8_t *)nested_at < top - 128 && (uint8_t *)nested_at > stacks[1]);
    CHECK_EQ(interrupted_sp, 0x1234);
    CHECK_EQ(was_in_use, 1);
    CHECK_EQ(*(uint32_t *)(void *)top, 0); /* free again */
    nested = NULL;
    interrupt();
    CHECK(nested == NULL);
}

/* catches: ids of an x2APIC above 255, of which several end alike */
TEST(apic_ids_above_255_are_told_apart)
{
    build();
    for (uint32_t i = 0; i < 512; i++)
        tprof_apic_ids[i] = UINT32_MAX;
    tprof_apic_ids[255] = 0x2ff; /* the first of two that end alike */
    tprof_apic_to_cpu[255] = 1;
    tprof_apic_ids[256] = 0xff;
    tprof_apic_to_cpu[256] = 0;
    registers[8] = 0xffu << 24; /* this core is an xAPIC's 255 */
    interrupt_at(tprof_isr_apic);
    CHECK(interrupted == stacks[0] + 4096);
    tprof_apic_ids[256] = 0x4ff;
    interrupted = NULL;
    interrupt_at(tprof_isr_apic);
    CHECK(interrupted == NULL);
    CHECK_EQ(tprof_unknown_cpu, 1);
    tprof_apic_ids[255] = 0xff;
    interrupt_at(tprof_isr_apic);
    CHECK(interrupted == stacks[1] + 4096);
}
