/* SPDX-License-Identifier: BSD-2-Clause */
/* Where C begins on core 0, and where the machine ends. */
#include "guest.h"

#include "cpu.h"
#include "kit.h"

/*
 * QEMU's isa-debug-exit ends with 2 * value + 1. 1 is also what QEMU says of
 * troubles of its own, so success is 0x10: exit status 33. See ../boot.
 */
#define EXIT_PORT    0xf4
#define EXIT_SUCCESS 0x10
#define EXIT_FAILURE 0x11

void guest_boot(void)
{
    opt_init();
    con_init();
    core_init(0);
    idt_init();
    guest_exit(guest_main());
}

_Noreturn void guest_exit(int status)
{
    cpu_out32(EXIT_PORT, status == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    for (;;) { /* no such device: stay silent rather than run on */
        cpu_irq_disable();
        __asm__ volatile("hlt");
    }
}

_Noreturn void guest_fail(const char *what)
{
    con_printf("failed: %s\n", what);
    guest_exit(1);
}
