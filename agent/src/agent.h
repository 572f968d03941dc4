/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's state. The files that join its stations share it: tick.c,
 * control.c, pump.c, setup.c, tprof.c, map.c, progress.c, notice.c, and arch/.
 * There is one agent in an image.
 */
#ifndef TPROF_AGENT_H
#define TPROF_AGENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "crc32c.h"
#include "encode.h"
#include "record.h"
#include "schedule.h"
#include "tprof/tprof.h"

#define TPROF_CPUS_MAX 256u

/* Bytes of a core's stack. The kernel's NMI and fault handlers may run on it.
 */
#define TPROF_STACK_SIZE 4096u

/* A tick that is early by up to this part of a period is on time. */
#define TPROF_EARLY 64u

/* tprof_cpu.guard: no interrupt is a tick unless tprof_arch_is_tick() says so.
 */
#define TPROF_GUARD_ASK (UINT64_MAX << 62)

/* One core. Its stack ends where this struct begins (arch/). Only the core's
 * own tick writes it, except where a comment says otherwise. */
struct tprof_cpu {
    /* 1: the core's stack is in use. First, where isr.S finds it. */
    uint32_t inside;
    /* Interrupts and ticks that came while the core's stack was in use, since a
     * hook had switched interrupts on. Whoever uses the stack counts them when
     * the hook has returned (tick.c). */
    uint32_t reentered;

    struct tprof_schedule schedule;
    uint64_t guard; /* clock ticks before a deadline that do not matter */
    uint32_t index;
    uint32_t hardware_id;
    /* WIRE_STATS_* that arch/ has found. Relaxed: the pump tells an old value
     * once more. */
    _Atomic uint32_t facts;
    uint32_t generation; /* of the orders (below) that this core follows */

    /* 1: the core samples. Other cores read this, relaxed: if they see an old
     * value they wake the core once too often, or at their next look. */
    _Atomic uint32_t sampling;

    uint32_t pump_deferred; /* 1: the pump waits for the next interrupt */
    uint32_t countdown;     /* TPROF_TIMER_KERNEL: kernel's ticks to a sample */
    uint32_t looks;         /* 1: the timer was armed to look for a host */

    /* TPROF_WOKEN, TPROF_DOUBT, both, or 0. The core that wakes this one sets
     * it (pump.c, and arch/ where timers are lent); this core clears it.
     * Relaxed: this core reads it in the interrupt that the other core sends
     * after setting it. */
    _Atomic uint64_t woken;

    struct tprof_arch_core arch;

    /* Release in apply_orders(), tick.c; acquire in tprof_follows(): a core's
     * records are in its ring by then. */
    _Atomic uint32_t orders_seen;

    /* Release in join_core() and tprof_stop_cpu(), tprof.c; acquire in
     * give_orders(), control.c. */
    _Atomic uint32_t started;

    struct tprof_reader reader; /* the pump's */
    struct tprof_recorder recorder;
    _Alignas(64) uint8_t page[64]; /* config.hypervisor's */
};
_Static_assert(offsetof(struct tprof_cpu, inside) == 0, "as isr.S has it");

/* tprof_cpu.woken: high bits. A tick compares the time to its next deadline
 * with 2^31, and or's this in, so one comparison tells both. */
#define TPROF_WOKEN (UINT64_MAX << 31)
/* Its low bit: this core's interrupt need not be its timer's, or may be late,
 * so that the kernel may use the timer by now. Set by this core. */
#define TPROF_DOUBT 1u

/*
 * What the host has asked for, and what the agent makes of it. Written under
 * the pump's lock; then tprof_agent.generation grows, and each core takes the
 * orders over at its next tick. A core may read while the pump writes. Then one
 * more generation follows, and the core reads again.
 */
struct tprof_orders {
    _Atomic uint64_t rate_hz; /* this and (depth) in the order of STATUS */
    _Atomic uint64_t depth;
    /* The next four, too: they are told as they lie. */
    _Atomic uint64_t period; /* clock ticks */

    /* enum wire_state; all cores sample or none. Release in start_sampling(),
     * control.c; acquire in apply_orders(), tick.c: a core that sees that it
     * shall sample sees a period that is not 0. */
    _Atomic uint64_t state;

    /* TPROF_TIMER_KERNEL: mean number of the kernel's ticks per sample */
    _Atomic uint64_t ticks_per_sample;

    uint64_t refused; /* enum wire_refusal: of the last START */

    /* clock: before this time the pump follows no order but STOP */
    uint64_t not_before;
    /* clock: when (generation) last grew; also by map.c */
    _Atomic uint64_t given;
};

/* Counted for the whole agent, by the pump. */
struct tprof_agent_counters {
    uint64_t device_errors; /* times that the channel failed for good */
    uint64_t busy;          /* pumps that found every buffer still in use */
    uint64_t turned_away;   /* callers that may not attach */
};

struct tprof_control;

/* Written by tprof_init() only, except where a comment says otherwise. */
struct tprof_agent {
    /* Clock ticks in a second, or a guess: for waits, which need not be exact.
     */
    uint64_t second;

    uint32_t watermark; /* words in a ring that call for the pump */
    uint32_t ready;

    /* Grows with each change of (orders). Release in give_orders(), control.c;
     * acquire in has_new_orders(), tick.c: the orders are complete. */
    _Atomic uint32_t generation;

    /* enum tprof_boot, not 0: what the rings hold is of boot, for the first
     * host that asks for samples. Written under the pump's lock; relaxed: a
     * tick that sees an old value calls the pump in vain. */
    _Atomic uint32_t booting;

    /* Hosts that have come, but not those that left before they asked for
     * samples of boot. Relaxed: a core that follows a host's orders sees
     * its number, by the release and acquire of (generation). */
    _Atomic uint32_t session;

    _Atomic uint32_t joining; /* tprof_lock(): a core is joining or leaving */
    /* Cores that have ever joined. Written in (joining); relaxed: the pump
     * finds rings a little later. */
    _Atomic uint32_t joined;

    /* The core that watches for a host while none samples; config.cpus: none.
     */
    _Atomic uint32_t watching_core;

    /* The time at which a tick calls the pump, though no ring has reached its
     * watermark. Written by the pump, and with 0 by whoever wants it soon.
     * Relaxed: a tick that sees an old value pumps once too often, or a tick
     * later. */
    _Atomic uint64_t pump_due;

    struct tprof_channel channel;
    struct tprof_config config; /* with every default filled in */
    struct tprof_image image;
    struct tprof_bounds bounds;
    uint64_t hello[WIRE_HELLO_CODE + 1]; /* numbers of HELLO, by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];

    /* Once there are further images (map.c): how many changes of them there
     * have been, and the function that writes the next MAP into (f). Release in
     * tell_change(), map.c; acquire in tprof_control_due(), control.c: the
     * function is there. */
    _Atomic uint32_t maps;
    void (*put_map)(struct tprof_control *c, struct tprof_frame *f);

    /* Once the kernel counts its work (progress.c): its counters; the function
     * that remembers what they are when sampling starts, called with the pump's
     * lock; and the one that writes PROGRESS of number (counter) into (f).
     * Release in tprof_add_counter(), acquire in tprof_control_owes_counters(),
     * control.c: all are there. */
    _Atomic uint32_t work_counters;
    void (*mark_progress)(void);
    void (*put_progress)(uint32_t counter, struct tprof_frame *f);
    /* Grows with each tprof_flush(): the host is told all counters once more.
     * Relaxed: a pump that sees an old value is followed by another one. */
    _Atomic uint32_t flushes;

    /* Generation of the further images, WIRE.md 8: grows when one goes. Written
     * by map.c before new orders, whose release and acquire cover it. */
    _Atomic uint32_t images;

    struct tprof_cpu *core[TPROF_CPUS_MAX]; /* laid out, joined or not */
    struct tprof_orders orders;             /* written by the pump */
    struct tprof_agent_counters counters;   /* likewise */
    uint64_t nonce;                         /* likewise; of the session */
    struct tprof_crc32c crc;

    /* Once there are further images (map.c): ends what the calling core was
     * doing with them when it was reset. */
    void (*mend_maps)(void);

    /* The transport's restart(), for (channel.context); NULL: it has none. */
    void (*restart)(void *context);
};

extern struct tprof_agent tprof_agent;

/* Who has the pump's lock: a core that has joined, or somebody else. Not 0,
 * which is nobody. A core that was reset in the pump finds by this, when it
 * joins again, that it had the lock. */
#define TPROF_OWNER_OTHER UINT32_MAX
static inline uint32_t tprof_lock_owner(const struct tprof_cpu *cpu)
{
    return cpu->index + 1;
}

/* Not 0: somebody is in the pump: with interrupts off, or where the channel is
 * not for interrupts, perhaps with them on, and for long. So nobody waits for
 * this lock. */
extern _Atomic uint32_t tprof_pump_lock;

/* Locks that cores wait for, with interrupts off; who has one waits for
 * nothing, and lets go soon. tprof_unlock() gets what tprof_lock() has
 * returned. A core that has a lock already was reset while it had it, and gets
 * it once more: that needs no waiting. */
uint64_t tprof_lock(_Atomic uint32_t *lock);
void tprof_unlock(_Atomic uint32_t *lock, uint64_t flags);
bool tprof_has_lock(const _Atomic uint32_t *lock);

/* A core reads or changes the further images (map.c). */
extern _Atomic uint32_t tprof_map_lock;

/* By core index. */
extern struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX]; /* NULL: not joined */
extern uint32_t tprof_cpus;                         /* cores that may join */

/* Ticks on cores that have not joined. Counted by arch/ and tprof_tick(). */
extern _Atomic uint64_t tprof_unknown_cpu;

/*
 * Cores that could not join: how many calls of tprof_start_cpu() have failed,
 * and the first core whose call did. None once that core has joined. Not part
 * of struct tprof_agent, since cores may be too early for tprof_init(), and
 * relaxed: what a host hears may mix two calls of the same moment.
 */
struct tprof_refused {
    _Atomic uint32_t calls;
    _Atomic uint32_t core;  /* as tprof_arch_core_id() says */
    _Atomic uint32_t error; /* its last, negated */
};
extern struct tprof_refused tprof_refused;

/* The calling core; NULL: it has not joined. */
static inline struct tprof_cpu *tprof_this_cpu(void)
{
    uint32_t index = tprof_arch_core_index();

    return index < tprof_cpus ? tprof_cpu[index] : NULL;
}

/* The state that the host wants now: enum wire_state. */
static inline uint64_t tprof_state(void)
{
    return atomic_load_explicit(&tprof_agent.orders.state,
                                memory_order_relaxed);
}

TPROF_HOT bool tprof_is_sampling(const struct tprof_cpu *cpu)
{
    return atomic_load_explicit(&cpu->sampling, memory_order_relaxed) != 0;
}

/* Has (cpu) taken the orders over? A core that has left needs none. */
static inline bool tprof_follows(const struct tprof_cpu *cpu)
{
    uint32_t generation =
        atomic_load_explicit(&tprof_agent.generation, memory_order_relaxed);

    /* acquire: pairs with the release in apply_orders(), tick.c */
    return !atomic_load_explicit(&cpu->started, memory_order_relaxed) ||
           atomic_load_explicit(&cpu->orders_seen, memory_order_acquire) ==
               generation;
}

static inline bool tprof_is_woken(const struct tprof_cpu *cpu)
{
    return (atomic_load_explicit(&cpu->woken, memory_order_relaxed) &
            TPROF_WOKEN) != 0;
}

static inline void tprof_doubt_timer(struct tprof_cpu *cpu)
{
    atomic_fetch_or_explicit(&cpu->woken, TPROF_DOUBT, memory_order_relaxed);
}

static inline void tprof_set_woken(struct tprof_cpu *cpu, bool woken)
{
    atomic_store_explicit(&cpu->woken, woken ? TPROF_WOKEN : 0,
                          memory_order_relaxed);
}

/*
 * The counters of (cpu), at one moment: its tick may come meanwhile, here or on
 * another core. A tick that has counted itself and not yet what became of it
 * counts as a sample.
 */
static inline struct tprof_stats tprof_counts(const struct tprof_cpu *cpu)
{
    const volatile uint64_t *ticks = &cpu->recorder.counts.ticks;
    struct tprof_stats c;
    uint32_t tries = 8; /* ticks do not come that fast */
    uint64_t before;

    do {
        before = *ticks;
        tprof_arch_copy(&c, &cpu->recorder.counts, sizeof c);
    } while (*ticks != before && --tries > 0);
    /* the copy is assembly, which the analyzer does not see.
     * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    c.samples = c.ticks - c.ring_full - c.reentered;
    return c;
}

/* Is (time) still to come, within (wait) of (now)? A time further ahead was
 * worked out before the clock went back, and nobody waits for it. */
static inline bool tprof_is_ahead(uint64_t time, uint64_t now, uint64_t wait)
{
    return time - now - 1 < wait;
}

/* Is (time) more than (wait) away from (now), in the past or in the future? */
static inline bool tprof_is_far(uint64_t time, uint64_t now, uint64_t wait)
{
    return now - time + wait > 2 * wait;
}

/* If core (from) watches for a host, the next one that has joined does so from
 * now on. */
void tprof_hand_watch_on(uint32_t from);

/* Does the core that watches for a host follow the orders? If it does not for
 * long, it is gone: parked, halted or unplugged without tprof_stop_cpu(). */
static inline bool tprof_is_watch_kept(void)
{
    uint32_t core =
        atomic_load_explicit(&tprof_agent.watching_core, memory_order_relaxed);

    return core >= tprof_cpus || tprof_follows(tprof_cpu[core]);
}

#endif
