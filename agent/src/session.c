/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol: what the host asks, and what it is told. */
#include "session.h"

#include "mem.h"

#define PERIOD_MAX ((uint64_t)1 << 36) /* TSC ticks: over 10 s anywhere */
#define PERIOD_MIN 1000u

/* Gives every core new orders, and wakes those whose timer is off. */
static void give_orders(void)
{
    struct tprof_agent *a = &tprof_agent;

    /* release: pairs with the acquire in tick.c; the orders are complete */
    atomic_fetch_add_explicit(&a->generation, 1, memory_order_release);
    if (a->config.timer == TPROF_TIMER_KERNEL)
        return; /* its ticks come anyway */
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_cpu *cpu = tprof_cpu[i];

        if (cpu && atomic_load_explicit(&cpu->started, memory_order_acquire))
            tprof_lapic_send(&a->lapic, cpu->apic_id);
    }
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* The next field of [*at, end), or 0. */
static int next_field(const uint8_t **at, const uint8_t *end, uint32_t *tag,
                      uint64_t *value)
{
    const uint8_t *p = *at;

    if (end - p < (int)WIRE_FIELD_HEADER ||
        end - p < (int)WIRE_FIELD_HEADER + p[1])
        return 0;
    *tag = p[0];
    *value = 0;
    for (uint32_t i = p[1]; i > 0; i--)
        *value = *value << 8 | p[WIRE_FIELD_HEADER + i - 1];
    *at = p + WIRE_FIELD_HEADER + p[1];
    return 1;
}

/* TSC ticks between samples at (rate_hz); 0: the clock's rate is unknown. */
static uint64_t period_of(uint32_t rate_hz)
{
    return tprof_agent.tsc_hz / rate_hz;
}

/* The shortest period that a host may ask for: that of the fastest rate. */
static uint64_t period_min(void)
{
    uint64_t period = period_of(WIRE_RATE_MAX_HZ);

    return period > PERIOD_MIN ? period : PERIOD_MIN;
}

static void start(struct tprof_session *s, uint32_t rate_hz, uint32_t depth,
                  uint64_t period)
{
    struct tprof_agent *a = &tprof_agent;
    struct tprof_orders *o = &a->orders;

    rate_hz = (uint32_t)clamp(rate_hz, WIRE_RATE_MIN_HZ, WIRE_RATE_MAX_HZ);
    if (period == 0)
        period = period_of(rate_hz);
    if (a->config.timer == TPROF_TIMER_KERNEL) {
        o->every = a->config.kernel_hz / rate_hz;
        if (o->every == 0)
            o->every = 1;
        if (a->tsc_hz)
            period = a->tsc_hz / a->config.kernel_hz * o->every;
    }
    s->owed |= TPROF_OWE_STATUS;
    s->refused = WIRE_REFUSED_NO_CLOCK;
    if (period == 0)
        return;
    s->refused = WIRE_REFUSED_NOTHING;
    s->finals = 0;
    a->config.rate_hz = rate_hz;
    o->period = clamp(period, period_min(), PERIOD_MAX);
    o->depth = (uint32_t)clamp(depth, 1, WIRE_STACK_FRAMES_MAX);
    o->sampling = 1;
    s->state = WIRE_STATE_SAMPLING;
    give_orders();
}

static void stop(struct tprof_session *s)
{
    if (!tprof_agent.orders.sampling) {
        /* asked twice, or never started: it wants its last STATS all the same
         */
        s->state = WIRE_STATE_DRAINING;
        return;
    }
    tprof_agent.orders.sampling = 0;
    s->state = WIRE_STATE_DRAINING;
    give_orders();
}

static void hear_start(struct tprof_session *s, const uint8_t *at,
                       const uint8_t *end)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t value, rate = a->config.rate_hz, depth = a->config.max_frames;
    uint64_t period = 0;
    uint32_t tag;

    while (next_field(&at, end, &tag, &value)) {
        if (tag == WIRE_CONTROL_RATE_HZ)
            rate = value;
        else if (tag == WIRE_CONTROL_DEPTH)
            depth = value;
        else if (tag == WIRE_CONTROL_PERIOD_TSC)
            period = value;
    }
    start(s, (uint32_t)clamp(rate, 1, WIRE_RATE_MAX_HZ),
          (uint32_t)clamp(depth, 1, WIRE_STACK_FRAMES_MAX), period);
}

static void hear_frame(struct tprof_session *s, uint32_t type,
                       const uint8_t *body, uint32_t size)
{
    const uint8_t *end = body + size;
    uint64_t value;
    uint32_t tag;

    switch (type) {
    case WIRE_START:
        hear_start(s, body, end);
        break;
    case WIRE_STOP:
        stop(s);
        break;
    case WIRE_PING:
        s->owed |= TPROF_OWE_PONG;
        while (next_field(&body, end, &tag, &value)) {
            if (tag == WIRE_PING_COOKIE)
                s->cookie = value;
        }
        break;
    case WIRE_RESET:
        if (tprof_agent.orders.sampling)
            give_orders(); /* the same again: dictionaries begin anew */
        break;
    default: /* of a later minor version */
        break;
    }
}

/* Bytes from (at) that are done with, of (left); 0: more are needed. */
static uint32_t hear_some(struct tprof_session *s, const uint8_t *at,
                          uint32_t left)
{
    if (left < WIRE_FRAME_HEADER)
        return 0;
    uint32_t body = tprof_load16(at + WIRE_FRAME_LENGTH);
    uint32_t whole = WIRE_FRAME_HEADER + body + WIRE_FRAME_TRAILER;

    if (tprof_load16(at + WIRE_FRAME_MAGIC) != WIRE_MAGIC ||
        whole > TPROF_RX_SIZE) {
        s->rx_errors++;
        return 1;
    }
    if (left < whole)
        return 0;
    if (tprof_load32(at + whole - WIRE_FRAME_TRAILER) !=
        tprof_crc32c(&tprof_agent.crc, at, whole - WIRE_FRAME_TRAILER)) {
        s->rx_errors++;
        return 1;
    }
    hear_frame(s, at[WIRE_FRAME_TYPE], at + WIRE_FRAME_HEADER, body);
    return whole;
}

void tprof_session_hear(struct tprof_session *s, uint32_t size, uint64_t now)
{
    uint32_t at = 0;
    uint32_t done;

    (void)now;
    s->rx_used += size;
    while ((done = hear_some(s, s->rx + at, s->rx_used - at)) > 0)
        at += done;
    /* the rest begins a frame; moved once, however much nonsense came before */
    s->rx_used -= at;
    for (uint32_t i = 0; at > 0 && i < s->rx_used; i++)
        s->rx[i] = s->rx[at + i];
}

void tprof_session_open(struct tprof_session *s, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;

    memset(s, 0, sizeof *s);
    s->owed = TPROF_OWE_HELLO;
    s->stats_due = now + a->second;
    /* what an earlier session left in the rings is in nobody's dictionary */
    for (uint32_t i = 0; i < tprof_cpus; i++) {
        if (tprof_cpu[i])
            tprof_cpu[i]->reader.discard =
                tprof_ring_used(&tprof_cpu[i]->recorder.ring);
    }
    if (a->channel.flags & TPROF_CHANNEL_ONE_WAY)
        start(s, a->config.rate_hz, a->config.max_frames, 0);
}

void tprof_session_close(struct tprof_session *s)
{
    s->state = WIRE_STATE_STOPPED;
    if (!tprof_agent.orders.sampling)
        return;
    tprof_agent.orders.sampling = 0;
    give_orders();
}

static void put_build_id(struct tprof_frame *f)
{
    /* an ELF note: name size, description size, type, "GNU", the id */
    const uint8_t *note = tprof_agent.image.build_id;
    const uint8_t *end = tprof_agent.image.build_id_end;

    if (!note || end - note <= 16)
        return;
    uint32_t size = tprof_load32(note + 4);

    if (tprof_load32(note) == 4 && size <= (uint32_t)(end - note) - 16)
        tprof_frame_bytes(f, WIRE_HELLO_BUILD_ID, note + 16, size);
}

static uint32_t readable_ranges(void)
{
    uint32_t n = 0;

    for (int i = 0; i < TPROF_RANGES; i++)
        n += tprof_agent.config.readable[i].size > 0;
    return n;
}

/* Fields, of which the tags follow each other from (tag) on. */
static void put_run(struct tprof_frame *f, uint32_t tag, const uint64_t *value,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tprof_frame_field(f, tag + i, value[i]);
}

static void put_hello(struct tprof_frame *f)
{
    const struct tprof_agent *a = &tprof_agent;
    const struct tprof_config *c = &a->config;
    uint64_t image[] = {
        a->bounds.text_start,
        a->bounds.text_size,
        a->text_crc,
        a->anchor,
        c->rate_hz,
        c->max_frames,
        c->timer == TPROF_TIMER_KERNEL ? WIRE_INTERVALS_KERNEL
                                       : WIRE_INTERVALS_AGENT,
        c->dict_slots,
        a->channel.flags & TPROF_CHANNEL_ONE_WAY ? WIRE_FEATURE_ONE_WAY : 0,
        a->directory,
        c->kernel_hz,
        readable_ranges()};
    uint64_t machine[] = {tprof_cpus, a->tsc_hz};

    _Static_assert(sizeof image / sizeof *image ==
                       WIRE_HELLO_READABLE - WIRE_HELLO_TEXT_START + 1,
                   "one value for each tag");
    tprof_frame_field(f, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION);
    tprof_frame_bytes(f, WIRE_HELLO_AGENT_VERSION, TPROF_VERSION_STRING,
                      sizeof TPROF_VERSION_STRING - 1);
    tprof_frame_field(f, WIRE_HELLO_ARCH, WIRE_ARCH_X86_64);
    tprof_frame_bytes(f, WIRE_HELLO_BOOT_ID, a->boot_id, sizeof a->boot_id);
    put_run(f, WIRE_HELLO_CORES, machine, 2);
    put_build_id(f);
    put_run(f, WIRE_HELLO_TEXT_START, image, sizeof image / sizeof *image);
}

static void put_status(const struct tprof_session *s, struct tprof_frame *f)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t value[] = {a->config.rate_hz, a->orders.depth, 0,
                        a->orders.period,  s->state,        a->orders.every,
                        s->refused};

    _Static_assert(sizeof value / sizeof *value == WIRE_CONTROL_ERROR,
                   "one value for each tag");
    put_run(f, WIRE_CONTROL_RATE_HZ, value, sizeof value / sizeof *value);
}

static void put_stats(const struct tprof_session *s, struct tprof_frame *f,
                      uint32_t core, uint64_t now, int final)
{
    struct tprof_stats stats;
    uint32_t flags = 0;

    tprof_get_stats(core, &stats);
    if (final)
        flags |= WIRE_STATS_FINAL;
    if (stats.started)
        flags |= WIRE_STATS_STARTED;
    tprof_frame_field(f, WIRE_STATS_CORE, core);
    tprof_frame_field(f, WIRE_STATS_APIC_ID, stats.apic_id);
    tprof_frame_field(f, WIRE_STATS_TSC, now);
    tprof_frame_field(f, WIRE_STATS_FLAGS, flags);
    /* struct tprof_stats has them in the order of their tags */
    put_run(f, WIRE_STATS_TICKS, &stats.ticks,
            WIRE_STATS_FOREIGN - WIRE_STATS_TICKS + 1);
    if (core != 0)
        return;
    tprof_frame_field(f, WIRE_STATS_DEVICE_ERRORS, s->device_errors);
    tprof_frame_field(f, WIRE_STATS_BUSY, s->busy);
    tprof_frame_field(f, WIRE_STATS_UNKNOWN_CPU, tprof_unknown_cpu);
}

/* Cores that have joined, as bits. */
static uint64_t joined(void)
{
    uint64_t cores = 0;

    for (uint32_t i = 0; i < tprof_cpus; i++)
        cores |= (uint64_t)(tprof_cpu[i] != NULL) << i;
    return cores;
}

/* Has every core heard that sampling is over? */
static int settled(void)
{
    const struct tprof_agent *a = &tprof_agent;
    uint32_t generation =
        atomic_load_explicit(&a->generation, memory_order_relaxed);

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_cpu *cpu = tprof_cpu[i];

        /* acquire: pairs with the release in settle(), tick.c */
        if (cpu && atomic_load_explicit(&cpu->started, memory_order_relaxed) &&
            atomic_load_explicit(&cpu->settled, memory_order_acquire) !=
                generation)
            return 0;
    }
    return 1;
}

/* Once a second: the live counters; on a one-way channel all else again. */
static void repeat(struct tprof_session *s, uint64_t now)
{
    if (s->state != WIRE_STATE_SAMPLING || now < s->stats_due)
        return;
    s->stats_due = now + tprof_agent.second;
    s->owed_stats = joined();
    if (tprof_agent.channel.flags & TPROF_CHANNEL_ONE_WAY) {
        s->owed |= TPROF_OWE_HELLO | TPROF_OWE_STATUS;
        give_orders();
    }
}

uint32_t tprof_session_speak(struct tprof_session *s, void *data, uint32_t size,
                             uint64_t now, int drained)
{
    struct tprof_frame f;
    int final = 0;

    repeat(s, now);
    if (s->state == WIRE_STATE_DRAINING) {
        if (settled() && drained && !s->finals) {
            s->finals = 1;
            s->owed_stats = joined();
        }
        final = s->finals != 0;
        if (final && s->owed_stats == 0) {
            s->state = WIRE_STATE_STOPPED;
            s->finals = 0;
            s->owed |= TPROF_OWE_STATUS;
        }
    }
    if (s->owed & TPROF_OWE_HELLO) {
        s->owed &= ~TPROF_OWE_HELLO;
        tprof_frame_begin(&f, data, size, WIRE_HELLO, s->seq);
        put_hello(&f);
    } else if (s->owed & TPROF_OWE_PONG) {
        s->owed &= ~TPROF_OWE_PONG;
        tprof_frame_begin(&f, data, size, WIRE_PONG, s->seq);
        tprof_frame_field(&f, WIRE_PING_COOKIE, s->cookie);
        tprof_frame_field(&f, WIRE_PING_TSC, tprof_rdtsc());
    } else if (s->owed & TPROF_OWE_STATUS) {
        s->owed &= ~TPROF_OWE_STATUS;
        tprof_frame_begin(&f, data, size, WIRE_STATUS, s->seq);
        put_status(s, &f);
    } else if (s->owed_stats) {
        uint32_t core = (uint32_t)__builtin_ctzll(s->owed_stats);

        s->owed_stats &= s->owed_stats - 1;
        tprof_frame_begin(&f, data, size, WIRE_STATS, s->seq);
        put_stats(s, &f, core, now, final);
    } else {
        return 0;
    }
    s->seq++;
    return tprof_frame_end(&f, &tprof_agent.crc);
}
