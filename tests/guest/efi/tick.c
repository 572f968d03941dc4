/* SPDX-License-Identifier: BSD-2-Clause */
#include "tick.h"

#include "cpu.h"

#define APIC(reg)      ((volatile uint32_t *)(uintptr_t)(0xfee00000u + (reg)))
#define APIC_ID        0x20u
#define APIC_LVT_TIMER 0x320u
#define LVT_MASKED     (1u << 16)
#define APIC_INITIAL   0x380u

#define IOAPIC(reg)    ((volatile uint32_t *)(uintptr_t)(0xfec00000u + (reg)))
#define IOAPIC_SELECT  0x00u
#define IOAPIC_WINDOW  0x10u
#define IOAPIC_PIN_PIT 2u /* on PCs, by the MADT's usual override */
#define IOAPIC_MASKED  (1u << 16)

#define PIT_CHANNEL_0 0x40
#define PIT_COMMAND   0x43
#define PIT_RATE      0x34 /* channel 0, both bytes, mode 2 */
#define PIT_10_MS     11932u

static void route(uint32_t low, uint32_t high)
{
    *IOAPIC(IOAPIC_SELECT) = 0x11 + 2 * IOAPIC_PIN_PIT;
    *IOAPIC(IOAPIC_WINDOW) = high;
    *IOAPIC(IOAPIC_SELECT) = 0x10 + 2 * IOAPIC_PIN_PIT;
    *IOAPIC(IOAPIC_WINDOW) = low;
}

void tick_move_firmware(void)
{
    uint32_t lvt = *APIC(APIC_LVT_TIMER);

    if (lvt & LVT_MASKED)
        return; /* it has another one */
    cpu_out8(PIT_COMMAND, PIT_RATE);
    cpu_out8(PIT_CHANNEL_0, PIT_10_MS & 0xff);
    cpu_out8(PIT_CHANNEL_0, PIT_10_MS >> 8);
    route(lvt & 0xff, *APIC(APIC_ID));
    *APIC(APIC_INITIAL) = 0;
    *APIC(APIC_LVT_TIMER) = LVT_MASKED;
}

void tick_end(void)
{
    route(IOAPIC_MASKED, 0);
}
