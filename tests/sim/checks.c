/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold, whatever happens: every tick counted once, every sample that
 * arrives was injected, is what was injected, and arrives once.
 */
#include <stdlib.h>
#include <string.h>

#include "postmortem.h"
#include "profile/decode/decode.h"
#include "sample/sample.h"
#include "sim.h"
#include "thread_checks.h"

#define SERIALS 65536u
#define CHAINS  65536u

/* What became of one interrupt. */
static struct injection {
    uint8_t core;
    bool ticked; /* it was a tick, and is in the ring */
    bool delivered;
    bool over;        /* else the core was reset, or has gone, in it */
    uint16_t depth;   /* of the walk */
    uint32_t session; /* in which it came */
    uint32_t stack;   /* as delivered: index of (chains) */
} table[SERIALS];

/* The agent's view of a core */
struct view {
    struct tprof_stats counts;
    struct tprof_schedule schedule;
    uint32_t generation, sampling, session, depth;
};

/*
 * An interrupt or a call on a core, by its depth. Another interrupt may come
 * inside it, before or after its own work, and may do work of its own. So the
 * work is counted in parts: each part ends where such an interrupt begins, and
 * the next part begins where that interrupt is over.
 */
static struct activity {
    struct view began, part; /* at the begin of the first and the last part */
    uint64_t serial;         /* of an interrupt; 0: a call */
    uint64_t ticks, dropped; /* in the earlier parts */
} activities[SIM_CORES][NESTED];

static uint64_t chains[CHAINS]; /* hashes; 0 is no chain */
static uint32_t chain_count;
static struct decode *decode;
static struct {
    struct account account;
    uint64_t delivered, ticked;
    uint64_t unknown; /* delivered, but nothing is known of them */
    /* when this session began to the host */
    struct account before;
    uint64_t unknown_before;
    /* its counters when it began to sample in (session) */
    uint32_t session;
    struct tprof_stats began, last;
} sums[SIM_CORES];
static uint64_t finals;  /* cores whose last STATS came in this session */
static bool is_stopped;  /* and then STATUS */
static uint32_t heard;   /* session of the last HELLO that opened one */
static uint64_t nonce;   /* that it told */
static uint64_t parents; /* the last interrupt that was the parent's */

/* --- Each tick ------------------------------------------------------------ */

/* What the running core is to the agent; NULL: nothing, or not any more: an
 * interrupt in which the core left ends when the kernel has its memory back. */
static struct tprof_cpu *this_cpu(void)
{
    return is_given_back() ? NULL : tprof_machine_this()->cpu;
}

static struct activity *activity_now(void)
{
    uint32_t core = tprof_machine.core;

    if (cores[core].depth > NESTED)
        fail("interrupts nest %u deep", cores[core].depth);
    return &activities[core][cores[core].depth - 1];
}

static struct view view_of(const struct tprof_cpu *cpu)
{
    return (struct view){
        .counts = cpu->recorder.counts,
        .schedule = cpu->schedule,
        .generation = cpu->generation,
        .sampling = cpu->sampling,
        .session = cpu->reader.beginning.session,
        .depth = cpu->recorder.depth,
    };
}

/* What the core has counted by now, in the session that is known. */
static void remember_last(const struct tprof_cpu *cpu)
{
    if (cpu->index < SIM_CORES &&
        sums[cpu->index].session == cpu->reader.beginning.session)
        sums[cpu->index].last = cpu->recorder.counts;
}

static void begin(const struct tprof_cpu *cpu, uint64_t serial)
{
    struct activity *a = activity_now();

    *a = (struct activity){.serial = serial};
    if (!cpu)
        return;
    a->began = a->part = view_of(cpu);
}

void check_before(uint64_t serial)
{
    const struct tprof_cpu *cpu = this_cpu();

    if (cpu)
        table[serial].core = (uint8_t)cpu->index;
    begin(cpu, cpu ? serial : 0);
    if (cpu)
        remember_last(cpu);
}

void check_call(void)
{
    begin(this_cpu(), 0);
}

/* The deadlines that passed from (was) to (is) are ticks, or missed. */
static void check_deadlines(const struct view *was, const struct view *is)
{
    uint64_t ticks = is->counts.ticks - was->counts.ticks;
    uint64_t missed = is->counts.missed - was->counts.missed;
    int64_t forward = (int64_t)(is->schedule.deadline - was->schedule.deadline);

    /* a clock that goes back has the agent begin anew */
    if (guest_config.timer == TPROF_TIMER_KERNEL || !was->sampling ||
        !is->sampling || was->generation != is->generation || forward < 0)
        return;
    uint64_t passed = deadlines_between(&was->schedule, &is->schedule);

    if (passed != ticks + missed)
        fail("core %u: %lu deadlines passed, %lu are ticks, %lu missed",
             tprof_machine.core, passed, ticks, missed);
}

/* The part of (a) that has ended with (now): it may have made the tick. */
static void end_part(struct activity *a, const struct view *now, uint32_t core)
{
    const struct tprof_stats *was = &a->part.counts, *is = &now->counts;
    uint64_t ticks = is->ticks - was->ticks;
    uint64_t dropped =
        is->ring_full - was->ring_full + is->reentered - was->reentered;

    if (a->serial == 0)
        return;
    check_deadlines(&a->part, now);
    a->ticks += ticks;
    a->dropped += dropped;
    if (a->dropped > a->ticks || a->ticks - a->dropped > 1)
        fail("core %u: one interrupt is %lu ticks, %lu dropped",
             tprof_machine.core, a->ticks, a->dropped);
    if (ticks > dropped) {
        table[a->serial].ticked = true;
        table[a->serial].session = now->session;
        table[a->serial].depth = (uint16_t)now->depth;
        sums[core].ticked++;
    }
    if (is->missed - was->missed + dropped > 0)
        note("tick %lu: %lu missed before it, %lu dropped", a->serial,
             is->missed - was->missed, dropped);
}

/* (a) is over. If it has changed anything, it ends a part of the activity
 * around it. That one is not in the middle of a tick then: interrupts inside
 * the agent's own work change nothing. */
static void end_around(struct activity *a, const struct tprof_cpu *cpu)
{
    if (a == activities[tprof_machine.core] ||
        (a->began.counts.ticks == cpu->recorder.counts.ticks &&
         a->began.generation == cpu->generation &&
         a->began.schedule.deadline == cpu->schedule.deadline))
        return;
    end_part(a - 1, &a->began, cpu->index);
    a[-1].part = view_of(cpu);
}

void check_called(void)
{
    const struct tprof_cpu *cpu = this_cpu();

    if (cpu)
        end_around(activity_now(), cpu);
}

/* Has the core begun to sample for another host? Until it has, (last) is what
 * it had counted before the interrupt in which it does, and in those that came
 * inside that one. */
static void follow_session(const struct tprof_cpu *cpu)
{
    uint32_t session = cpu->reader.beginning.session;

    if (cpu->index >= SIM_CORES || sums[cpu->index].session == session)
        return; /* its memory may be the kernel's again */
    sums[cpu->index].session = session;
    sums[cpu->index].began = sums[cpu->index].last;
}

void check_after(uint64_t serial)
{
    const struct tprof_cpu *cpu = this_cpu();
    struct activity *a = activity_now();

    table[serial].over = true;
    if (!cpu)
        return;
    struct view now = view_of(cpu);
    uint32_t unknown =
        cpu->recorder.ring.tail - tprof_sample_known(&cpu->recorder)->tail;

    if (unknown > TPROF_KNOWN_WORDS)
        fail("core %u: %u words were written since a known place",
             tprof_machine.core, unknown);
    end_part(a, &now, cpu->index);
    follow_session(cpu);
    remember_last(cpu);
    end_around(a, cpu);
    a->serial = 0; /* an interrupt may come before the kernel's handler ends */
}

void check_stats(const struct tprof_stats *s)
{
    if (s->ticks != s->samples + s->ring_full + s->reentered)
        fail("tprof_get_stats(): %lu ticks are %lu samples, %lu for a full "
             "ring, %lu in another",
             s->ticks, s->samples, s->ring_full, s->reentered);
}

/* --- Each sample ---------------------------------------------------------- */

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    (void)context;
    (void)e;
    note("host: HELLO (%lu)", kind, 0, 0);
    if (kind != HELLO_REPEAT) {
        thread_check_session();
        heard = tprof_agent.session;
        nonce = g->nonce;
    }
    for (uint32_t i = 0; i < SIM_CORES && kind != HELLO_REPEAT; i++) {
        sums[i].before = sums[i].account;
        sums[i].unknown_before = sums[i].unknown;
    }
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
        if (serial <= parents)
            fail("sample %lu of core %u is the parent's", serial, batch->core);
        if (t->delivered)
            fail("sample %lu of core %u came twice", serial, batch->core);
        t->delivered = true;
        t->stack = s->stack;
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
    sums[core].account = *a;
}

/* Interrupts in which (core) was reset, or has gone: each may be a sample. */
static uint64_t cut_off(uint32_t core)
{
    uint64_t sum = 0;

    for (uint64_t i = 1; i <= injected(); i++)
        sum += table[i].core == core && !table[i].over;
    return sum;
}

/* TPROF_BOOT_NEWEST: samples of boot that newer ones have overwritten. The
 * session, which (began) tells of, begins after them. */
static uint64_t overwritten(const struct tprof_cpu *cpu,
                            struct tprof_stats *began)
{
    const uint64_t *at = cpu->reader.beginning.at.counter;
    uint64_t samples = began->ticks - began->ring_full - began->reentered;

    if (guest_config.boot != TPROF_BOOT_NEWEST)
        return 0;
    began->missed = at[WIRE_COUNTER_MISSED];
    began->ring_full = at[WIRE_COUNTER_RING_FULL];
    began->reentered = at[WIRE_COUNTER_REENTERED];
    began->ticks =
        at[WIRE_COUNTER_SAMPLES] + began->ring_full + began->reentered;
    return at[WIRE_COUNTER_SAMPLES] - samples;
}

/* Core (core) has sent a final STATS: what the host has counted in this session
 * is what the core did in it. */
static void check_session(uint32_t core, const struct core_stats *s)
{
    const struct account *a = &sums[core].account, *b = &sums[core].before;
    const struct tprof_cpu *cpu = tprof_cpu[core];
    struct tprof_stats began = sums[core].began;
    uint64_t unknown = sums[core].unknown - sums[core].unknown_before;
    uint64_t undelivered = 0, last_lost = 0, first_kept = UINT64_MAX;

    /* the core has gone on meanwhile, or another host has come */
    if (!cpu || cpu->recorder.counts.ticks != s->ticks ||
        cpu->recorder.counts.missed != s->missed ||
        sums[core].session != tprof_agent.session ||
        cpu->reader.beginning.session != tprof_agent.session ||
        a->restored != b->restored)
        return;
    /* Without its HELLO nobody knows where this session began. */
    if (heard != tprof_agent.session) {
        if (account_is_exact(a))
            fail("core %u: HELLO was lost, and the account seems exact", core);
        return;
    }
    for (uint64_t i = 1; i <= injected(); i++) {
        if (table[i].core != core || !table[i].ticked ||
            table[i].session != sums[core].session)
            continue;
        if (!table[i].delivered) {
            undelivered++;
            last_lost = i;
        } else if (first_kept > i) {
            first_kept = i;
        }
    }
    uint64_t old = overwritten(cpu, &began);

    if (old == undelivered && last_lost > first_kept)
        fail("core %u: sample %lu was overwritten, %lu before it was not", core,
             last_lost, first_kept);
    if (a->begin_unknown != b->begin_unknown || !a->complete)
        fail("core %u: its account is not complete, and could be", core);
    const struct {
        const char *what;
        uint64_t host, guest;
    } figures[] = {
        {"ticks", account_ticks(a) - account_ticks(b), s->ticks - began.ticks},
        {"missed", a->missed - b->missed, s->missed - began.missed},
        {"full", a->ring_full - b->ring_full, s->ring_full - began.ring_full},
        {"inside", a->reentered - b->reentered, s->reentered - began.reentered},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (figures[i].host != figures[i].guest)
            fail("core %u: %s of this session are %lu, the host counts %lu",
                 core, figures[i].what, figures[i].guest, figures[i].host);
    }
    uint64_t lost = a->lost - b->lost + unknown + old;

    if (lost - undelivered > cut_off(core))
        fail("core %u: %lu of this session were lost, the host counts %lu",
             core, undelivered, lost);
}

static void on_stats(void *context, const struct core_stats *s)
{
    (void)context;
    if (!(s->flags & WIRE_STATS_FINAL))
        return;
    finals |= (uint64_t)1 << s->core;
    check_session(s->core, s);
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
    .thread = thread_check_thread,
    .wait = thread_check_wait,
    .sched = thread_check_sched,
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

void check_cut(void)
{
    struct err e;

    if (decode_end(decode, &e) < 0)
        fail("decode: %s", e.text);
}

uint64_t check_delivered(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < SIM_CORES; i++)
        sum += sums[i].delivered;
    return sum;
}

uint64_t check_nonce(void)
{
    return nonce;
}

void check_clone(void)
{
    parents = injected();
    nonce = heard = 0;
    for (uint32_t i = 0; i < SIM_CORES; i++) {
        sums[i].account = sums[i].before = (struct account){0};
        sums[i].delivered = sums[i].unknown = sums[i].unknown_before = 0;
    }
    decode_free(decode);
    checks_init();
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

static void check_samples(void)
{
    for (uint64_t i = 1; i <= injected(); i++) {
        const struct injection *t = &table[i];

        if (!t->over)
            continue; /* it may have become a tick, or not */
        if (t->delivered && !t->ticked)
            fail("sample %lu came, and was no tick", i);
        if (t->delivered && t->stack != STACK_UNKNOWN && !is_in_app(i) &&
            chains[t->stack] != expected_chain(i, t->depth))
            fail("sample %lu of core %u came with another's stack", i, t->core);
    }
}

/* What the host was told of (core) is what the guest counted. */
static void check_core(uint32_t core)
{
    const struct account *a = &sums[core].account;
    struct tprof_stats s;

    if (tprof_get_stats(core, &s) != TPROF_OK)
        return;
    if (s.ticks != s.samples + s.ring_full + s.reentered)
        fail("core %u: its counters do not add up", core);
    if (s.samples - sums[core].ticked > cut_off(core))
        fail("core %u: %lu samples, but %lu ticks were recorded", core,
             s.samples, sums[core].ticked);
    if (is_gone(core))
        return; /* no final STATS, no account */
    if (a->samples != sums[core].delivered + sums[core].unknown)
        fail("core %u: %lu samples came, the account says %lu", core,
             sums[core].delivered + sums[core].unknown, a->samples);
}

/* A reader of the guest's memory sees the same. */
static void on_record(void *context, uint32_t core, uint64_t leaf)
{
    uint64_t serial = serial_of(TEXT_START + leaf % APP_SPACING);

    (void)context;
    /* where no image is yet, leaves of all apps are counted from one base */
    if (leaf >= APP_SPACING && !is_in_app(serial))
        serial = 0;
    /* a core may not have come back from a tick */
    if (serial == 0 || serial > injected() || table[serial].core != core ||
        (!table[serial].ticked && table[serial].over))
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
                p.core[core].reentered - sums[core].ticked >
            cut_off(core))
            fail("core %u: memory tells of %lu ticks", core,
                 p.core[core].ticks);
        /* a flight goes on as soon as the host has left */
        if (complete && !guest_config.always && p.core[core].undrained != 0)
            fail("core %u: %u words are left in its ring", core,
                 p.core[core].undrained);
    }
}

void check_end(bool complete)
{
    memory_check();
    check_samples();
    for (uint32_t core = 0; core < guest_config.cpus; core++)
        check_core(core);
    check_memory(complete);
    thread_check_end(complete);
    /* (decode) lives on: one more host will come */
}
