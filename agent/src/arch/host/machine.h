/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine in a process: virtual cores, a clock, a timer and an interrupt for
 * each core. A test, or a collector that samples a guest from outside, sets it
 * up, says which core runs, and delivers interrupts; the agent reaches it
 * through arch.h.
 *
 * All zero is a machine of one core whose clock counts the times that somebody
 * looked at it, and whose memory, devices included, is the process's own. A
 * test that wants more sets (hooks).
 */
#ifndef TPROF_MACHINE_H
#define TPROF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tprof_cpu;
struct tprof_registers;

#define TPROF_MACHINE_CORES 256u

/* What somebody plays. NULL each: what the comment says. */
struct tprof_machine_hooks {
    /* A device register. NULL: a volatile access to memory. */
    uint32_t (*read)(uintptr_t address, uint32_t width);
    void (*write)(uintptr_t address, uint32_t width, uint32_t value);
    /* PCI configuration space. NULL: all ones, and nothing is written. */
    uint32_t (*pci_read)(uint32_t function, uint32_t offset);
    void (*pci_write)(uint32_t function, uint32_t offset, uint32_t value);
    /* Would an access fault? NULL: never. */
    bool (*faults)(uint64_t start, uint64_t size, bool write);
    /* A word of an interrupted stack. NULL: read from memory. */
    uint64_t (*load)(uint64_t address);
    /* Bytes of code. NULL: those at that address. */
    const void *(*text)(uint64_t address, size_t size);
    /* As tprof_arch_slide(). NULL: no. */
    bool (*slide)(uint64_t *slide);
    /* The agent copies or clears memory; NULL: nobody wants to know. */
    void (*touch)(const void *start, size_t size, bool write);
    /* The agent waits for another core, or a device. NULL: a pause. */
    void (*relax)(void);
    /* Pins of devices: is there one, and shall it interrupt (hardware_id)?
     * NULL: there is none. */
    bool (*pin_exists)(uint32_t pin);
    int (*pin_aim)(uint32_t pin, uint32_t vector, uint32_t hardware_id);
    void (*pin_mask)(uint32_t pin);
    /* The agent does what no machine survives; (what) is a sentence. NULL:
     * the process is aborted. */
    void (*broken)(const char *what);
};

struct tprof_machine_core {
    uint32_t hardware_id;
    uint32_t number;       /* that the kernel gives it: TPROF_CPU_GS */
    struct tprof_cpu *cpu; /* joined as; NULL: never, or TSC_AUX is restored */
    bool interrupts_off;
    bool pending;        /* the agent's interrupt was raised, not yet taken */
    bool in_service;     /* taken, not yet ended */
    bool stack_in_use;   /* the agent's stack of this core */
    bool timer_taken;    /* by the kernel: it raises nothing of the agent's */
    bool timer_used;     /* likewise; nor may the agent take it back */
    uint64_t deadline;   /* of the timer; 0: not armed */
    uint32_t interrupts; /* taken */
};

struct tprof_machine {
    const struct tprof_machine_hooks *hooks; /* NULL: none */
    uint64_t now;                            /* the clock */
    uint64_t hz;          /* what the machine tells of it; 0: nothing */
    uint64_t random;      /* what tprof_arch_random() gives */
    uint32_t core;        /* that runs now */
    bool has_crc32c;      /* the CPU has an instruction for it */
    uint32_t start_error; /* of tprof_arch_init(), negated; 0: none */
    struct tprof_machine_core cores[TPROF_MACHINE_CORES];
};

extern struct tprof_machine tprof_machine;

/* The hook of that name, or NULL. */
#define TPROF_MACHINE_HOOK(name)                                               \
    (tprof_machine.hooks ? tprof_machine.hooks->name : NULL)

/* The clock, which counts on at each look: it never stands still. A function,
 * so that what compiles the agent specially does not take it apart. */
uint64_t tprof_machine_look_at_clock(void);

/* Has the running core's timer fired by now, or was it interrupted? Raises the
 * interrupt in the first case. */
bool tprof_machine_wants(void);

/*
 * Takes the running core's pending interrupt, if interrupts are on and none is
 * in service; (r) is what it interrupts. Does what x86_64/isr.S does: finds the
 * core, takes the core's own stack, calls tprof_interrupt(). Returns whether
 * there was one.
 */
bool tprof_machine_interrupt(const struct tprof_registers *r);

/* Raises the agent's interrupt on the core with (hardware_id). */
void tprof_machine_raise(uint32_t hardware_id);

#endif
