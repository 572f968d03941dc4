/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks in .bss with guard pages, as kernels have them. The topmost frame of a
 * stack lies right below a guard page, so the four words that the walk looks at
 * cross into it.
 *
 * case=init   the guard page is not mapped in tprof_init(), which finds out:
 *             nothing faults
 * case=later  it goes after that: the kernel's page-fault handler asks
 *             tprof_fixup(), and the kernel lives
 * case=other  a fault of the kernel's own is not the agent's
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define PAGE_FAULT 14
#define WORK       50000000u /* TSC ticks */

static struct {
    _Alignas(4096) char stack[8192];
    char guard[4096];
} thread[2];

static volatile uint64_t faults, others;

/* What the CPU pushes at a page fault. */
struct trap {
    uint64_t error, rip, cs, rflags, rsp, ss;
};

void page_fault(struct trap *t);
void page_fault(struct trap *t)
{
    struct tprof_regs regs = {.rip = t->rip, .rsp = t->rsp};

    if (cpu_cr2() - (uintptr_t)thread[0].guard >= sizeof thread[0].guard)
        guest_fail("a fault elsewhere");
    if (tprof_fixup(&regs)) {
        faults++;
        t->rip = regs.rip;
        return;
    }
    others++;
    page_map((uintptr_t)thread[0].guard);
}

void page_fault_entry(void);
__asm__(".pushsection .text\n"
        "page_fault_entry:\n"
        "pushq %rax; pushq %rcx; pushq %rdx; pushq %rsi; pushq %rdi\n"
        "pushq %r8; pushq %r9; pushq %r10; pushq %r11\n"
        "cld; leaq 72(%rsp), %rdi; call page_fault\n"
        "popq %r11; popq %r10; popq %r9; popq %r8\n"
        "popq %rdi; popq %rsi; popq %rdx; popq %rcx; popq %rax\n"
        "addq $8, %rsp; iretq\n"
        ".popsection");

static int open_always(void *context)
{
    (void)context;
    return 1;
}

static int send(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static const struct tprof_channel channel = {.flags = TPROF_CHANNEL_ONE_WAY |
                                                      TPROF_CHANNEL_IRQ_SAFE,
                                             .open = open_always,
                                             .send = send};

/* A thread's first function: its frame is the topmost thing on its stack. */
__attribute__((used)) static void work(void)
{
    uint64_t end = cpu_rdtsc() + WORK;

    while (cpu_rdtsc() < end)
        ;
}

static void run_at(char *top)
{
    __asm__ volatile("movq %%rsp, %%rbx\n"
                     "movq %0, %%rsp\n"
                     "pushq %%rbp\n"
                     "call work\n"
                     "popq %%rbp\n"
                     "movq %%rbx, %%rsp"
                     :
                     : "r"(top)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
                       "r10", "r11", "memory");
}

int guest_main(void)
{
    char what[8];
    struct tprof_stats s;
    struct tprof_config c = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .rate_hz = 10000,
        .channel = &channel,
        .cpus = 1,
        .tsc_hz = 1000000000u,
    };

    opt_str("case", "init", what, sizeof what);
    idt_set_gate(PAGE_FAULT, page_fault_entry);
    if (what[0] == 'i')
        page_unmap((uintptr_t)thread[0].guard);
    must(tprof_init(&c));
    if (what[0] != 'i')
        page_unmap((uintptr_t)thread[0].guard);
    must(tprof_start_cpu());
    cpu_irq_enable();
    run_at(thread[1].stack + sizeof thread[1].stack); /* no hole there */
    if (what[0] == 'o')
        thread[0].guard[0] = 1;
    else
        run_at(thread[0].stack + sizeof thread[0].stack);
    cpu_irq_disable();
    must(tprof_get_stats(0, &s));
    con_printf("guard: %lu samples, %lu faults, %lu counted, %lu others\n",
               s.samples, faults, s.faults, others);
    if (s.samples < 300 || s.samples != s.ticks)
        guest_fail("samples are missing");
    if (s.faults != faults || others != (what[0] == 'o'))
        guest_fail("faults");
    if ((what[0] == 'l') != (faults > 400))
        guest_fail("faults of the walk");
    return 0;
}
