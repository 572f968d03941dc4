/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's state: one agent in an image. It is shared by what runs (drive/),
 * what the kernel calls (calls/), the CPU (arch/), directory.c, reach.c and
 * notice.c. The steps of a sample get the parts that they need.
 */
#ifndef TPROF_AGENT_H
#define TPROF_AGENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "encode/crc32c.h"
#include "encode/encode.h"
#include "sample/record.h"
#include "sample/schedule.h"
#include "tprof/tprof.h"

#define TPROF_CPUS_MAX 256u

/* Bytes of a core's stack. The kernel's NMI and fault handlers may run on it.
 */
#define TPROF_STACK_SIZE 4096u

/* A tick that is early by at most this part of a period counts as on time. */
#define TPROF_EARLY 64u

/* tprof_cpu.guard: the interrupt is a tick only if tprof_arch_is_tick() returns
 * true. */
#define TPROF_GUARD_ASK (UINT64_MAX << 62)

struct tprof_core_sums; /* sums.h */

/* One core. Its stack ends where this struct begins (arch/). Only the core's
 * own tick writes it, except where a comment says otherwise. */
struct tprof_cpu {
    /* 1: the core's stack is in use. First, where isr.S finds it. */
    uint32_t inside;
    /* Interrupts and ticks that came while the core's stack was in use. They
     * can come if a hook has switched interrupts on. The code that uses the
     * stack counts them after the hook has returned (tick.c). */
    uint32_t reentered;

    struct tprof_schedule schedule;
    uint64_t guard; /* clock ticks by which a tick may be early */
    uint32_t index;
    uint32_t hardware_id;
    /* WIRE_STATS_* that arch/ has found. Relaxed: a pump that reads an old
     * value sends it once more. */
    _Atomic uint32_t facts;
    uint32_t generation; /* of the orders that this core follows */

    /* 1: the core samples. Other cores read this, relaxed. A core that reads an
     * old 0 or 1 wakes this core once too often, or at its next look. */
    _Atomic uint32_t sampling;

    uint32_t pump_deferred; /* 1: the pump waits for the next interrupt */
    uint32_t countdown;     /* TPROF_TIMER_KERNEL: ticks to a sample */
    uint32_t looks;         /* 1: the timer was armed to look for a host */

    /* TPROF_WOKEN, TPROF_DOUBT, both, or 0. The core that wakes this one sets
     * it (pump.c; arch/ if timers are lent), and this core clears it. Relaxed:
     * the other core sets it before it sends the interrupt in which this core
     * reads it. */
    _Atomic uint64_t woken;

    struct tprof_arch_core arch;

    /* Release in apply_orders(), tick.c; acquire in tprof_follows(). Guards the
     * core's records in its ring. */
    _Atomic uint32_t orders_seen;

    /* Release in join_core() and tprof_stop_cpu(), tprof.c; acquire in
     * give_orders(), control.c. */
    _Atomic uint32_t started;

    /* Clock ticks that a tick takes outside tprof_interrupt(): the entry, the
     * end of the interrupt and the exit. Measured at START; 0: not yet. */
    uint32_t around;
    uint32_t ended; /* time at which the last interrupt for orders ended */

    /* Sums of the core's threads; NULL: none. Release in tprof_threads(),
     * acquire in thread_calls.c. */
    struct tprof_core_sums *_Atomic sums;

    struct tprof_reader reader; /* the pump's */
    struct tprof_recorder recorder;
    _Alignas(64) uint8_t page[64]; /* config.hypervisor's */
};
_Static_assert(offsetof(struct tprof_cpu, inside) == 0, "as isr.S has it");

/* tprof_cpu.woken: the high bits. A tick or's them into the time to its next
 * deadline and compares the result with 2^31, so one comparison tests both. */
#define TPROF_WOKEN (UINT64_MAX << 31)
/* tprof_cpu.woken: the low bit. This core's interrupt may come from another
 * source than its timer, or may be late, so the kernel may be using the timer.
 * Set by this core. */
#define TPROF_DOUBT 1u

/*
 * The host's orders, and the values that the agent derives from them. The pump
 * writes them under its lock and then increments tprof_agent.generation; each
 * core takes the orders over at its next tick. A core may read while the pump
 * writes. Then another generation follows, and the core reads again.
 */
struct tprof_orders {
    _Atomic uint64_t rate_hz; /* rate_hz and depth: in the order of STATUS */
    _Atomic uint64_t depth;
    /* STATUS copies the next four fields, too. */
    _Atomic uint64_t period; /* clock ticks */

    /* enum wire_state; all cores sample or none. Release in start_sampling(),
     * control.c; acquire in apply_orders(), tick.c: a core that reads SAMPLING
     * also reads a period that is not 0. */
    _Atomic uint64_t state;

    /* TPROF_TIMER_KERNEL: mean number of the kernel's ticks per sample */
    _Atomic uint64_t ticks_per_sample;

    uint64_t refused; /* enum wire_refusal: of the last START */

    /* clock: before this time the pump follows no order but STOP */
    uint64_t not_before;
    /* clock: when (generation) last grew; map.c sets it, too */
    _Atomic uint64_t given;
};

/* Counters of the whole agent, written by the pump. */
struct tprof_agent_counters {
    uint64_t device_errors; /* times that the channel failed for good */
    uint64_t busy;          /* pumps that found every buffer still in use */
    uint64_t turned_away;   /* callers that were not allowed to attach */
};

struct tprof_control;

/* Orders for the sums of threads (WIRE.md 10) */
enum tprof_sums_order {
    TPROF_SUMS_BEGIN,    /* begin when the tables are clear */
    TPROF_SUMS_END,      /* end now */
    TPROF_SUMS_SEND,     /* send the sums that have changed */
    TPROF_SUMS_SEND_ALL, /* send all sums */
    TPROF_SUMS_FORGET,   /* send no sums until they begin again */
};

/* Written by tprof_init() only, except where a comment says otherwise. */
struct tprof_agent {
    /* Clock ticks in a second, or a guess. For waits, which need not be exact.
     */
    uint64_t second;

    uint32_t watermark; /* words in a ring at which the pump is called */
    uint32_t ready;

    /* Grows with each change of (orders). Release in give_orders(), control.c;
     * acquire in has_new_orders(), tick.c. Guards the orders. */
    _Atomic uint32_t generation;

    /* enum tprof_boot, not 0: the rings hold samples of boot, for the first
     * host that asks for such samples. Written under the pump's lock. Relaxed:
     * a tick that reads an old value calls the pump in vain. */
    _Atomic uint32_t booting;

    /* Number of hosts that have come, without hosts that left before they asked
     * for samples of boot. Relaxed: release and acquire of (generation) order
     * it for a core that follows a host's orders. */
    _Atomic uint32_t session;

    _Atomic uint32_t joining; /* tprof_lock(): a core is joining or leaving */
    /* Cores that have ever joined. Written under the lock (joining). Relaxed:
     * the pump may find a new ring a little later. */
    _Atomic uint32_t joined;

    /* The core that watches for a host while no core samples; config.cpus: no
     * core does. */
    _Atomic uint32_t watching_core;

    /* The time at which a tick calls the pump even if no ring has reached its
     * watermark. The pump writes it; other code writes 0 to have the pump
     * called soon. Relaxed: a tick that reads an old value calls the pump once
     * too often, or one tick later. */
    _Atomic uint64_t pump_due;

    struct tprof_channel channel;
    struct tprof_config config; /* with every default filled in */
    struct tprof_image image;
    struct tprof_bounds bounds;
    uint64_t hello[WIRE_HELLO_CODE + 1]; /* integers of HELLO, by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];

    /* With further images (map.c): the number of changes to these images, and
     * the function that writes the next MAP into (f). Release in tell_change(),
     * map.c; acquire in tprof_control_due(), control.c. Guards the function. */
    _Atomic uint32_t maps;
    void (*put_map)(struct tprof_control *c, struct tprof_frame *f);

    /* With counters of the kernel's work (progress.c): their number; a function
     * that stores their values when sampling starts, called under the pump's
     * lock; and a function that writes PROGRESS of number (counter) into (f).
     * Release in tprof_add_counter(); acquire in owes_counters(), control.c.
     * Guards the counters and both functions. */
    _Atomic uint32_t work_counters;
    void (*mark_progress)(void);
    void (*put_progress)(uint32_t counter, struct tprof_frame *f);
    /* With threads (threads/). (speak_sums) writes type and fields of the next
     * frame, if a frame can be written now. The other function follows an
     * order. Both are called under the pump's lock. Release in tprof_threads(),
     * acquire in order_sums(), control.c, guard both. */
    void (*speak_sums)(struct tprof_frame *f);
    void (*_Atomic order_sums)(enum tprof_sums_order what);
    /* Frames with sums are owed. Relaxed: the pump reads the flag again. */
    _Atomic bool owes_sums;

    /* With locks (locks/): enum tprof_locks_state. Acquire in lock_calls.c
     * pairs with two releases: in tprof_locks(), and in begin(), lock_sums.c.
     * Guards the tables. */
    _Atomic uint32_t locks;

    /* Number of calls of tprof_flush(). After each call the pump sends all
     * counters once more. Relaxed: if a pump reads an old number, another pump
     * follows. */
    _Atomic uint32_t flushes;

    /* Generation of the further images, WIRE.md 8: grows when one is removed.
     * map.c writes it before it gives new orders, whose release and acquire
     * order it. */
    _Atomic uint32_t images;

    struct tprof_cpu *core[TPROF_CPUS_MAX]; /* laid out, joined or not */
    struct tprof_orders orders;             /* written by the pump */
    struct tprof_agent_counters counters;   /* written by the pump */
    uint64_t nonce;                         /* of the session; by the pump */
    struct tprof_crc32c crc;

    /* With further images (map.c): finishes the change to them in which the
     * calling core was reset. */
    void (*mend_maps)(void);

    /* The transport's restart(), called with (channel.context). May be NULL. */
    void (*restart)(void *context);
};

extern struct tprof_agent tprof_agent;

/* The owner of the pump's lock: a core that has joined, or other code. Never 0,
 * which means free. A core that was reset inside the pump and joins again sees
 * by this value that it had the lock. */
#define TPROF_OWNER_OTHER UINT32_MAX
static inline uint32_t tprof_lock_owner(const struct tprof_cpu *cpu)
{
    return cpu->index + 1;
}

/* Not 0: a core or thread is in the pump. If the channel is not
 * TPROF_CHANNEL_IRQ_SAFE, the owner may stay in the pump for long, with
 * interrupts on. So no code waits for this lock. */
extern _Atomic uint32_t tprof_pump_lock;

/* Locks for which cores wait, with interrupts off. The owner waits for nothing
 * and releases the lock soon. tprof_lock() returns the argument of
 * tprof_unlock(). A core that was reset while it had the lock gets it again
 * without waiting. */
uint64_t tprof_lock(_Atomic uint32_t *lock);
void tprof_unlock(_Atomic uint32_t *lock, uint64_t flags);
bool tprof_has_lock(const _Atomic uint32_t *lock);

/* Held while a core reads or changes the further images (map.c). */
extern _Atomic uint32_t tprof_map_lock;

/* By core index. */
extern struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX]; /* NULL: not joined */
extern uint32_t tprof_cpus;                         /* cores that may join */

/*
 * The same for the entry of an interrupt, and for calls that use the core's own
 * memory: NULL, too, once the core has left.
 *
 * Only the core itself writes its pointer, in tprof_start_cpu() and
 * tprof_stop_cpu(). So an entry on a core needs no barrier and no lock to be
 * safe from tprof_exit() on another core. An entry that has read the pointer
 * ends before the core goes on in tprof_stop_cpu(), and a later entry reads
 * NULL. tprof_exit() gives memory back only when it has had the lock (joining)
 * after each core's tprof_stop_cpu().
 */
extern struct tprof_cpu *tprof_present[TPROF_CPUS_MAX];

/* Ticks on cores that have not joined. Counted by arch/ and tprof_tick(). */
extern _Atomic uint64_t tprof_unknown_cpu;

/*
 * Cores that could not join. (calls) counts failed calls of tprof_start_cpu();
 * (core) is the first core that failed. (calls) is 0 again once that core has
 * joined. Not part of struct tprof_agent, because a core may call before
 * tprof_init(). Relaxed: STATUS may mix two calls of the same moment.
 */
struct tprof_refused {
    _Atomic uint32_t calls;
    _Atomic uint32_t core;  /* as tprof_arch_core_id() returns it */
    _Atomic uint32_t error; /* of its last call, negated */
};
extern struct tprof_refused tprof_refused;

/* Returns the calling core; NULL if it has not joined. */
static inline struct tprof_cpu *tprof_this_cpu(void)
{
    uint32_t index = tprof_arch_core_index();

    return index < tprof_cpus ? tprof_cpu[index] : NULL;
}

/* Returns the calling core; NULL if it has not joined, or has left. Interrupts
 * must be off while the caller uses the core. */
static inline struct tprof_cpu *tprof_present_cpu(void)
{
    uint32_t index = tprof_arch_core_index();

    return index < tprof_cpus ? tprof_present[index] : NULL;
}

/* Returns the state that the host has ordered: enum wire_state. */
static inline uint64_t tprof_state(void)
{
    return atomic_load_explicit(&tprof_agent.orders.state,
                                memory_order_relaxed);
}

TPROF_HOT bool tprof_is_sampling(const struct tprof_cpu *cpu)
{
    return atomic_load_explicit(&cpu->sampling, memory_order_relaxed) != 0;
}

/* Has (cpu) taken the orders over? True for a core that has left. */
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

TPROF_HOT void tprof_count_cost(struct tprof_cpu *cpu, uint64_t cost)
{
    struct tprof_stats *counts = &cpu->recorder.counts;

    counts->cost_tsc += cost;
    if (cost > counts->cost_max_tsc)
        counts->cost_max_tsc = cost;
}

TPROF_HOT bool tprof_is_pump_due(uint64_t now)
{
    return now >=
           atomic_load_explicit(&tprof_agent.pump_due, memory_order_relaxed);
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
 * Returns the counters of (cpu) at one moment, although its tick may interrupt,
 * here or on another core. A tick that is counted but not finished counts as a
 * sample.
 */
static inline struct tprof_stats tprof_counts(const struct tprof_cpu *cpu)
{
    const volatile uint64_t *ticks = &cpu->recorder.counts.ticks;
    struct tprof_stats c;
    uint32_t tries = 8; /* ticks are too rare to use them all up */
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

/* Is (time) after (now), by at most (wait)? A time that is further ahead was
 * computed before the clock went back. No code waits for such a time. */
static inline bool tprof_is_ahead(uint64_t time, uint64_t now, uint64_t wait)
{
    return time - now - 1 < wait;
}

/* Is (time) more than (wait) away from (now), in the past or in the future? */
static inline bool tprof_is_far(uint64_t time, uint64_t now, uint64_t wait)
{
    return now - time + wait > 2 * wait;
}

/* If core (from) is the watching core, makes the next core that has joined the
 * watching core. */
void tprof_hand_watch_on(uint32_t from);

/* Does the watching core follow the orders? If it has not done so for long, it
 * is gone: parked, halted or unplugged without tprof_stop_cpu(). */
static inline bool tprof_is_watch_kept(void)
{
    uint32_t core =
        atomic_load_explicit(&tprof_agent.watching_core, memory_order_relaxed);

    return core >= tprof_cpus || tprof_follows(tprof_cpu[core]);
}

#endif
