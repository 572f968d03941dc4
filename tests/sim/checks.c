/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold, whatever happens: every tick counted once, every sample that
 * arrives was injected, is what was injected, and arrives once.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "postmortem.h"
#include "sim.h"

#define SERIALS    65536u
#define CHAINS     65536u
#define ORDERS_MAX 30u /* that a core follows in a second */
#define NESTED     4u
#define SHARE                                                                  \
    (SIM_SECOND / 50)  /* a window in which the agent's share is seen */
#define SHARE_MAX 400u /* of it, per mille */

/* What became of one interrupt. */
static struct injection {
    uint8_t core;
    bool ticked; /* it was a tick, and is in the ring */
    bool delivered;
    uint16_t depth; /* of the walk */
    uint32_t stack; /* as delivered: index of (chains) */
} table[SERIALS];

/* The agent's view of a core before an interrupt, by how deep it is nested. */
static struct before {
    struct tprof_stats counts;
    struct tprof_schedule schedule;
    uint32_t generation, sampling;
} before[SIM_CORES][NESTED];

static uint64_t chains[CHAINS]; /* hashes; 0 is no chain */
static uint32_t chain_count;
static struct decode *decode;
static struct {
    struct account account;
    bool has_account;
    bool is_exact;  /* (first) is */
    uint64_t first; /* serial number that its first frame delivered */
    uint64_t delivered, ticked;
    uint64_t unknown; /* delivered, but nothing is known of them */
} sums[SIM_CORES];
static uint64_t finals; /* cores whose last STATS came in this session */
static bool is_stopped; /* and then STATUS */

/* --- Each tick ------------------------------------------------------------ */

/* What the running core is to the agent; NULL: nothing. */
static struct tprof_cpu *this_cpu(void)
{
    return tprof_machine_this()->cpu;
}

static struct before *before_now(void)
{
    uint32_t core = tprof_machine.core;

    if (cores[core].depth > NESTED)
        fail("interrupts nest %u deep", cores[core].depth);
    return &before[core][cores[core].depth - 1];
}

static void remember(struct before *b, const struct tprof_cpu *cpu)
{
    b->counts = cpu->recorder.counts;
    b->schedule = cpu->schedule;
    b->generation = cpu->generation;
    b->sampling = cpu->sampling;
}

void check_before(uint64_t serial)
{
    const struct tprof_cpu *cpu = this_cpu();

    if (!cpu)
        return;
    table[serial].core = (uint8_t)cpu->index;
    remember(before_now(), cpu);
}

/* The deadlines between two states of a schedule, by its own random numbers. */
static uint64_t deadlines_between(const struct tprof_schedule *from,
                                  const struct tprof_schedule *to)
{
    struct tprof_schedule s = *from;
    uint64_t count = 0;

    while (s.random != to->random) {
        if (++count > 2 * 16 + 1) /* once more for those that came inside */
            fail("core %u: its random numbers jumped", tprof_machine.core);
        s.random = s.random * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
        s.deadline +=
            s.half + (uint64_t)((tprof_u128)s.period * s.random >> 64);
    }
    if ((to->deadline - s.deadline) % s.period != 0)
        fail("core %u: a deadline that was not drawn", tprof_machine.core);
    return count + (to->deadline - s.deadline) / s.period;
}

void check_after(uint64_t serial)
{
    const struct tprof_cpu *cpu = this_cpu();
    struct before *b = before_now();

    if (!cpu)
        return;
    const struct tprof_stats *was = &b->counts, *is = &cpu->recorder.counts;
    uint64_t ticks = is->ticks - was->ticks;
    uint64_t dropped =
        is->ring_full - was->ring_full + is->reentered - was->reentered;
    bool is_timed = guest_config.timer != TPROF_TIMER_KERNEL;
    /* a clock that goes back has the agent begin anew */
    bool is_anew = b->generation != cpu->generation ||
                   (int64_t)(cpu->schedule.deadline - b->schedule.deadline) < 0;

    if (is_timed && b->sampling && cpu->sampling && !is_anew) {
        uint64_t passed = deadlines_between(&b->schedule, &cpu->schedule);

        if (passed != ticks + is->missed - was->missed)
            fail("core %u: %lu deadlines passed, %lu are ticks, %lu missed",
                 tprof_machine.core, passed, ticks, is->missed - was->missed);
    }
    if (dropped > ticks || ticks - dropped > 1)
        fail("core %u: one interrupt is %lu ticks, %lu dropped",
             tprof_machine.core, ticks, dropped);
    if (ticks > dropped) {
        table[serial].ticked = true;
        table[serial].depth = (uint16_t)cpu->recorder.depth;
        sums[cpu->index].ticked++;
    }
    if (is->missed - was->missed + dropped > 0)
        note("tick %lu: %lu missed before it, %lu dropped", serial,
             is->missed - was->missed, dropped);
    /* What it has interrupted had done nothing yet: an interrupt inside the
     * agent's own work changes nothing. */
    if (cores[tprof_machine.core].depth > 1 &&
        (ticks > 0 || b->generation != cpu->generation ||
         b->schedule.deadline != cpu->schedule.deadline))
        remember(b - 1, cpu);
}

void check_stats(const struct tprof_stats *s)
{
    if (s->ticks != s->samples + s->ring_full + s->reentered)
        fail("tprof_get_stats(): %lu ticks are %lu samples, %lu for a full "
             "ring, %lu in another",
             s->ticks, s->samples, s->ring_full, s->reentered);
}

/* What one host may have of the guest's time, whatever it asks for. */
void check_share(void)
{
    static uint64_t began, steps, orders_began;
    static uint32_t orders;
    uint64_t now = host_now_ns();

    if (now - orders_began >= SIM_SECOND) {
        if (tprof_agent.generation - orders > ORDERS_MAX && orders_began != 0)
            fail("every core was given %u orders in %lu ms",
                 tprof_agent.generation - orders,
                 (now - orders_began) / 1000000);
        orders = tprof_agent.generation;
        orders_began = now;
    }
    if (now - began < SHARE)
        return;
    if (began != 0 && (agent_steps - steps) * 1000 > (now - began) * SHARE_MAX)
        fail("the agent took %lu per mille of the guest's time for %lu us",
             (agent_steps - steps) * 1000 / (now - began),
             (now - began) / 1000);
    began = now;
    steps = agent_steps;
}

/* --- Each sample ---------------------------------------------------------- */

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)context;
    (void)g;
    (void)e;
    note("host: HELLO (%lu)", kind, 0, 0);
    finals = 0;
    is_stopped = false;
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    (void)context;
    (void)core;
    if (chain_count + 1 == CHAINS)
        return STACK_UNKNOWN;
    chains[++chain_count] =
        hash_chain(1, s->words, s->slot_mask, s->end, s->frames, s->depth);
    return chain_count;
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    (void)context;
    for (size_t i = 0; i < batch->count; i++) {
        const struct sample *s = &batch->samples[i];
        uint64_t serial = serial_of(s->leaf);

        if (s->leaf == LEAF_UNKNOWN && s->stack == STACK_UNKNOWN) {
            sums[batch->core].unknown++;
            continue;
        }
        struct injection *t = &table[serial % SERIALS];

        if (serial == 0 || serial > injected() || t->core != batch->core)
            fail("a sample of core %u at %#lx, which was never interrupted",
                 batch->core, s->leaf);
        if (t->delivered)
            fail("sample %lu of core %u came twice", serial, batch->core);
        t->delivered = true;
        t->stack = s->stack;
        if (!sums[batch->core].has_account && sums[batch->core].first == 0)
            sums[batch->core].first = serial;
        sums[batch->core].delivered++;
    }
}

static void on_loss(void *context, const struct loss *loss)
{
    (void)context;
    if (loss->reason == LOSS_TRANSPORT)
        note("host: %lu samples of core %lu were lost", loss->ticks, loss->core,
             0);
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    (void)context;
    if (a->violations > 0)
        fail("core %u: frames contradict their counters", core);
    if (!sums[core].has_account)
        sums[core].is_exact =
            sums[core].first != 0 && a->lost == 0 && sums[core].unknown == 0;
    sums[core].has_account = true;
    sums[core].account = *a;
}

static void on_stats(void *context, const struct core_stats *s)
{
    (void)context;
    if (s->flags & WIRE_STATS_FINAL)
        finals |= (uint64_t)1 << s->core;
}

static void on_status(void *context, const struct guest_status *s)
{
    (void)context;
    note("host: STATUS, state %lu", s->state, 0, 0);
    is_stopped = s->state == WIRE_STATE_STOPPED;
}

static void on_pong(void *context, const struct guest_pong *p)
{
    (void)context;
    (void)p;
}

static void on_gap(void *context, uint32_t frames)
{
    (void)context;
    note("host: %lu frames were lost", frames, 0, 0);
}

static const struct events events = {
    .hello = on_hello,
    .stack = on_stack,
    .samples = on_samples,
    .loss = on_loss,
    .account = on_account,
    .stats = on_stats,
    .status = on_status,
    .pong = on_pong,
    .gap = on_gap,
};

void checks_init(void)
{
    decode = decode_new(&events, NULL);
    if (!decode)
        abort();
}

void check_received(const void *bytes, size_t size)
{
    struct err e;

    if (size > 0 && decode_feed(decode, bytes, size, &e) < 0)
        fail("decode: %s", e.text);
}

void check_new_host(void)
{
    finals = 0;
    is_stopped = false;
}

/* The kernel's core that is (core) to the agent; NULL: it has never joined. */
static const struct core *kernels_core(uint32_t core)
{
    for (uint32_t i = 0; i < guest_config.cpus && tprof_cpu[core]; i++) {
        if (tprof_machine.cores[i].hardware_id == tprof_cpu[core]->hardware_id)
            return &cores[i];
    }
    return NULL;
}

/* Has (core) left without a word? */
static bool is_gone(uint32_t core)
{
    const struct core *c = kernels_core(core);

    return c && c->gone;
}

bool has_last_stats(void)
{
    uint64_t joined = 0;

    for (uint32_t i = 0; i < tprof_cpus; i++)
        joined |= (uint64_t)(tprof_cpu[i] && !is_gone(i)) << i;
    return is_stopped && joined != 0 && (finals & joined) == joined;
}

/* --- At the end ----------------------------------------------------------- */

/* Has (core) gone in the middle of an interrupt, after it was counted? */
static bool is_frozen(uint32_t core)
{
    const struct core *c = kernels_core(core);

    return c && c->depth > 0;
}

static void check_samples(void)
{
    for (uint64_t i = 1; i <= injected(); i++) {
        const struct injection *t = &table[i];

        if (!t->ticked && is_frozen(t->core))
            continue; /* the core has gone between the two */
        if (t->delivered && !t->ticked)
            fail("sample %lu came, and was no tick", i);
        if (t->delivered && t->stack != STACK_UNKNOWN && !is_in_app(i) &&
            chains[t->stack] != expected_chain(i, t->depth))
            fail("sample %lu of core %u came with another's stack", i, t->core);
    }
}

/* What the host was told of (core) is what the guest counted. */
static void check_core(uint32_t core, bool complete)
{
    const struct account *a = &sums[core].account;
    struct tprof_stats s;
    uint64_t undelivered = 0;

    if (tprof_get_stats(core, &s) != TPROF_OK)
        return;
    if (s.ticks != s.samples + s.ring_full + s.reentered)
        fail("core %u: its counters do not add up", core);
    if (s.samples != sums[core].ticked && !is_frozen(core))
        fail("core %u: %lu samples, but %lu ticks were recorded", core,
             s.samples, sums[core].ticked);
    if (is_gone(core))
        return; /* no final STATS, no account */
    if (a->samples != sums[core].delivered + sums[core].unknown)
        fail("core %u: %lu samples came, the account says %lu", core,
             sums[core].delivered + sums[core].unknown, a->samples);
    if (!complete || !sums[core].is_exact)
        return;
    for (uint64_t i = sums[core].first; i <= injected(); i++)
        undelivered +=
            table[i].core == core && table[i].ticked && !table[i].delivered;
    if (undelivered != a->lost + sums[core].unknown)
        fail("core %u: %lu samples never came, the account says "
             "%lu",
             core, undelivered, a->lost);
}

/* A reader of the guest's memory sees the same. */
static void on_record(void *context, uint32_t core, uint64_t leaf)
{
    uint64_t serial = serial_of(TEXT_START + leaf % APP_SPACING);

    (void)context;
    /* where no image is yet, leaves of all apps are counted from one base */
    if (leaf >= APP_SPACING && !is_in_app(serial))
        serial = 0;
    /* a core that is gone may not have come back from its last tick */
    if (serial == 0 || serial > injected() || table[serial].core != core ||
        (!table[serial].ticked && !is_frozen(core)))
        fail("memory tells of a sample of core %u at %#lx, which "
             "was no tick",
             core, leaf);
}

static void check_memory(bool complete)
{
    struct postmortem p;

    if (postmortem_read(&p, &tprof_directory, on_record, NULL) < 0)
        fail("the directory cannot be read");
    for (uint32_t core = 0; core < p.cores; core++) {
        if (p.core[core].ticks - p.core[core].ring_full -
                    p.core[core].reentered !=
                sums[core].ticked &&
            !is_frozen(core))
            fail("core %u: memory tells of %lu ticks", core,
                 p.core[core].ticks);
        if (complete && p.core[core].undrained != 0)
            fail("core %u: %u words are left in its ring", core,
                 p.core[core].undrained);
    }
}

void check_end(bool complete)
{
    memory_check();
    check_samples();
    for (uint32_t core = 0; core < guest_config.cpus; core++)
        check_core(core, complete);
    check_memory(complete);
    decode_free(decode);
}
