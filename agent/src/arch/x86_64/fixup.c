/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/arch.h"
#include "state/agent.h"

#define PREFIX    0x3e /* DS */
#define REX_W     0x48
#define REX_FLAGS 0x07
#define OP_ADD    0x03
#define OP_MOV    0x8b
#define HEAD      4u /* bytes of prefix, REX, operation, ModRM */

/* Returns the bytes of the operand's address after ModRM: SIB, displacement. */
static uint32_t address_size(const uint8_t *modrm)
{
    uint32_t mod = *modrm >> 6;
    uint32_t base = *modrm & 7;
    uint32_t size = 0;

    if (base == 4) {
        size = 1;
        base = modrm[1] & 7;
    }
    if (mod == 1)
        return size + 1;
    return mod == 2 || base == 5 ? size + 4 : size;
}

/* The load is recognized by its prefix (arch_cpu.h) and by its place: in the
 * image's text, on the stack of a core that is in a tick. Only a kernel that
 * calls this function links it. */
int tprof_fixup(struct tprof_regs *regs)
{
    const struct tprof_text *text = &tprof_agent.bounds.image.text;
    const uint8_t *code = (const uint8_t *)(uintptr_t)regs->rip;
    struct tprof_cpu *cpu;

    if (!tprof_agent.ready || regs->rip - text->start >= text->size ||
        code[0] != PREFIX || (code[1] & ~REX_FLAGS) != REX_W ||
        (code[2] != OP_ADD && code[2] != OP_MOV) || code[3] >= 0xc0)
        return 0;
    cpu = tprof_this_cpu();
    if (!cpu || !cpu->inside ||
        (uintptr_t)cpu - regs->rsp - 1 >= TPROF_STACK_SIZE)
        return 0;
    cpu->recorder.counts.faults++;
    regs->rip += HEAD + address_size(code + 3);
    return 1;
}
