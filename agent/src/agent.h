/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's state, for those who join its stations: tick.c, control.c,
 * pump.c and tprof.c. There is one agent in an image.
 */
#ifndef TPROF_AGENT_H
#define TPROF_AGENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "crc32c.h"
#include "encode.h"
#include "lapic.h"
#include "record.h"
#include "schedule.h"
#include "tprof/tprof.h"

#define TPROF_CPUS_MAX 64u
#define TPROF_STACK_SIZE                                                       \
    4096u /* the kernel's NMI and fault handlers may land */
/* TSC_AUX of core 0; the others follow. Not 0, which it is on a core that did
 * not join, or has left: that one must not be taken for core 0. */
#define TPROF_TSC_AUX_FIRST 0x74707200u

/* A timer that the kernel uses, too: see lending.c. */
struct tprof_lent {
    uint64_t due;    /* TSC: a thorough look; 0: now */
    uint32_t armed;  /* the initial count that we have left there */
    uint32_t unsure; /* 1 + a count of ours, but to rest at its end */
    uint32_t state;
};

/* tprof_cpu.woken: high, so that one comparison of the tick tells it, too. */
#define TPROF_WOKEN (UINT64_MAX << 31)

/*
 * One core. Its stack ends where this begins (isr.S). Written by its own tick,
 * but for (reader), which is the pump's.
 */
struct tprof_cpu {
    struct tprof_schedule schedule;
    uint64_t guard; /* TSC ticks before a deadline that do not matter */
    uint32_t index;
    uint32_t apic_id;
    uint32_t generation; /* of the orders that it follows */
    uint32_t sampling;
    uint32_t put_off;         /* the pump waits for the next interrupt */
    uint32_t countdown;       /* TPROF_TIMER_KERNEL: ticks until the next */
    uint32_t inside;          /* its stack is in use */
    uint32_t reentered;       /* ticks meanwhile: written by those */
    uint32_t reentered_known; /* of those, counted */
    uint64_t woken;           /* TPROF_WOKEN: its timer is to be looked at */
    struct tprof_lent lent;   /* lending.c's */
    _Atomic uint32_t settled; /* generation, for the session to see */
    _Atomic uint32_t started;
    uint64_t saved_tsc_aux;
    struct tprof_reader reader;
    struct tprof_recorder recorder; /* large, so what is seldom used follows */
    _Alignas(64) uint8_t page[64];  /* config.hypervisor's */
};

/*
 * What the host asked for, and what became of it: STATUS's integers, in the
 * order of their tags. Written under the pump's lock, then (generation) grows;
 * each core takes it over at its next tick.
 */
struct tprof_orders {
    uint64_t rate_hz;
    uint64_t depth;
    uint64_t features;      /* 0: none yet */
    uint64_t period;        /* TSC ticks */
    _Atomic uint64_t state; /* enum wire_state; all cores sample or none */
    uint64_t every;   /* TPROF_TIMER_KERNEL: mean number of ticks a sample */
    uint64_t refused; /* enum wire_refusal */
};
_Static_assert(sizeof(struct tprof_orders) == WIRE_CONTROL_ERROR * 8,
               "one for each tag");

/* Counted for the whole agent, in the order of STATS' tags. */
struct tprof_troubles {
    uint64_t device_errors; /* the channel failed for good */
    uint64_t busy;          /* pumps that found every buffer still in use */
    uint64_t unknown_cpu;   /* interrupts on cores not joined (isr.S) */
};

struct tprof_session;

/* Written by tprof_init() only, where nothing else is said. What is used most
 * comes first: see tprof_the_agent(). */
struct tprof_agent {
    struct tprof_lapic lapic;
    uint64_t second;    /* TSC ticks, or a guess: for what need not be exact */
    uint32_t watermark; /* words in a ring that call for the pump */
    uint32_t ready;
    _Atomic uint32_t generation; /* of (orders) */
    _Atomic uint32_t joining;    /* 1: a core is coming or going */
    _Atomic uint32_t looker;     /* the core that looks for a host */
    _Atomic uint64_t pump_due;   /* TSC: time for the pump, watermark or not */
    struct tprof_channel channel;
    struct tprof_config config; /* every default filled in */
    struct tprof_image image;
    struct tprof_bounds bounds;
    uint64_t hello[WIRE_HELLO_READABLE + 1]; /* HELLO's numbers, by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE + 8];  /* and a seed */
    /* map.c's, once there are further images, under the pump's lock: how many
     * there have been, and their MAPs */
    uint32_t maps;
    void (*put_map)(struct tprof_session *s, struct tprof_frame *f);
    struct tprof_cpu *core[TPROF_CPUS_MAX]; /* laid out, joined or not */

    struct tprof_orders orders; /* what the pump has heard */
    struct tprof_crc32c crc;    /* last: it is large */
};

extern struct tprof_agent tprof_agent;

/* 1: a core is at the pump, with interrupts off, and never waits; or at what
 * the pump reads, map.c. */
extern _Atomic uint32_t tprof_pump_lock;

/* It, for functions that use it much: by a register that points to its middle,
 * so that short instructions reach 128 bytes each way. */
static inline struct tprof_agent *tprof_the_agent(void)
{
    uint8_t *middle = (uint8_t *)&tprof_agent + 128;

    TPROF_BASE(middle);
    return (struct tprof_agent *)(void *)(middle - 128);
}

/* What isr.S reads; by core number, unless said otherwise. */
extern struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX]; /* NULL: not joined */
extern uint32_t tprof_cpus;                         /* cores that may join */
extern uint32_t tprof_gs_offset;
extern uint32_t *tprof_hook_stack[TPROF_CPUS_MAX]; /* top; 1 there: in use */
extern uint8_t tprof_apic_to_cpu[256]; /* by APIC id; 0xff: not joined */
extern uintptr_t tprof_apic_registers; /* of the xAPIC; 0: x2APIC */
extern struct tprof_troubles tprof_troubles;
_Static_assert(offsetof(struct tprof_troubles, unknown_cpu) == 16, "isr.S");

/* What the host wants just now: enum wire_state. */
static inline uint64_t tprof_state(void)
{
    return atomic_load_explicit(&tprof_agent.orders.state,
                                memory_order_relaxed);
}

/* (cpu)'s counters, the one that follows from others brought up to date. */
static inline const struct tprof_stats *tprof_counts(struct tprof_cpu *cpu)
{
    struct tprof_stats *c = &cpu->recorder.counts;

    c->samples = c->ticks - c->ring_full - c->reentered;
    return c;
}

#endif
