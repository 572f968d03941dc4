/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local APIC registers: Intel SDM volume 3, "Advanced Programmable Interrupt
 * Controller". Register r is at 16 r in the xAPIC's page, and MSR 800h + r of
 * the x2APIC.
 */
#ifndef TPROF_LAPIC_REGS_H
#define TPROF_LAPIC_REGS_H

#define LAPIC_ID               0x02u /* r   xAPIC: in bits 24-31 */
#define LAPIC_EOI              0x0bu /* w */
#define LAPIC_SPURIOUS         0x0fu /* rw */
#define LAPIC_ENABLED          (1u << 8)
#define LAPIC_ICR_LOW          0x30u /* rw  writing it sends; x2APIC: 64 bits */
#define LAPIC_ICR_FIXED        (1u << 14) /* fixed delivery, level assert */
#define LAPIC_ICR_NMI          (1u << 14 | 4u << 8)
#define LAPIC_ICR_BUSY         (1u << 12)
#define LAPIC_ICR_HIGH         0x31u /* rw  destination in bits 24-31 */
#define LAPIC_LVT_TIMER        0x32u /* rw */
#define LAPIC_LVT_VECTOR       0xffu
#define LAPIC_LVT_MASKED       (1u << 16)
#define LAPIC_LVT_PENDING      (1u << 12) /* r */
#define LAPIC_LVT_ONE_SHOT     (0u << 17)
#define LAPIC_LVT_PERIODIC     (1u << 17)
#define LAPIC_LVT_TSC_DEADLINE (2u << 17)
#define LAPIC_LVT_MODE         (3u << 17)
#define LAPIC_TIMER_INITIAL    0x38u /* rw  0 stops the timer */
#define LAPIC_TIMER_CURRENT    0x39u /* r */
#define LAPIC_TIMER_DIVIDE     0x3eu /* rw */
#define LAPIC_DIVIDE_BY_1      0xbu

#define LAPIC_SIZE 0x1000 /* of an xAPIC with all registers, in bytes */

/* MSR_APIC_BASE */
#define APIC_BASE_ENABLED (1u << 11)
#define APIC_BASE_X2APIC  (1u << 10)
#define APIC_BASE_ADDRESS (~(uint64_t)0xfff) /* higher bits are 0 */

#endif
