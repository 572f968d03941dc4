/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples by NMI. An NMI may interrupt any instruction, also one of the agent's
 * own tick. So the NMI has a stack and a slot of its own on each core. It only
 * writes the interrupted place and its callers into the slot's ring. The next
 * tick of that core takes the entries out of the slot, and makes samples of
 * them.
 *
 * A kick is a deadline at which a core must be sampled. The sender counts kicks
 * before it sends the NMI, and the NMI takes all kicks that were counted. So
 * NMIs that were merged on their way are known: the sample's weight is the
 * number of its kicks. On each core
 *
 *   kicks = samples + kicks that further samples cover + lost kicks
 */
#ifndef TPROF_NMI_SLOT_H
#define TPROF_NMI_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "state/agent.h"

#define TPROF_NMI_WORDS 1024u /* of a slot's ring */

/* The slot of one core. Its stack ends where this struct begins. The NMI writes
 * it, except where a comment says otherwise. */
struct tprof_nmi_slot {
    /* 1: the slot's stack is in use. First, where nmi.S finds it. */
    uint32_t busy;
    uint32_t nested; /* NMIs that came meanwhile */
    struct tprof_cpu *cpu;
    /* Written by the core that kicks: (sent) counts NMIs, and then (kicks)
     * grows. Release in send_kick(); acquire in tprof_nmi_take(). */
    _Atomic uint64_t sent, kicks;
    uint64_t sent_seen, kicks_seen; /* as the last NMI has read both */
    /* 1: the kicks of one more NMI are taken, and that NMI may still come. */
    uint32_t credit;
    uint64_t time; /* of the last NMI that found a kick */
    /* Clock ticks in NMIs, and kicks that were lost because the ring was full.
     * The tick reads both, and begins again with 0. Relaxed, as all fields that
     * only NMI and tick of one core use. */
    _Atomic uint64_t cost, lost;
    /* Kicks that belong to no session, less deadlines for which the core's tick
     * took the sample itself. Written by the tick, too, while the core
     * does not sample. */
    _Atomic uint64_t outside;
    /* Name of the last entry's stack; 0: none. The tick clears it. */
    _Atomic uint64_t last;
    struct tprof_span span;
    struct tprof_chain chain;
    struct tprof_ring ring;
    uint64_t words[TPROF_NMI_WORDS];
};

/* Calls from the rest of the agent, so that only a kernel that names tprof_nmi
 * links this folder. Interrupts are off. */
struct tprof_nmi {
    /* Does (config) suit NMIs? */
    bool (*suits)(const struct tprof_config *config);
    /* Prepares the slot of (cpu), in TPROF_ARCH_SPARE() bytes at (spare). */
    void (*lay_out)(struct tprof_cpu *cpu, uint8_t *spare);
    /* Makes this core, which is (cpu), ready for NMIs. Returns TPROF_OK,
     * TPROF_ERR_IDT, or TPROF_ERR_VECTOR_TAKEN: this core has another NMI
     * handler than the first core. */
    int (*join)(struct tprof_cpu *cpu);
    /* A tick of (cpu) that covers (weight) deadlines. Makes samples of some
     * entries, and kicks the next core. Returns false if no other core samples:
     * the tick must be a sample. */
    bool (*tick)(struct tprof_cpu *cpu, uint64_t weight);
    /* Before (cpu) follows new orders: makes samples of some entries. Returns
     * true if no entry is left. */
    bool (*settle)(struct tprof_cpu *cpu);
    /* Returns the kicks of (cpu) that belong to sessions. Any core may call it.
     */
    uint64_t (*kicks)(const struct tprof_cpu *cpu);
};

/* A tick of (cpu) that covers (weight) deadlines. Returns true if the tick has
 * kicked another core, and is no sample. */
static inline bool tprof_nmi_kick(struct tprof_cpu *cpu, uint64_t weight)
{
    const struct tprof_nmi *nmi = tprof_agent.config.nmi;

    return nmi && nmi->tick(cpu, weight);
}

/* Called before (cpu) follows new orders. Returns true if it can follow them.
 */
static inline bool tprof_nmi_settle(struct tprof_cpu *cpu)
{
    const struct tprof_nmi *nmi = tprof_agent.config.nmi;

    return !nmi || nmi->settle(cpu);
}

/* The NMI of the core with slot (s), on the slot's stack. (trap), and (fp) as
 * the frame pointer, are of the interrupted code. Returns 0 if the agent has
 * not caused this NMI. */
TPROF_ARCH_CALL uint32_t tprof_nmi_take(struct tprof_nmi_slot *s,
                                        const struct tprof_arch_trap *trap,
                                        uint64_t fp);

/* By core index: read by nmi.S. */
extern struct tprof_nmi_slot *tprof_nmi_slots[];

#endif
