/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing the IDT that is loaded. */
#include "gate.h"

#include "mem.h"
#include "tprof/tprof.h"

#define GATE_SIZE      16u
#define GATE_OFFSET_0  0u /* bits 0-15 of the handler */
#define GATE_SELECTOR  2u
#define GATE_IST       4u
#define GATE_TYPE      5u
#define GATE_PRESENT   0x80u
#define GATE_INTERRUPT 0x8eu /* present, ring 0, interrupts off */
#define GATE_OFFSET_16 6u    /* bits 16-31 */
#define GATE_OFFSET_32 8u
#define FIRST_VECTOR   32u

/* The gate of (vector), or NULL beyond the table's end. */
static uint8_t *gate_at(uint32_t vector)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    if ((vector + 1) * GATE_SIZE - 1 > idt.limit)
        return NULL;
    return (uint8_t *)(uintptr_t)idt.base + vector * GATE_SIZE;
}

uint32_t tprof_gate_find(uint32_t below)
{
    for (uint32_t vector = below - 1; vector >= FIRST_VECTOR; vector--) {
        const uint8_t *gate = gate_at(vector);

        if (gate && !(gate[GATE_TYPE] & GATE_PRESENT))
            return vector;
    }
    return 0;
}

static uint64_t handler_of(const uint8_t *gate)
{
    return tprof_load16(gate + GATE_OFFSET_0) |
           (uint64_t)tprof_load16(gate + GATE_OFFSET_16) << 16 |
           (uint64_t)tprof_load32(gate + GATE_OFFSET_32) << 32;
}

int tprof_gate_install(uint32_t vector, void (*entry)(void))
{
    uint8_t *gate = gate_at(vector);
    uint64_t handler = (uintptr_t)entry;
    uint16_t selector;

    if (!gate)
        return TPROF_ERR_VECTOR;
    if (gate[GATE_TYPE] & GATE_PRESENT)
        return handler_of(gate) == handler ? TPROF_OK : TPROF_ERR_VECTOR;
    __asm__("movw %%cs, %0" : "=r"(selector));
    tprof_store16(gate + GATE_OFFSET_0, (uint16_t)handler);
    tprof_store16(gate + GATE_SELECTOR, selector);
    gate[GATE_IST] = 0;
    tprof_store16(gate + GATE_OFFSET_16, (uint16_t)(handler >> 16));
    tprof_store64(gate + GATE_OFFSET_32, handler >> 32);
    /* last: from here on the gate is there */
    __atomic_store_n(&gate[GATE_TYPE], (uint8_t)GATE_INTERRUPT,
                     __ATOMIC_RELEASE);
    return TPROF_OK;
}
