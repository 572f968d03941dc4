/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine in a process: virtual cores, a clock, and for each core a timer and
 * an interrupt. A test, or a collector that samples a guest from outside, sets
 * the machine up, chooses the core that runs, and delivers interrupts. The
 * agent reaches the machine through arch.h.
 *
 * A machine that is all 0 has one core. Its clock counts the reads of the
 * clock, and its memory, devices included, is the process's own. A test gives
 * the machine further abilities by (hooks).
 */
#ifndef TPROF_MACHINE_H
#define TPROF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tprof_cpu;
struct tprof_registers;

#define TPROF_MACHINE_CORES 256u

/* Functions that replace parts of the machine. NULL: as each comment says. */
struct tprof_machine_hooks {
    /* Access a device register. NULL: a volatile access to memory. */
    uint32_t (*read)(uintptr_t address, uint32_t width);
    void (*write)(uintptr_t address, uint32_t width, uint32_t value);
    /* Access PCI configuration space. NULL: reads return all ones, writes do
     * nothing. */
    uint32_t (*pci_read)(uint32_t function, uint32_t offset);
    void (*pci_write)(uint32_t function, uint32_t offset, uint32_t value);
    /* Would an access fault? NULL: never. */
    bool (*faults)(uint64_t start, uint64_t size, bool write);
    /* Returns a word of an interrupted stack. NULL: read from memory. */
    uint64_t (*load)(uint64_t address);
    /* Returns the place of code. NULL: (address) itself. */
    const void *(*text)(uint64_t address, size_t size);
    /* As tprof_arch_slide(). NULL: returns false. */
    bool (*slide)(uint64_t *slide);
    /* Called before the agent copies or clears memory. NULL: no call. */
    void (*touch)(const void *start, size_t size, bool write);
    /* Called while the agent waits for another core or a device. NULL: a pause.
     */
    void (*relax)(void);
    /* Called in the entry of an interrupt that has found the core, but has not
     * touched it: other cores may run. NULL: no call. */
    void (*entered)(void);
    /* Pins of devices: does (pin) exist; make it interrupt (hardware_id); mask
     * it. NULL: there are no pins. */
    bool (*pin_exists)(uint32_t pin);
    int (*pin_aim)(uint32_t pin, uint32_t vector, uint32_t hardware_id);
    void (*pin_mask)(uint32_t pin);
    /* Sends an NMI to the core with (hardware_id). NULL: it is lost. */
    void (*nmi)(uint32_t hardware_id);
    /* Called when the agent does something that no machine survives. (what) is
     * a sentence. NULL: the process is aborted. */
    void (*broken)(const char *what);
};

struct tprof_machine_core {
    uint32_t hardware_id;
    uint32_t number; /* given by the kernel: TPROF_CPU_GS */
    /* The core that has joined here. NULL: none, or TSC_AUX is the kernel's
     * again. */
    struct tprof_cpu *cpu;
    bool interrupts_off;
    bool pending;      /* the agent's interrupt is raised, not yet taken */
    bool in_service;   /* taken, not yet ended */
    bool stack_in_use; /* the agent's stack of this core is in use */
    /* The kernel has taken the timer, so the timer raises no interrupt of the
     * agent's. */
    bool timer_taken;
    /* The kernel uses the timer, so the agent may not take it back. */
    bool timer_used;
    uint64_t deadline;   /* of the timer; 0: not armed */
    uint32_t interrupts; /* taken */
};

struct tprof_machine {
    const struct tprof_machine_hooks *hooks; /* NULL: none */
    uint64_t now;                            /* ticks of the clock */
    uint64_t hz;          /* its rate, as the machine reports it; or 0 */
    uint64_t random;      /* the result of tprof_arch_random() */
    uint32_t core;        /* the core that runs now */
    bool has_crc32c;      /* the CPU has an instruction for it */
    uint8_t wire_arch;    /* as HELLO names it: WIRE_ARCH_*; 0: x86-64 */
    uint32_t start_error; /* error of tprof_arch_init(), negated; 0: none */
    struct tprof_machine_core cores[TPROF_MACHINE_CORES];
};

/* A test with a thread for each core defines this as _Thread_local. Each thread
 * then has a machine of its own, with its own clock. */
#ifndef TPROF_MACHINE_LOCAL
#define TPROF_MACHINE_LOCAL
#endif
extern TPROF_MACHINE_LOCAL struct tprof_machine tprof_machine;

/* Returns the hook of that name, or NULL. */
#define TPROF_MACHINE_HOOK(name)                                               \
    (tprof_machine.hooks ? tprof_machine.hooks->name : NULL)

/* Reads the clock, which advances at each read. Not inline, because the
 * simulation instruments the agent's own code. */
uint64_t tprof_machine_look_at_clock(void);

/* Has the running core's timer fired by now, or is its interrupt pending? If
 * the timer has fired, raises the interrupt. */
bool tprof_machine_wants(void);

/*
 * Takes the running core's pending interrupt, if interrupts are on and none is
 * in service. (r) is the interrupted code. Takes the steps of x86_64/isr.S:
 * finds the core, takes the core's own stack, calls tprof_interrupt(). Returns
 * whether an interrupt was taken.
 */
bool tprof_machine_interrupt(const struct tprof_registers *r);

/* Raises the agent's interrupt on the core with (hardware_id). */
void tprof_machine_raise(uint32_t hardware_id);

#endif
