/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol with one host: HELLO, orders and answers */
#include "drive/control.h"

#include "arch/arch.h"
#include "base/mem.h"

#define PERIOD_MAX    ((uint64_t)1 << 36) /* clock ticks: over 10 s at 6 GHz */
#define PERIOD_MIN    1000u
#define STATS_SECONDS 4u  /* between two STATS of a core, while sampling */
#define FOLLOWED      10u /* orders that are followed in a second, at most */

void tprof_control_give_orders(void)
{
    struct tprof_agent *a = &tprof_agent;

    a->orders.given = tprof_arch_now();
    /* seq_cst: pairs with the fence in follow_generation(), map.c */
    atomic_thread_fence(memory_order_seq_cst);
    /* release: pairs with the acquire in has_new_orders(), tick.c */
    atomic_fetch_add_explicit(&a->generation, 1, memory_order_release);
    if (a->config.timer != TPROF_TIMER_APIC)
        return; /* the kernel's ticks come anyway */
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_cpu *cpu = tprof_cpu[i];

        /* acquire: pairs with the release in join_core(), tprof.c */
        if (cpu && atomic_load_explicit(&cpu->started, memory_order_acquire))
            tprof_arch_wake(cpu->hardware_id);
    }
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* Stores the integer fields of a body in (value), by tag. Values of absent
 * fields do not change. */
static void hear_fields(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    while (end - at >= (int)WIRE_FIELD_HEADER &&
           end - at - (int)WIRE_FIELD_HEADER >= at[1]) {
        uint64_t v = 0;

        for (uint32_t i = at[1]; i > 0; i--)
            v = v << 8 | at[WIRE_FIELD_HEADER + i - 1];
        if (at[0] < TPROF_CONTROL_TAGS)
            value[at[0]] = v;
        at += WIRE_FIELD_HEADER + at[1];
    }
}

/* Passes the command (what) to the sums of threads. Does nothing if the kernel
 * has not called tprof_threads(). */
static void order_sums(enum tprof_sums_order what)
{
    /* acquire: pairs with the release in tprof_threads() */
    void (*order)(enum tprof_sums_order) =
        atomic_load_explicit(&tprof_agent.order_sums, memory_order_acquire);

    if (order)
        order(what);
}

/* Returns the rate for the samples of a START, within the kernel's limits. */
static uint64_t allowed_rate(uint64_t asked_hz)
{
    const struct tprof_config *c = &tprof_agent.config;

    if (c->control == TPROF_CONTROL_FIXED)
        return c->rate_hz;
    return clamp(asked_hz, WIRE_RATE_MIN_HZ, c->rate_max_hz);
}

static uint64_t allowed_depth(uint64_t asked)
{
    const struct tprof_config *c = &tprof_agent.config;

    if (c->control == TPROF_CONTROL_FIXED)
        return c->max_frames;
    return clamp(asked, 1, c->frames_max);
}

/* Returns the period for (rate_hz), the rate of the START after the limits; 0
 * if the clock's rate is not known. A period in the START, which the host has
 * measured, belongs to the rate in the START. */
static uint64_t ordered_period(const uint64_t *order, uint64_t rate_hz)
{
    const struct tprof_agent *a = &tprof_agent;
    struct tprof_orders *o = &tprof_agent.orders;
    uint64_t period = a->hello[WIRE_HELLO_TSC_HZ] / rate_hz;
    uint64_t hosts = clamp(order[WIRE_CONTROL_PERIOD_TSC], 0, PERIOD_MAX);

    if (hosts && (period == 0 || a->config.control == TPROF_CONTROL_LIMITED))
        period = hosts *
                 clamp(order[WIRE_CONTROL_RATE_HZ], WIRE_RATE_MIN_HZ,
                       WIRE_RATE_MAX_HZ) /
                 rate_hz;
    if (a->config.timer == TPROF_TIMER_KERNEL) {
        uint64_t fewest = (a->config.kernel_hz - 1) / a->config.rate_max_hz + 1;
        uint64_t ticks =
            clamp(a->config.kernel_hz / rate_hz, fewest, UINT32_MAX);

        atomic_store_explicit(&o->ticks_per_sample, ticks,
                              memory_order_relaxed);
        /* the period must be a whole number of kernel ticks, also if the host
         * has measured it */
        period = period * rate_hz / a->config.kernel_hz * ticks;
    }
    return period;
}

static void start_sampling(struct tprof_control *c)
{
    struct tprof_orders *o = &tprof_agent.orders;
    const uint64_t *order = c->start;
    uint64_t rate_hz = allowed_rate(order[WIRE_CONTROL_RATE_HZ]);
    uint64_t depth = allowed_depth(order[WIRE_CONTROL_DEPTH]);
    uint64_t period = ordered_period(order, rate_hz);
    uint64_t shortest = tprof_agent.second / tprof_agent.config.rate_max_hz;

    c->owed |= TPROF_OWE_STATUS;
    o->refused = WIRE_REFUSED_NO_CLOCK;
    if (period == 0)
        return;
    o->refused = WIRE_REFUSED_NOTHING;
    c->last_stats = TPROF_LAST_STATS_UNHEARD;
    if (tprof_state() != WIRE_STATE_SAMPLING) {
        if (tprof_agent.mark_progress)
            tprof_agent.mark_progress();
        order_sums(TPROF_SUMS_BEGIN);
    }
    /* The period must not be shorter than the period of the fastest rate:
     * otherwise a guest might do nothing but ticks. If the clock's rate is not
     * known, (shortest) comes from a guess. */
    if (period < shortest)
        period = shortest;
    period = clamp(period, PERIOD_MIN, PERIOD_MAX);
    atomic_store_explicit(&o->rate_hz, rate_hz, memory_order_relaxed);
    atomic_store_explicit(&o->depth, depth, memory_order_relaxed);
    atomic_store_explicit(&o->period, period, memory_order_relaxed);
    /* release: pairs with the acquire in apply_orders(), tick.c */
    atomic_store_explicit(&o->state, WIRE_STATE_SAMPLING, memory_order_release);
    tprof_control_give_orders();
}

/* Stops sampling on all cores. The state is (state) from now on. */
static void stop_sampling(uint64_t state)
{
    int was_sampling = tprof_state() == WIRE_STATE_SAMPLING;

    atomic_store_explicit(&tprof_agent.orders.state, state,
                          memory_order_relaxed);
    if (!was_sampling)
        return;
    order_sums(TPROF_SUMS_END);
    tprof_control_give_orders();
}

static void hear_frame(struct tprof_control *c, uint32_t type,
                       const uint8_t *body, uint32_t size)
{
    const uint64_t *hello = tprof_agent.hello;
    uint64_t value[TPROF_CONTROL_TAGS] = {0};

    if (type == WIRE_START) {
        value[WIRE_CONTROL_RATE_HZ] = hello[WIRE_HELLO_RATE_HZ];
        value[WIRE_CONTROL_DEPTH] = hello[WIRE_HELLO_DEPTH];
    }
    hear_fields(body, body + size, value);
    switch (type) {
    case WIRE_START:
        tprof_arch_copy(c->start, value, sizeof c->start);
        /* fall through */
    case WIRE_STOP:
    case WIRE_GREET:
        c->wanted = type;
        break;
    case WIRE_PING:
        c->owed |= TPROF_OWE_PONG;
        c->cookie = value[WIRE_PING_COOKIE];
        break;
    case WIRE_RESET:
        c->maps = 0;    /* a MAP may have been lost on the way */
        if (!c->wanted) /* else the wanted order does this, too */
            c->wanted = type;
        break;
    default: /* of a later minor version */
        break;
    }
}

/* Reads one frame of the (left) bytes at (at). Returns the number of bytes that
 * are done with; 0: the frame is not complete. */
static uint32_t hear_some(struct tprof_control *c, const uint8_t *at,
                          uint32_t left)
{
    if (left < WIRE_FRAME_HEADER)
        return 0;
    uint32_t body = tprof_load16(at + WIRE_FRAME_LENGTH);
    uint32_t whole = WIRE_FRAME_HEADER + body + WIRE_FRAME_TRAILER;

    int fits = tprof_load16(at + WIRE_FRAME_MAGIC) == WIRE_MAGIC &&
               whole <= TPROF_RX_SIZE;

    if (fits && left < whole)
        return 0;
    if (!fits || tprof_load32(at + whole - WIRE_FRAME_TRAILER) !=
                     tprof_crc32c_sum(&tprof_agent.crc, at,
                                      whole - WIRE_FRAME_TRAILER)) {
        c->rx_errors++;
        return 1;
    }
    hear_frame(c, at[WIRE_FRAME_TYPE], at + WIRE_FRAME_HEADER, body);
    return whole;
}

void tprof_control_hear(struct tprof_control *c, uint32_t size)
{
    uint32_t at = 0;
    uint32_t done;

    c->rx_used += size;
    while ((done = hear_some(c, c->rx + at, c->rx_used - at)) > 0)
        at += done;
    /* the rest is the beginning of a frame; moved once, after all bytes that
     * are no frame */
    c->rx_used -= at;
    for (uint32_t i = 0; at > 0 && i < c->rx_used; i++)
        c->rx[i] = c->rx[at + i];
}

void tprof_control_follow(struct tprof_control *c, uint64_t now)
{
    struct tprof_orders *o = &tprof_agent.orders;
    bool is_sampling = tprof_state() == WIRE_STATE_SAMPLING;
    bool is_end = c->wanted == WIRE_STOP && is_sampling;
    uint64_t pause = tprof_agent.second / FOLLOWED;

    if (!c->wanted || (!is_end && tprof_is_ahead(o->not_before, now, pause)))
        return;
    o->not_before = now + pause;
    if (c->wanted == WIRE_GREET) {
        tprof_control_open(c, now);
        return;
    }
    if (c->wanted != WIRE_RESET)
        /* the rings' records are for this host */
        atomic_store_explicit(&tprof_agent.booting, 0, memory_order_relaxed);
    if (c->wanted == WIRE_START)
        start_sampling(c);
    else if (c->wanted == WIRE_STOP)
        /* also if sampling never started, because the host waits for the last
         * STATS */
        stop_sampling(WIRE_STATE_DRAINING);
    else if (is_sampling)
        /* the same orders, given again: dictionaries begin anew */
        tprof_control_give_orders();
    c->wanted = 0;
}

void tprof_control_open(struct tprof_control *c, uint64_t now)
{
    struct tprof_agent *a = &tprof_agent;

    stop_sampling(WIRE_STATE_STOPPED); /* config.always and config.boot */
    order_sums(TPROF_SUMS_FORGET);
    tprof_arch_zero(c, sizeof *c);
    c->owed = TPROF_OWE_HELLO;
    c->stats_due = now + a->second;
    c->counters_told = UINT32_MAX; /* until the next STATS */
    /* a clone draws another number than its parent and than other clones */
    a->nonce = tprof_seed(now, 0) ^ tprof_arch_random();
    if (!a->booting) { /* otherwise the session has begun at boot */
        a->session++;
        a->hello[WIRE_HELLO_FEATURES] &= ~(uint64_t)WIRE_FEATURE_BOOT;
    }
    if (a->channel.flags & TPROF_CHANNEL_ONE_WAY)
        hear_frame(c, WIRE_START, c->rx, 0);
}

void tprof_control_alone(struct tprof_control *c)
{
    stop_sampling(WIRE_STATE_STOPPED);
    if (!tprof_agent.config.always && !tprof_agent.booting)
        return;
    hear_frame(c, WIRE_START, c->rx, 0);
    start_sampling(c);
}

/* Marks the STATS of all cores, all counters of the kernel's work, and the sums
 * of threads as owed. (sums) says which sums. */
static void owe_stats(struct tprof_control *c, enum tprof_sums_order sums)
{
    order_sums(sums);
    c->stats_next = 0;
    c->stats_end = tprof_cpus;
    c->counters_told = 0;
}

/* Are STATS due? If so, core (c->stats_next) has joined. */
static bool are_stats_owed(struct tprof_control *c)
{
    while (c->stats_next < c->stats_end && !tprof_cpu[c->stats_next])
        c->stats_next++;
    return c->stats_next < c->stats_end;
}

/* Is a PROGRESS due? */
static bool owes_counters(struct tprof_control *c)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t flushes = atomic_load_explicit(&a->flushes, memory_order_relaxed);

    if (c->flushes != flushes && tprof_state() == WIRE_STATE_SAMPLING) {
        c->counters_told = 0;
        order_sums(TPROF_SUMS_SEND);
    }
    c->flushes = flushes;
    /* acquire: pairs with the release in tprof_add_counter(), progress.c */
    return c->counters_told <
           atomic_load_explicit(&a->work_counters, memory_order_acquire);
}

/* Are sums of threads due, or does the pump prepare them? */
static bool owes_threads(void)
{
    return atomic_load_explicit(&tprof_agent.owes_sums, memory_order_relaxed) &&
           tprof_state() != WIRE_STATE_STOPPED;
}

bool tprof_control_owes_sums(struct tprof_control *c)
{
    return owes_counters(c) || owes_threads();
}

/* Does every core know that sampling is over? A core that does not follow
 * within three eighths of a second counts as gone, and its last STATS are not
 * final. The host waits at most a second, and the clock may be twice as fast as
 * the guess. */
static bool have_all_cores_heard(uint64_t now)
{
    uint64_t patience = tprof_agent.second / 8 * 3;
    /* (given) may be a little ahead of (now); after a clock that went back, the
     * wait ends immediately */
    bool is_late = tprof_is_far(tprof_agent.orders.given, now, patience);

    for (uint32_t i = 0; i < tprof_cpus && !is_late; i++) {
        if (tprof_cpu[i] && !tprof_follows(tprof_cpu[i]))
            return false;
    }
    return true;
}

/* Marks STATS of all cores as owed every four seconds. On a one-way channel
 * marks them every second, with HELLO, STATUS, MAP and dictionaries, because a
 * reader may come late. */
static void repeat_facts(struct tprof_control *c, uint64_t now)
{
    int one_way = (tprof_agent.channel.flags & TPROF_CHANNEL_ONE_WAY) != 0;

    if (now < c->stats_due)
        return;
    c->stats_due = now + tprof_agent.second * (one_way ? 1 : STATS_SECONDS);
    if (one_way) {
        c->owed |= TPROF_OWE_HELLO | TPROF_OWE_STATUS;
        c->maps = 0;
        tprof_control_give_orders();
    }
    owe_stats(c, TPROF_SUMS_SEND);
}

/* Takes one step after STOP at each call: the last STATS when all records are
 * sent, then STATUS, which ends the session's samples. */
static void finish_sampling(struct tprof_control *c, uint64_t now, int drained)
{
    switch (c->last_stats) {
    case TPROF_LAST_STATS_UNHEARD:
        /* a ring that is empty after this stays empty */
        if (have_all_cores_heard(now))
            c->last_stats = TPROF_LAST_STATS_DRAINING;
        break;
    case TPROF_LAST_STATS_DRAINING:
        if (!drained)
            break;
        c->last_stats = TPROF_LAST_STATS_SENDING;
        owe_stats(c, TPROF_SUMS_SEND_ALL);
        break;
    case TPROF_LAST_STATS_SENDING:
        if (!drained) { /* a core that came late wrote again */
            c->last_stats = TPROF_LAST_STATS_DRAINING;
            break;
        }
        if (are_stats_owed(c) || tprof_control_owes_sums(c))
            break;
        c->last_stats = TPROF_LAST_STATS_UNHEARD;
        c->owed |= TPROF_OWE_STATUS;
        stop_sampling(WIRE_STATE_STOPPED);
        break;
    }
}

uint32_t tprof_control_due(struct tprof_control *c, uint64_t now, int drained)
{
    uint64_t state = tprof_state();

    if (state == WIRE_STATE_SAMPLING)
        repeat_facts(c, now);
    else if (state == WIRE_STATE_DRAINING)
        finish_sampling(c, now, drained);
    uint32_t owed = c->owed | (are_stats_owed(c) ? TPROF_OWE_STATS : 0);

    /* acquire: pairs with the release in tell_change(), map.c */
    if (c->maps !=
        atomic_load_explicit(&tprof_agent.maps, memory_order_acquire))
        owed |= TPROF_OWE_MAP;
    if (owes_counters(c))
        owed |= TPROF_OWE_PROGRESS;
    if (owes_threads())
        owed |= TPROF_OWE_THREADS;

    return owed ? (uint32_t)__builtin_ctz(owed) : 0;
}
