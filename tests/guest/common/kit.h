/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kit's files know of each other and their guests need not. */
#ifndef GUEST_KIT_H
#define GUEST_KIT_H

#include <stdint.h>

/* Where physical address 0 is mapped, and all that follows: one to one, but for
 * guests whose boot.S does otherwise. */
#ifndef GUEST_DIRECT_MAP
#define GUEST_DIRECT_MAP 0
#endif

/* boot.S */
extern uint64_t boot_info;           /* physical address of PVH's start info */
extern uint64_t boot_stack;          /* rsp of the core that starts next */
extern void (*boot_entry)(void);     /* what it calls */
extern uint64_t boot_pd[2048];       /* one entry per 2 MiB of memory */
extern const char boot_trampoline[]; /* to be copied below 1 MiB */
extern const char boot_trampoline_end[];

/* trap.S */
extern void (*const trap_entries[32])(void);

/* guest.c; called by boot.S */
void guest_boot(void);

/* The order of start-up on core 0; core_init() and idt_load() on each core. */
void opt_init(void);
void con_init(void);
void core_init(unsigned index);
void idt_init(void);
void idt_load(void);

/* lapic.c: the calling core's local APIC, and raw commands to others */
void lapic_init(void);
uint32_t lapic_id(void);
void lapic_command(uint32_t apic_id, uint32_t command);

/* The console from here on ignores its lock: somebody died holding it. */
void con_panic(void);

#endif
