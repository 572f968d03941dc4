/* SPDX-License-Identifier: BSD-2-Clause */
#include "drive/pump.h"

#include "drive/control.h"
#include "drive/outbox.h"

/* Each loop is bounded by one of these numbers, or by the number of cores. */
#define HEARINGS             4u /* reads from the channel in one call, short pieces */
#define LOOKS                4u /* looks for a host in a second, by all cores together */
/* Calls of the pump in a second while a host is attached and no core samples */
#define LISTENS              64u
#define DRAINS               1024u /* calls of the pump in a second after STOP */
#define PARTS                8192u /* ... while a frame is unfinished */
#define SUMS                 128u /* ... while sums of threads are owed, at least */
/* Work on a frame in one call: each unit takes about eight instructions. A cell
 * is two units. The CRC of this number of bytes is one unit. */
#define WORK                 320u
#define CELL_UNITS           2u
#define UNIT_BYTES(hardware) ((hardware) ? 8u : 2u)
/* Clock ticks after a core's deadline at which another core wakes it: 10 to 30
 * ms. Waking costs an interrupt, so this is longer than kernels usually have
 * interrupts off, and longer than hosts usually let a core wait. */
#define PATIENCE             (1u << 25)

enum link { LINK_DOWN, LINK_UP, LINK_DEAD };

/* The pump's state, guarded by its lock */
struct pump {
    enum link link;
    uint32_t turn; /* the core whose ring is next */
    bool answered; /* the last frame was an answer */
    /* While there is no host, no core looks for one before this time. */
    uint64_t next_host_check;
    struct tprof_outbox out;
    struct tprof_samples samples; /* the unfinished frame, of this session */
    struct tprof_control control;
};

static struct pump the_pump;

/* A SAMPLES frame is unfinished. Written under the pump's lock. Relaxed:
 * a reader without the lock may call the pump once too often. */
static _Atomic uint32_t unfinished;

bool tprof_pump_has_unfinished(void)
{
    return atomic_load_explicit(&unfinished, memory_order_relaxed);
}

static void set_unfinished(bool is)
{
    atomic_store_explicit(&unfinished, is, memory_order_relaxed);
}

void tprof_pump_init(void *memory)
{
    tprof_arch_zero(&the_pump, sizeof the_pump);
    set_unfinished(false);
    the_pump.out.data = memory;
    if (tprof_agent.config.notice == TPROF_NOTICE_POLL)
        atomic_store_explicit(&tprof_agent.pump_due, TPROF_PUMP_NEVER,
                              memory_order_relaxed);
}

/* Ends the session: the host has gone, or a function of the channel returned
 * (error). */
TPROF_COLD void drop_link(struct pump *p, int error)
{
    tprof_control_alone(&p->control);
    set_unfinished(false);
    p->link = LINK_DOWN;
    p->next_host_check = 0; /* the next host may be waiting already */
    if (error != TPROF_ERR_CLOSED) {
        p->link = LINK_DEAD;
        tprof_agent.counters.device_errors++;
    }
}

/* Is it too soon to look for a host again? Called without a host. */
static int is_too_soon(const struct pump *p, uint64_t now)
{
    return tprof_is_ahead(p->next_host_check, now, tprof_agent.second / LOOKS);
}

static void look_for_host(struct pump *p, uint64_t now)
{
    const struct tprof_channel *c = &tprof_agent.channel;

    p->next_host_check = now + tprof_agent.second / LOOKS;
    if (!tprof_outbox_clear(&p->out))
        return;
    int found = c->open(c->context);

    if (found < 0) {
        drop_link(p, found);
    } else if (found > 0) {
        p->link = LINK_UP;
        tprof_control_open(&p->control, now);
    } else if (tprof_agent.channel.flags & TPROF_CHANNEL_SOON) {
        p->next_host_check = now;
    }
}

static void hear_host(struct pump *p)
{
    const struct tprof_channel *c = &tprof_agent.channel;
    struct tprof_control *talk = &p->control;

    uint32_t heard = 0;

    for (uint32_t i = 0; i < HEARINGS && heard < TPROF_RX_SIZE && c->receive;
         i++) {
        uint32_t room = TPROF_RX_SIZE - talk->rx_used;
        int n = c->receive(c->context, talk->rx + talk->rx_used, room);

        if (n > (int)room)
            n = TPROF_ERR_DEVICE;
        if (n < 0)
            drop_link(p, n);
        if (n <= 0)
            return;
        tprof_control_hear(talk, (uint32_t)n);
        heard += (uint32_t)n;
    }
}

/* Returns the next core, in turn, whose ring has reached its watermark. With
 * (any), returns the next core whose ring is not empty. -1 if there is no such
 * core. */
static int32_t choose_core(const struct pump *p, int any)
{
    uint32_t least = any ? 1 : tprof_agent.watermark;

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        uint32_t core = (p->turn + i) % tprof_cpus;

        if (tprof_cpu[core] &&
            tprof_ring_used(&tprof_cpu[core]->recorder.ring) >= least)
            return (int32_t)core;
    }
    return -1;
}

/* Returns the core whose ring to drain now; -1 if there is no such core. While
 * cores sample, chooses a core whose ring has reached its watermark, or after
 * pump_due any core with records. After STOP, chooses any core with records. */
static int32_t choose_ring(const struct pump *p, uint64_t now)
{
    uint64_t state = tprof_state();
    int32_t core = -1;

    if (state == WIRE_STATE_SAMPLING)
        core = choose_core(p, 0);
    if (core < 0 && (state == WIRE_STATE_DRAINING ||
                     (state == WIRE_STATE_SAMPLING &&
                      now >= atomic_load_explicit(&tprof_agent.pump_due,
                                                  memory_order_relaxed))))
        core = choose_core(p, 1);
    return core;
}

static void post_frame(struct pump *p, uint32_t size)
{
    p->control.seq++;
    tprof_outbox_post(&p->out, size);
}

/* Continues the unfinished frame: first its cells, then its CRC. */
static void continue_samples(struct pump *p)
{
    struct tprof_samples *s = &p->samples;
    const struct tprof_crc32c *crc = &tprof_agent.crc;
    uint32_t work = WORK;

    if (s->left > 0) {
        uint32_t done = CELL_UNITS * tprof_samples_more(s, WORK / CELL_UNITS);

        if (s->left > 0 || done >= work)
            return;
        work -= done;
    }
    uint32_t size =
        tprof_frame_sum(&s->frame, crc, work * UNIT_BYTES(crc->hardware) & ~7u);

    if (size == 0)
        return;
    set_unfinished(false);
    post_frame(p, size);
}

static void begin_samples(struct pump *p, uint32_t core)
{
    struct tprof_samples *s = &p->samples;

    p->turn = core + 1;
    tprof_frame_begin(&s->frame, tprof_outbox_buffer(&p->out),
                      TPROF_BUFFER_SIZE, WIRE_SAMPLES, p->control.seq);
    /* 0: all records were of earlier sessions */
    set_unfinished(tprof_samples_begin(s, &tprof_cpu[core]->reader, core,
                                       tprof_agent.session) > 0);
}

static void build_control(struct pump *p, uint32_t type)
{
    struct tprof_frame f;

    tprof_frame_begin(&f, tprof_outbox_buffer(&p->out), TPROF_BUFFER_SIZE, type,
                      p->control.seq);
    tprof_control_speak(&p->control, &f, type);
    if (f.used > WIRE_FRAME_HEADER)
        post_frame(p, tprof_frame_end(&f, &tprof_agent.crc));
}

/* Begins one frame, if a buffer is free and a frame is due. A frame that is no
 * SAMPLES is short, and complete at once. */
static void begin_frame(struct pump *p, uint64_t now)
{
    if (tprof_outbox_is_full(&p->out)) {
        tprof_agent.counters.busy++;
        return;
    }
    int32_t core = choose_ring(p, now);
    uint32_t type = tprof_control_due(&p->control, now, core < 0);

    if (type == 0 && core < 0)
        return;
    /* in turn, so that many orders cannot delay samples */
    if (core >= 0 && p->answered && type != WIRE_HELLO)
        type = 0;
    p->answered = type != 0;
    if (type)
        build_control(p, type);
    else
        begin_samples(p, (uint32_t)core);
}

/* Will an interrupt, or the kernel's tprof_poll(), say when to look for a host?
 */
static int is_told(void)
{
    return tprof_agent.channel.flags & TPROF_CHANNEL_NOTICE ||
           tprof_agent.config.notice == TPROF_NOTICE_POLL;
}

/* Returns the calls of the pump in a second while (joined) cores sample: each
 * core has its turn four times. */
static uint32_t calls_while_sampling(uint32_t joined)
{
    uint32_t calls = 4 * (joined + 1);
    bool more =
        atomic_load_explicit(&tprof_agent.owes_sums, memory_order_relaxed);

    return more && calls < SUMS ? SUMS : calls;
}

/* Returns the time at which a tick calls the pump even if no ring has reached
 * its watermark. */
static uint64_t next_due(const struct pump *p, uint64_t now)
{
    uint64_t second = tprof_agent.second;
    uint32_t joined =
        atomic_load_explicit(&tprof_agent.joined, memory_order_relaxed);

    if (p->link == LINK_DEAD)
        return TPROF_PUMP_NEVER;
    if (p->link == LINK_DOWN)
        return is_told() && tprof_is_watch_kept() ? TPROF_PUMP_NEVER
                                                  : p->next_host_check;
    switch (tprof_state()) {
    case WIRE_STATE_SAMPLING: /* the next tick continues an unfinished frame */
        return p->out.sent || tprof_pump_has_unfinished()
                   ? now
                   : now + second / calls_while_sampling(joined);
    case WIRE_STATE_DRAINING:
        return now + second / (tprof_pump_has_unfinished() ? PARTS : DRAINS);
    default:
        return now + second / LISTENS;
    }
}

/* Wakes cores that have no ticks: the kernel may have changed their timers. */
static void look_after_cores(uint64_t now)
{
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_cpu *cpu = tprof_cpu[i];

        /* once only: a core with interrupts off for long gets one interrupt */
        if (!cpu || tprof_is_woken(cpu) ||
            (int64_t)(now - PATIENCE -
                      tprof_schedule_deadline(&cpu->schedule)) < 0)
            continue;
        tprof_set_woken(cpu, true);
        tprof_arch_wake(cpu->hardware_id);
    }
}

/* Makes another core the watching core, if the present one has neither taken
 * the orders over nor looked for a host for a second. */
static void look_after_watch(const struct pump *p, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    uint32_t core =
        atomic_load_explicit(&a->watching_core, memory_order_relaxed);
    uint64_t since = a->orders.given;

    if (core >= tprof_cpus)
        return; /* no core has joined */
    if (tprof_follows(tprof_cpu[core])) {
        since = p->next_host_check;
        if (p->link != LINK_DOWN || since == 0 || is_told() ||
            !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE))
            return; /* the watching core need not look */
    }
    /* (since) may be a little ahead of (now). If the clock went back, another
     * core becomes the watching core, which does no harm. */
    if (tprof_is_far(since, now, a->second))
        tprof_hand_watch_on(core);
}

static void set_due(uint64_t due)
{
    atomic_store_explicit(&tprof_agent.pump_due, due, memory_order_relaxed);
}

/* Reads from the host and sends to the host. Begins a frame if (may_begin). */
static void converse(struct pump *p, uint64_t now, bool may_begin)
{
    hear_host(p);
    if (p->link != LINK_UP)
        return;
    tprof_control_follow(&p->control, now);
    tprof_outbox_reclaim(&p->out);
    if (may_begin)
        begin_frame(p, now);
    if (tprof_pump_has_unfinished())
        continue_samples(p);
    int error = tprof_outbox_send(&p->out);

    if (error)
        drop_link(p, error);
}

static void pump_locked(struct pump *p, int at_once)
{
    uint64_t now = tprof_arch_now();
    bool was_unfinished = tprof_pump_has_unfinished();

    if (p->link == LINK_DOWN && !at_once && is_too_soon(p, now))
        return; /* the usual case of an idle guest */
    /* a call that does not finish the frame does nothing else */
    if (was_unfinished)
        continue_samples(p);
    if (tprof_pump_has_unfinished()) {
        set_due(next_due(p, now));
        return;
    }
    if (tprof_agent.config.timer == TPROF_TIMER_APIC)
        look_after_watch(p, now);
    if (p->link == LINK_DOWN)
        look_for_host(p, now);
    if (p->link == LINK_UP)
        converse(p, now, !was_unfinished);
    set_due(next_due(p, now));
    /* without a host no core samples */
    if (p->link == LINK_UP && tprof_agent.config.timer == TPROF_TIMER_APIC)
        look_after_cores(now);
}

/* Takes the pump's lock for (owner), as in tprof_pump(). Returns 1; 0 if
 * another core has it. */
static __attribute__((noinline)) int try_pump_lock(uint32_t owner)
{
    uint32_t nobody = 0;

    /* acquire: pairs with the release in release_pump_lock(). Guards the state
     * that the last reader has left. */
    return atomic_compare_exchange_strong_explicit(&tprof_pump_lock, &nobody,
                                                   owner, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void release_pump_lock(void)
{
    /* release: pairs with the acquire above */
    atomic_store_explicit(&tprof_pump_lock, 0, memory_order_release);
}

int tprof_pump(uint32_t owner, int at_once)
{
    if (!try_pump_lock(owner))
        return 1;
    pump_locked(&the_pump, at_once);
    release_pump_lock();
    return 0;
}

void tprof_pump_mend(const struct tprof_cpu *cpu)
{
    struct tprof_agent *a = &tprof_agent;

    if (atomic_load_explicit(&tprof_pump_lock, memory_order_relaxed) !=
        tprof_lock_owner(cpu))
        return;
    if (a->restart)
        a->restart(a->channel.context);
    /* Begins a new session if readers may have stopped in the middle of a
     * record. In a new session readers begin at a known place. The session of
     * boot would continue where the readers stopped, so it ends. */
    atomic_store_explicit(&a->booting, 0, memory_order_relaxed);
    if (the_pump.link != LINK_DEAD)
        drop_link(&the_pump, TPROF_ERR_CLOSED);
    tprof_control_give_orders(); /* some cores may not know the last one */
    atomic_store_explicit(&a->pump_due, 0, memory_order_relaxed);
    release_pump_lock();
}

int tprof_pump_forgo(struct tprof_cpu *cpu, int is_half)
{
    const struct tprof_agent *a = &tprof_agent;
    const struct tprof_place *anew = &cpu->recorder.anew;
    struct tprof_place *kept = &cpu->reader.beginning.at;
    struct tprof_ring *ring = &cpu->recorder.ring;

    if (!a->config.always &&
        !atomic_load_explicit(&a->booting, memory_order_relaxed))
        return 0;
    if (!try_pump_lock(tprof_lock_owner(cpu)))
        return 0;
    uint32_t boot = atomic_load_explicit(&a->booting, memory_order_relaxed);
    bool newest = boot == TPROF_BOOT_NEWEST;
    bool alone =
        newest || (a->config.always && !boot && the_pump.link != LINK_UP);

    if (newest && is_half) {
        tprof_ring_consume(ring, anew->tail - kept->tail);
        *kept = *anew;
    } else if (alone && !newest) {
        tprof_ring_consume(ring, tprof_ring_used(ring));
    }
    release_pump_lock();
    if (alone && is_half)
        cpu->generation--; /* not a state from the orders */
    return alone;
}

void tprof_pump_begin(void)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t boot = a->config.boot; /* it is the first session */

    atomic_store_explicit(&a->booting, boot, memory_order_relaxed);
    atomic_store_explicit(&a->session, boot != 0, memory_order_relaxed);
    if (boot)
        a->hello[WIRE_HELLO_FEATURES] |= WIRE_FEATURE_BOOT;
    tprof_control_alone(&the_pump.control);
}

static int is_all_sent(struct pump *p)
{
    if (p->link != LINK_UP)
        return 1; /* there is no host to send to */
    /* while stopped, records stay in the rings; between a STOP and the state
     * STOPPED, the last STATS, sums and STATUS are still to be sent */
    return tprof_state() != WIRE_STATE_DRAINING &&
           (tprof_state() == WIRE_STATE_STOPPED || choose_core(p, 1) < 0) &&
           !tprof_pump_has_unfinished() &&
           !tprof_control_owes_sums(&p->control) &&
           tprof_outbox_is_sent(&p->out);
}

int tprof_pump_done(uint32_t owner)
{
    /* needs the lock, because tprof_outbox_is_sent() takes buffers back */
    if (!try_pump_lock(owner))
        return 0;
    int done = is_all_sent(&the_pump);

    release_pump_lock();
    return done;
}
