/* SPDX-License-Identifier: BSD-2-Clause */
#include "tprof/tprof.h"

#include "drive/pump.h"
#include "drive/tick.h"
#include "nmi/nmi.h"
#include "sample/sample.h"
#include "state/agent.h"
#include "state/directory.h"
#include "transport/transport.h"

#define FLUSH_TRIES 1000u /* of a busy device, for each frame */
#define POLL_PARTS  8     /* calls of the pump in one tprof_poll() */
#define LOOKS       4u    /* a second, of a core that does not sample */

/* Returns the index of the calling core, which has (hardware_id). If the kernel
 * does not number its cores, the id is the index, as in most kernels. If the id
 * is too large, or another core's index, the core gets the first free index. A
 * core that joins again gets the same index. */
static uint32_t index_of(const struct tprof_agent *a, uint32_t hardware_id)
{
    uint32_t index = 0, none = a->config.cpus, free = none;

    if (tprof_arch_core_numbered(&index))
        return index;
    for (index = none; index-- > 0;) {
        const struct tprof_cpu *cpu = tprof_cpu[index];

        if (cpu && cpu->hardware_id == hardware_id)
            return index;
        if (!cpu && (free == none || free != hardware_id))
            free = index;
    }
    return free;
}

/* An interrupt that is still on its way must not count as a tick. */
static void rest_timer(struct tprof_cpu *cpu)
{
    atomic_store_explicit(&cpu->sampling, 0, memory_order_relaxed);
    tprof_schedule_set(&cpu->schedule, (uint64_t)1 << 62);
}

/* Counts the samples that were lost because the core of (r) was reset, perhaps
 * in the middle of a sample. The records account for (told), by counter. The
 * rest of each count is lost samples. */
static void mend_counts(struct tprof_recorder *r, const uint64_t *told)
{
    struct tprof_stats *c = &r->counts;
    struct tprof_lost *full = &r->lost[0], *cut;

    TPROF_ARCH_IN_REGISTER(full);
    cut = full + 1;

    TPROF_ARCH_IN_REGISTER(c);
    /* of a tick that was neither written nor counted as lost */
    c->reentered = c->ticks - c->ring_full - told[WIRE_COUNTER_SAMPLES];
    full->ticks = c->ring_full - told[WIRE_COUNTER_RING_FULL];
    full->missed = 0;
    cut->ticks = c->reentered - told[WIRE_COUNTER_REENTERED];
    cut->missed = c->missed - told[WIRE_COUNTER_MISSED];
}
_Static_assert(WIRE_COUNTER_REENTERED - WIRE_COUNTER_RING_FULL == 1 &&
                   WIRE_DROP_REASONS == 2,
               "these two");

/*
 * Repairs the state of (cpu), the calling core, which was reset without
 * tprof_stop_cpu() at any moment: in a tick, in the pump, or in tprof_map().
 * Releases its locks, and counts its half-finished work. Its next tick begins a
 * dictionary.
 */
static void mend_core(struct tprof_agent *a, struct tprof_cpu *cpu)
{
    const struct tprof_place *known = tprof_sample_known(&cpu->recorder);
    struct tprof_reader told; /* only these two members are used */

    told.ring = &cpu->recorder.ring;
    uint32_t left = tprof_ring_tail(told.ring) - known->tail;

    tprof_arch_copy(told.counter, known->counter, sizeof told.counter);
    /* the core's own stack, which is not in use, is the room */
    (void)tprof_encode_cells(&told, known->tail,
                             (uint8_t *)cpu - TPROF_STACK_SIZE, &left,
                             UINT32_MAX);
    mend_counts(&cpu->recorder, told.counter);
    cpu->inside = cpu->reentered = 0;
    /* half of it may be of another stack: the next tick finds all of it */
    cpu->recorder.span.room = cpu->recorder.span.origin = 0;
    if (a->mend_maps)
        a->mend_maps();
    tprof_pump_mend(cpu);
}
_Static_assert(TPROF_KNOWN_WORDS *WIRE_CELL_SIZE < TPROF_STACK_SIZE,
               "room for all cells");

/* Makes (cpu), the calling core, one of the cores that sample. */
static void join_core(struct tprof_agent *a, struct tprof_cpu *cpu)
{
    uint32_t none = a->config.cpus;

    /* not the generation of the orders: the first tick takes the orders over */
    cpu->generation = atomic_load(&a->generation) - 1;
    rest_timer(cpu);
    if (!tprof_cpu[cpu->index])
        atomic_fetch_add_explicit(&a->joined, 1, memory_order_relaxed);
    tprof_cpu[cpu->index] = tprof_present[cpu->index] = cpu;
    /* release: pairs with the acquire in give_orders(), control.c */
    atomic_store_explicit(&cpu->started, 1, memory_order_release);
    /* the first core watches for the host */
    atomic_compare_exchange_strong(&a->watching_core, &none, cpu->index);
    if (a->config.hypervisor)
        a->config.hypervisor->start_cpu(&a->config, cpu->page);
    if (a->config.timer == TPROF_TIMER_APIC)
        tprof_arch_timer_arm(cpu, 1);
}

static int start_core(struct tprof_agent *a)
{
    uint32_t hardware_id;

    tprof_arch_begin();
    int error = tprof_arch_core_examine(&hardware_id);

    if (error != TPROF_OK)
        return error;
    uint32_t index = index_of(a, hardware_id);

    if (index >= a->config.cpus)
        return TPROF_ERR_CPU;
    struct tprof_cpu *cpu = a->core[index];

    if (atomic_load_explicit(&cpu->started, memory_order_relaxed) &&
        cpu->hardware_id != hardware_id)
        return TPROF_ERR_STATE;
    cpu->hardware_id = hardware_id;
    error = a->config.nmi ? a->config.nmi->join(cpu) : TPROF_OK;
    if (error == TPROF_OK)
        error = tprof_arch_core_join(cpu);
    (void)tprof_arch_irq_save(); /* a hook may have switched interrupts on */
    if (error == TPROF_OK) {
        mend_core(a, cpu);
        join_core(a, cpu);
    }
    return error;
}

/* Stores the result of tprof_start_cpu() on this core. A second call on a core
 * that has joined is no refusal. Interrupts may be on. */
static int note_refusal(int error)
{
    struct tprof_refused *r = &tprof_refused;
    uint32_t core = tprof_arch_core_id();

    if (error == TPROF_OK && core == r->core)
        r->calls = 0;
    if (error == TPROF_OK || error == TPROF_ERR_STATE)
        return error;
    if (r->calls++ == 0)
        r->core = core;
    if (r->core == core)
        r->error = -(uint32_t)error;
    return error;
}

int tprof_start_cpu(void)
{
    struct tprof_agent *a = &tprof_agent;

    if (!a->ready)
        return note_refusal(TPROF_ERR_NOT_INIT);
    uint64_t flags = tprof_lock(&a->joining);
    int error = start_core(a);

    tprof_unlock(&a->joining, flags);
    return note_refusal(error);
}

int tprof_stop_cpu(void)
{
    struct tprof_agent *a = &tprof_agent;
    int error = TPROF_ERR_STATE;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    uint64_t flags = tprof_lock(&a->joining);
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (cpu && atomic_load(&cpu->started)) {
        tprof_arch_core_leave(cpu);
        if (a->config.hypervisor)
            a->config.hypervisor->stop_cpu(&a->config, cpu->page);
        rest_timer(cpu);
        tprof_present[cpu->index] = NULL;
        /* release: pairs with the acquire in give_orders(), control.c */
        atomic_store_explicit(&cpu->started, 0, memory_order_release);
        tprof_hand_watch_on(cpu->index);
        error = TPROF_OK;
    }
    tprof_unlock(&a->joining, flags);
    return error;
}

/* Has every core left but (self), which may be NULL? */
static bool have_others_left(const struct tprof_cpu *self)
{
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        const struct tprof_cpu *cpu = tprof_cpu[i];

        if (cpu && cpu != self && atomic_load(&cpu->started))
            return false;
    }
    return true;
}

/* Restores the state before tprof_init(), except that the pump's lock is taken.
 * So a tprof_poll() that has already begun does nothing. */
static void let_go(struct tprof_agent *a)
{
    const struct tprof_config *c = &a->config;
    void *memory = (uint8_t *)c->memory + TPROF_PUMP_MEMORY;
    uint32_t cpus = tprof_cpus;

    while (atomic_exchange_explicit(&tprof_pump_lock, TPROF_OWNER_OTHER,
                                    memory_order_acquire))
        tprof_arch_relax();
    a->ready = 0;
    /* acquire: pairs with the release in tprof_threads() */
    void (*order_sums)(enum tprof_sums_order) =
        atomic_load_explicit(&a->order_sums, memory_order_acquire);

    if (order_sums)
        order_sums(TPROF_SUMS_END);
    if (!c->channel && !c->transport)
        tprof_console_exit(memory);
    else if (!c->channel && c->transport->exit)
        c->transport->exit(memory);
    tprof_directory_retract();
    tprof_cpus = 0;
    tprof_arch_exit();
    for (uint32_t i = 0; i < cpus; i++) {
        /* the thread that left may have preempted a call of the agent, in a
         * hook that has switched interrupts on; interrupts do not use the
         * memory of a core that has left (tprof_present) */
        while (*(volatile uint32_t *)&a->core[i]->inside)
            tprof_arch_relax();
        tprof_cpu[i] = NULL;
    }
}

int tprof_exit(void)
{
    struct tprof_agent *a = &tprof_agent;
    int error = TPROF_ERR_STATE;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    if (!have_others_left(tprof_this_cpu()))
        return TPROF_ERR_STATE;
    (void)tprof_stop_cpu();
    uint64_t flags = tprof_lock(&a->joining);

    if (have_others_left(NULL)) { /* no core has joined meanwhile */
        let_go(a);
        error = TPROF_OK;
    }
    tprof_unlock(&a->joining, flags);
    return error;
}

static TPROF_ARCH_CALL void poll_on_stack(struct tprof_cpu *cpu,
                                          const struct tprof_registers *r)
{
    (void)r;
    tprof_tick_pump(cpu, 0);
}

/* A channel that is not for interrupts may do everything that the calling
 * thread may do: switch interrupts on, or wait. */
static bool is_for_callers(const struct tprof_agent *a)
{
    return !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE);
}

/* Pumps once with interrupts off, on the core's own stack if the core has
 * joined. */
static void pump_with_irq_off(void)
{
    struct tprof_cpu *cpu = tprof_present_cpu();

    if (!cpu) {
        tprof_pump(TPROF_OWNER_OTHER, 0);
    } else if (!cpu->inside) {
        cpu->inside = 1;
        tprof_arch_on_stack(cpu, NULL, poll_on_stack);
        cpu->inside = 0;
    }
}

static void pump_once(void)
{
    bool as_caller = is_for_callers(&tprof_agent);

    if (as_caller)
        tprof_pump(TPROF_OWNER_OTHER, 0);
    uint64_t flags = tprof_arch_irq_save();

    if (!as_caller)
        pump_with_irq_off();
    tprof_arch_timers_look(); /* no other core may be there to pump */
    tprof_arch_irq_restore(flags);
}

/* Does the pump have more to do at once: the next part of a frame, or the next
 * part of the tables of sums, which are long and may have nothing to send? */
static bool is_pump_busy(void)
{
    return tprof_pump_has_unfinished() ||
           (atomic_load_explicit(&tprof_agent.owes_sums,
                                 memory_order_relaxed) &&
            tprof_state() != WIRE_STATE_STOPPED);
}

/* Interrupts are as the caller has them between the parts. */
void tprof_poll(void)
{
    int parts = 0;

    if (!tprof_agent.ready)
        return;
    do
        pump_once();
    while (++parts < POLL_PARTS && is_pump_busy());
}

void tprof_tick(const struct tprof_regs *regs)
{
    if (!tprof_agent.ready || tprof_agent.config.timer == TPROF_TIMER_APIC)
        return;
    const struct tprof_registers r = tprof_arch_registers(regs);
    uint64_t flags = tprof_arch_irq_save();
    struct tprof_cpu *cpu = tprof_present_cpu();

    if (cpu && cpu->inside) {
        cpu->reentered++;
    } else if (cpu) {
        cpu->inside = 1;
        tprof_arch_on_stack(cpu, &r, tprof_kernel_tick);
        cpu->inside = 0;
    } else if (!tprof_this_cpu()) {
        atomic_fetch_add_explicit(&tprof_unknown_cpu, 1, memory_order_relaxed);
    }
    tprof_arch_irq_restore(flags);
}

uint64_t tprof_deadline(void)
{
    struct tprof_agent *a = &tprof_agent;
    const struct tprof_cpu *cpu = a->ready ? tprof_present_cpu() : NULL;

    if (!cpu)
        return UINT64_MAX;
    /* new orders: several ticks take them over */
    if (cpu->generation != atomic_load(&a->generation))
        return tprof_arch_now() + 1;
    if (tprof_is_sampling(cpu))
        return tprof_schedule_deadline(&cpu->schedule);
    uint64_t latest = tprof_arch_now() + a->second / LOOKS;
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    /* If only tprof_poll() may pump, (due) may have passed long ago: a tick
     * would not change that. */
    return due < latest && a->channel.flags & TPROF_CHANNEL_IRQ_SAFE ? due
                                                                     : latest;
}

int tprof_flush(uint32_t frames)
{
    struct tprof_agent *a = &tprof_agent;

    if (!a->ready)
        return 0;
    atomic_fetch_add_explicit(&a->flushes, 1, memory_order_relaxed);
    for (uint64_t i = 0; i < (uint64_t)frames * FLUSH_TRIES; i++) {
        uint64_t flags = tprof_arch_irq_save();
        const struct tprof_cpu *cpu = NULL;

        if (is_for_callers(a))
            tprof_arch_irq_restore(flags);
        else
            cpu = tprof_present_cpu();
        int done =
            tprof_pump_done(cpu ? tprof_lock_owner(cpu) : TPROF_OWNER_OTHER);

        tprof_arch_irq_restore(flags);
        if (done)
            return 0;
        atomic_store_explicit(&a->pump_due, 0, memory_order_relaxed);
        pump_once();
    }
    return 1;
}

int tprof_get_stats(uint32_t core, struct tprof_stats *stats)
{
    if (core >= tprof_cpus || !tprof_cpu[core])
        return TPROF_ERR_CPU;
    *stats = tprof_counts(tprof_cpu[core]);
    stats->apic_id = tprof_cpu[core]->hardware_id;
    stats->started = tprof_cpu[core]->started;
    return TPROF_OK;
}

uint32_t tprof_version(void)
{
    return TPROF_VERSION;
}
