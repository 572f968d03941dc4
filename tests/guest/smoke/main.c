/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the kit itself: every core starts, knows its number, is woken from
 * hlt by another one's interrupt, and writes whole lines.
 *
 * Options: core=N as which core the last line is printed (default: 0).
 */
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"

#define VECTOR_WAKE 0x40

static atomic_uint awake; /* how many cores took the interrupt */

IDT_ENTRY(wake_entry, wake);

void wake(const struct idt_frame *frame)
{
    (void)frame;
    atomic_fetch_add(&awake, 1);
    lapic_eoi();
}

static void other_main(void)
{
    con_printf("core %u: apic id %u, %05d, %s, 0x%lx\n", core_index(),
               core_apic_id(core_index()), -42, "text", 0xfedcba9876543210ul);
    for (;;)
        cpu_wait();
}

int guest_main(void)
{
    char name[16];
    unsigned count = core_count();

    idt_set_gate(VECTOR_WAKE, wake_entry);
    core_start_others(other_main);
    for (unsigned i = 1; i < count; i++)
        lapic_send(i, VECTOR_WAKE);
    while (atomic_load(&awake) < count - 1)
        cpu_pause();
    con_printf("smoke: %u cores, hello %s\n", count,
               opt_str("name", "nobody", name, sizeof name));
    return 0;
}
