/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This core's local APIC: its timer, end of interrupt, and interrupts to other
 * cores. Every register access is a VM exit, unless the CPU helps the
 * hypervisor. A tick makes two accesses: tprof_lapic_arm() and
 * tprof_lapic_eoi().
 */
#ifndef TPROF_LAPIC_H
#define TPROF_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu.h"
#include "time/lapic_regs.h"

/* The way to program the timer, the same for all cores */
struct tprof_lapic {
    uintptr_t registers; /* xAPIC; 0: x2APIC */
    uintptr_t one_shot;  /* of an xAPIC whose timer counts down; else 0 */
    bool usable;         /* tprof_lapic_init() has found the APIC */
    bool deadline;       /* the timer compares with the TSC itself */
    bool take;           /* config.take_timer */
    uint8_t vector;
    uint64_t per_tsc; /* timer counts per TSC tick, x 2^32 */
};

/* The agent's local APIC. Written by tprof_arch_init() only; for an exception
 * see timer_lend.c. */
extern struct tprof_lapic tprof_lapic;

/* Does the kernel use this core's timer, which (l) reaches? True if the timer
 * has another vector than the agent's, and is not masked. Always false with
 * config.take_timer. A masked timer that counts is not in use: kernels leave
 * one behind after a measurement. */
bool tprof_lapic_is_used(const struct tprof_lapic *l);

/*
 * Finds the local APIC, and whether its timer has TSC deadlines. (address) is
 * the virtual address of its registers; 0: the address that the CPU reports.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_APIC, _APIC_OFF or _APIC_UNMAPPED;
 * TPROF_ERR_TIMER_TAKEN: the APIC is usable, and the kernel uses the timer.
 */
int tprof_lapic_init(struct tprof_lapic *l, uint64_t address);

/* Checks the calling core's local APIC: it works as (l) does, is enabled, and
 * the kernel does not use its timer. Returns the values of tprof_lapic_init().
 */
int tprof_lapic_check(const struct tprof_lapic *l, uint64_t address);

/*
 * Measures (per_tsc) on this core. Takes about a million TSC ticks, or a few
 * times that on a busy host. If the kernel polls a count meanwhile, that count
 * continues afterwards, and takes longer by the time of the measurement.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_TIMER: the timer does not count.
 */
int tprof_lapic_measure(struct tprof_lapic *l);

/* Returns this core's APIC id; 0 if no APIC is usable, and so there is one
 * core. */
uint32_t tprof_lapic_id(const struct tprof_lapic *l);

/* Gives this core's timer the agent's vector, and stops it. */
void tprof_lapic_claim(const struct tprof_lapic *l);

/* Stops this core's timer and masks it, unless the kernel uses the timer. */
void tprof_lapic_release(const struct tprof_lapic *l);

/* Interrupts the core with (apic_id) at the agent's vector. */
void tprof_lapic_send(const struct tprof_lapic *l, uint32_t apic_id);

/* Sends an NMI to the core with (apic_id). */
void tprof_lapic_send_nmi(const struct tprof_lapic *l, uint32_t apic_id);

/* Returns the address of register (reg) of the xAPIC at (registers). */
TPROF_HOT volatile uint32_t *tprof_lapic_at(uintptr_t registers, uint32_t reg)
{
    return (volatile uint32_t *)(registers + 16 * reg);
}

/* Not inline: there are many calls, and each would need code for both kinds of
 * APIC. */
__attribute__((noinline)) uint32_t tprof_lapic_read(const struct tprof_lapic *l,
                                                    uint32_t reg);
__attribute__((noinline)) void tprof_lapic_write(const struct tprof_lapic *l,
                                                 uint32_t reg, uint32_t value);

static inline void tprof_lapic_eoi(const struct tprof_lapic *l)
{
    tprof_lapic_write(l, LAPIC_EOI, 0);
}

/* Arms the timer for TSC (deadline). A deadline in the past fires at once; 0
 * stops the timer. Returns the initial count that is in the timer now; 0 if the
 * timer compares with the TSC. */
uint32_t tprof_lapic_arm(const struct tprof_lapic *l, uint64_t deadline);

/* The short way to end a tick: arms the timer for (left) TSC ticks, below 2^31,
 * and ends the interrupt. (one_shot) is (l->one_shot), and not 0. */
TPROF_HOT void tprof_lapic_end_tick(const struct tprof_lapic *l,
                                    uintptr_t one_shot, uint64_t left)
{
    /* The product fits, because such a timer counts no faster than the TSC. The
     * count is never 0, which would stop the timer. */
    *tprof_lapic_at(one_shot, LAPIC_TIMER_INITIAL) =
        (uint32_t)(left * l->per_tsc >> 32) + 1;
    *tprof_lapic_at(one_shot, LAPIC_EOI) = 0;
}

#endif
