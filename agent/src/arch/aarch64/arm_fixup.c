/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/arch.h"
#include "state/agent.h"

/* LDR Xt, [Xn] without an offset */
#define LOAD_MASK  0xfffffc00u
#define LOAD_VALUE 0xf9400000u

/* The load is recognized by its form (arch_cpu.h) and by its place: in the
 * image's text, on the stack of a core that is in a tick. Only a kernel that
 * calls this function links it. */
int tprof_fixup(struct tprof_regs *regs)
{
    const struct tprof_text *text = &tprof_agent.bounds.image.text;

    if (!tprof_agent.ready || regs->rip - text->start >= text->size ||
        (*(const uint32_t *)(uintptr_t)regs->rip & LOAD_MASK) != LOAD_VALUE)
        return 0;
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (!cpu || !cpu->inside ||
        (uintptr_t)cpu - regs->rsp - 1 >= TPROF_STACK_SIZE)
        return 0;
    cpu->recorder.counts.faults++;
    regs->rip += 4;
    return 1;
}
