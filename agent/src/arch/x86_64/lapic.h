/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This core's local APIC: its timer, end of interrupt, and interrupts to other
 * cores. Every register access is a VM exit where the hypervisor has no help
 * from the CPU: a tick makes two, tprof_lapic_arm() and tprof_lapic_eoi().
 */
#ifndef TPROF_LAPIC_H
#define TPROF_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "cpu.h"
#include "lapic_regs.h"

/* How the timer is programmed, the same for all cores. */
struct tprof_lapic {
    uintptr_t registers; /* xAPIC; 0: x2APIC */
    uintptr_t one_shot;  /* xAPIC whose timer counts down: registers; else 0 */
    bool usable;         /* tprof_lapic_init() has found it */
    bool deadline;       /* the timer compares with the TSC itself */
    bool take;           /* config.take_timer */
    uint8_t vector;
    uint64_t per_tsc; /* timer counts per TSC tick, x 2^32 */
};

/* The agent's local APIC. Written by tprof_arch_init() only, but see
 * timer_lend.c. */
extern struct tprof_lapic tprof_lapic;

/* Does the kernel use this core's timer, which (l) reaches: has the timer a
 * vector that is not the agent's, and is not masked? With config.take_timer it
 * never does. A masked count is no use: kernels leave one behind when they have
 * measured. */
bool tprof_lapic_is_used(const struct tprof_lapic *l);

/* Finds the local APIC, and whether its timer can do TSC deadlines. (address)
 * is that of its registers; 0: where the CPU says. Returns TPROF_OK,
 * TPROF_ERR_APIC, _APIC_OFF or _APIC_UNMAPPED; or TPROF_ERR_TIMER_TAKEN, if it
 * is usable, and the kernel uses the timer. */
int tprof_lapic_init(struct tprof_lapic *l, uint64_t address);

/* Does the calling core's local APIC work as (l) does, and has software enabled
 * it? And does the kernel not use the timer? Returns as tprof_lapic_init(), or
 * TPROF_ERR_TIMER_TAKEN. */
int tprof_lapic_check(const struct tprof_lapic *l, uint64_t address);

/* Measures (per_tsc) on this core, in about a million TSC ticks, or a few times
 * that on a busy host. A count that the kernel polls goes on where it was, and
 * takes longer by as much. Returns TPROF_OK, or TPROF_ERR_TIMER: the timer does
 * not count. */
int tprof_lapic_measure(struct tprof_lapic *l);

/* This core's APIC id; 0 where there is no usable APIC, and so one core. */
uint32_t tprof_lapic_id(const struct tprof_lapic *l);

/* Gives this core's timer the agent's vector, and stops it. */
void tprof_lapic_claim(const struct tprof_lapic *l);

/* Stops this core's timer and masks it, unless the kernel uses the timer. */
void tprof_lapic_release(const struct tprof_lapic *l);

/* Interrupts the core with (apic_id) at the agent's vector. */
void tprof_lapic_send(const struct tprof_lapic *l, uint32_t apic_id);

/* Register (reg) of the xAPIC at (registers). */
TPROF_HOT volatile uint32_t *tprof_lapic_at(uintptr_t registers, uint32_t reg)
{
    return (volatile uint32_t *)(registers + 16 * reg);
}

/* Neither is inline: there are many calls, and each would be two ways. */
__attribute__((noinline)) uint32_t tprof_lapic_read(const struct tprof_lapic *l,
                                                    uint32_t reg);
__attribute__((noinline)) void tprof_lapic_write(const struct tprof_lapic *l,
                                                 uint32_t reg, uint32_t value);

static inline void tprof_lapic_eoi(const struct tprof_lapic *l)
{
    tprof_lapic_write(l, LAPIC_EOI, 0);
}

/* Arms the timer for TSC (deadline). One that is over means at once; 0 means
 * not at all. Returns the initial count that is in the timer now; 0 where the
 * timer compares with the TSC. */
uint32_t tprof_lapic_arm(const struct tprof_lapic *l, uint64_t deadline);

/* The short way to end a tick: arms the timer for (left) TSC ticks, below 2^31,
 * and ends the interrupt. (one_shot) is (l->one_shot), and not 0. */
TPROF_HOT void tprof_lapic_end_tick(const struct tprof_lapic *l,
                                    uintptr_t one_shot, uint64_t left)
{
    /* The product fits, since such a timer counts no faster than the TSC. The
     * count is never 0, which would stop the timer. */
    *tprof_lapic_at(one_shot, LAPIC_TIMER_INITIAL) =
        (uint32_t)(left * l->per_tsc >> 32) + 1;
    *tprof_lapic_at(one_shot, LAPIC_EOI) = 0;
}

#endif
