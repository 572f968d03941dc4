/* SPDX-License-Identifier: BSD-2-Clause */
/* What the truth plugin is tested with: loops with a closed form, interrupted
 * by a timer whose handler's length is known, on every core. */
#include <stdatomic.h>

#include "../accuracy/marks.h"
#include "cpu.h"
#include "guest.h"

void closed_plain(uint32_t rounds);
void closed_device(uint32_t rounds);
void closed_isr(void);

#define VECTOR     0x50
#define ROUNDS     100000
#define PERIOD_NS  10007
#define LAPIC(reg) (*(volatile uint32_t *)(uintptr_t)(0xfee00000u + (reg)))

static atomic_uint running;

/* 5 instructions, 1 access to the local APIC, 8 bytes of stack. */
__asm__(".pushsection .text\n"
        ".globl closed_isr\n"
        ".type closed_isr, @function\n"
        "closed_isr:\n"
        "push %rax\n"
        "mov $0xfee000b0, %eax\n" /* EOI */
        "movl $0, (%rax)\n"
        "pop %rax\n"
        "iretq\n"
        ".size closed_isr, . - closed_isr\n"
        ".popsection");

__attribute__((noinline)) static void run_core(void)
{
    LAPIC(0x3e0) = 0xb;              /* divide by 1 */
    LAPIC(0x320) = 1 << 17 | VECTOR; /* periodic */
    LAPIC(0x380) = PERIOD_NS;
    cpu_irq_enable();
    truth_begin();
    closed_plain(ROUNDS);
    closed_device(ROUNDS);
    truth_end();
    cpu_irq_disable();
    atomic_fetch_sub(&running, 1);
}

int guest_main(void)
{
    running = core_count();
    idt_set_gate(VECTOR, closed_isr);
    core_start_others(run_core);
    run_core();
    while (atomic_load(&running))
        cpu_pause();
    return 0;
}
