/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt descriptor table that all cores share, and death by fault. */
#include "cpu.h"
#include "guest.h"
#include "kit.h"

#define GATE_PRESENT    0x8e /* 64-bit interrupt gate, ring 0 */
#define SELECTOR        0x08
#define VECTOR_SPURIOUS 0xff

static _Alignas(16) struct gate {
    uint16_t offset_0;
    uint16_t selector;
    uint8_t stack;
    uint8_t type;
    uint16_t offset_16;
    uint32_t offset_32;
    uint32_t zero;
} gates[256];
_Static_assert(sizeof(struct gate) == 16, "as the CPU reads it");

/* What trap.S and the CPU have pushed, from the lowest address up. */
struct fault {
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

void idt_set_gate(uint8_t vector, void (*handler)(void))
{
    uintptr_t addr = (uintptr_t)handler;
    struct gate *gate = &gates[vector];

    gate->offset_0 = (uint16_t)addr;
    gate->selector = SELECTOR;
    gate->offset_16 = (uint16_t)(addr >> 16);
    gate->offset_32 = (uint32_t)(addr >> 32);
    /* last: the gate is whole once it is present */
    *(volatile uint8_t *)&gate->type = GATE_PRESENT;
}

IDT_ENTRY(spurious_entry, spurious);

void spurious(const struct idt_frame *frame)
{
    (void)frame; /* nothing happened, and such an interrupt wants no EOI */
}

void idt_load(void)
{
    struct {
        uint16_t pad[3];
        uint16_t limit;
        uint64_t base;
    } table = {.limit = sizeof gates - 1, .base = (uintptr_t)gates};

    __asm__ volatile("lidt (%0)" : : "r"(&table.limit), "m"(table));
}

void idt_init(void)
{
    for (unsigned i = 0; i < 32; i++)
        idt_set_gate((uint8_t)i, trap_entries[i]);
    idt_set_gate(VECTOR_SPURIOUS, spurious_entry);
    idt_load();
}

void idt_fault(const struct fault *fault, uint64_t rbp);

/* Called by trap.S, on whatever stack the fault found. */
void idt_fault(const struct fault *fault, uint64_t rbp)
{
    con_panic();
    con_printf("fault: core %u vector %lu error 0x%lx rip 0x%lx rsp 0x%lx "
               "rbp 0x%lx cr2 0x%lx\n",
               core_index(), fault->vector, fault->error, fault->rip,
               fault->rsp, rbp, cpu_cr2());
    guest_exit(1);
}
