/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt gates of the calling core's IDT */
#include "gate.h"

#include "arch/arch.h"
#include "base/mem.h"
#include "probe.h"

#define GATE_SIZE      16u
#define GATE_OFFSET_0  0u /* bits 0-15 of the handler */
#define GATE_SELECTOR  2u
#define GATE_TYPE_IST  4u
#define GATE_PRESENT   0x8000u
#define GATE_IST       0x0007u
#define GATE_INTERRUPT 0x8e00u /* present, ring 0, interrupts off; no IST */
#define GATE_OFFSET_16 6u      /* bits 16-63; two bytes that are 0 follow */

#define VECTOR_PROTECTION 13u
#define VECTOR_PAGE_FAULT 14u
#define FIRST_VECTOR      32u

/* The IDT of the calling core, as tprof_probe_begin() has found it, and a copy
 * of its exception gates, in use while probe.S runs */
struct tprof_idt tprof_kernel_idt, tprof_probe_idt;
static uint8_t probe_gates[FIRST_VECTOR * GATE_SIZE];

/* Is the loaded table not an IDT, but the real-mode table of firmware or of a
 * reset? */
static int is_no_table(const struct tprof_idt *idt)
{
    return idt->base == 0 && idt->limit >> 8 != 0x0f;
}

/* Returns the gate of (vector), or NULL after the table's end. */
static uint8_t *gate_at(uint32_t vector)
{
    uint32_t offset = vector * GATE_SIZE;

    if (offset + GATE_SIZE - 1 > tprof_kernel_idt.limit ||
        is_no_table(&tprof_kernel_idt))
        return NULL;
    return (uint8_t *)(uintptr_t)tprof_kernel_idt.base + offset;
}

int tprof_gate_find(uint32_t below)
{
    for (uint32_t vector = below - 1; vector >= FIRST_VECTOR; vector--) {
        const uint8_t *gate = gate_at(vector);

        if (gate && !(tprof_load16(gate + GATE_TYPE_IST) & GATE_PRESENT))
            return (int)vector;
    }
    return gate_at(FIRST_VECTOR) ? TPROF_ERR_VECTOR : TPROF_ERR_IDT;
}

static uint64_t handler_of(const uint8_t *gate)
{
    return tprof_load16(gate + GATE_OFFSET_0) |
           tprof_load64(gate + GATE_OFFSET_16) << 16;
}

static void point_gate(uint8_t *gate, void (*entry)(void))
{
    uint64_t handler = (uintptr_t)entry;
    uint16_t selector;

    __asm__("movw %%cs, %0" : "=r"(selector));
    tprof_store16(gate + GATE_OFFSET_0, (uint16_t)handler);
    tprof_store16(gate + GATE_SELECTOR, selector);
    tprof_store64(gate + GATE_OFFSET_16, handler >> 16);
    /* last: this makes the gate present */
    __asm__ volatile("" : : : "memory");
    tprof_store16(gate + GATE_TYPE_IST, GATE_INTERRUPT);
}

int tprof_gate_install(uint32_t vector, void (*entry)(void))
{
    uint8_t *gate = gate_at(vector);

    if (!gate)
        return TPROF_ERR_IDT;
    if (tprof_load16(gate + GATE_TYPE_IST) & GATE_PRESENT)
        return handler_of(gate) == (uintptr_t)entry ? TPROF_OK
                                                    : TPROF_ERR_VECTOR_TAKEN;
    if (tprof_probe_faults((uintptr_t)gate, GATE_SIZE, 1))
        return TPROF_ERR_IDT;
    point_gate(gate, entry);
    return TPROF_OK;
}

int tprof_gate_share(uint32_t vector, void (*entry)(void), uint64_t *old)
{
    uint64_t handler = (uintptr_t)entry;
    uint8_t *gate = gate_at(vector);

    if (!gate || tprof_probe_faults((uintptr_t)gate, GATE_SIZE, 1))
        return TPROF_ERR_IDT;
    if (handler_of(gate) == handler)
        return TPROF_OK;
    uint64_t low = tprof_load64(gate);
    uint16_t type = (uint16_t)(low >> 8 * GATE_TYPE_IST);

    *old = type & GATE_PRESENT ? handler_of(gate) : 0;
    if (!*old) { /* an NMI would end the kernel anyway */
        point_gate(gate, entry);
        return TPROF_OK;
    }
    low = (handler & 0xffff) | (low & 0xffffffff0000u) |
          (handler >> 16 & 0xffff) << 8 * GATE_OFFSET_16;
    /* the upper half first: both handlers are in one image, as a rule, and have
     * the same upper half */
    tprof_store64(gate + 8, handler >> 32);
    __asm__ volatile("movq %0, (%1)" : : "r"(low), "r"(gate) : "memory");
    return TPROF_OK;
}

bool tprof_gate_has_stack(uint32_t vector)
{
    const uint8_t *gate = gate_at(vector);

    return gate && (tprof_load16(gate + GATE_TYPE_IST) & GATE_IST) != 0;
}

int tprof_gate_take(uint32_t vector, void (*entry)(void))
{
    uint8_t *gate = gate_at(vector);

    /* the agent's own gate stays present: other cores may share this IDT, and
     * sample already */
    if (gate && handler_of(gate) != (uintptr_t)entry &&
        !tprof_probe_faults((uintptr_t)gate, GATE_SIZE, 1))
        tprof_store16(gate + GATE_TYPE_IST, 0);
    return tprof_gate_install(vector, entry);
}

void tprof_probe_begin(void)
{
    uint8_t *lower = probe_gates + VECTOR_PROTECTION * GATE_SIZE;

    __asm__ volatile("sidt %0" : "=m"(tprof_kernel_idt));
    tprof_probe_idt.limit = sizeof probe_gates - 1;
    tprof_probe_idt.base = (uintptr_t)probe_gates;
    /* a shorter IDT was never loaded, or has no gates for exceptions */
    if (gate_at(FIRST_VECTOR - 1))
        tprof_arch_copy(probe_gates, gate_at(0), sizeof probe_gates);
    point_gate(lower, tprof_probe_fault);
    point_gate(lower + GATE_SIZE, tprof_probe_fault);
}
_Static_assert(VECTOR_PAGE_FAULT == VECTOR_PROTECTION + 1, "neighbours");
