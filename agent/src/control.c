/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol: what the host asks, and what it is told. */
#include "control.h"

#include "mem.h"

#define PERIOD_MAX    ((uint64_t)1 << 36) /* TSC ticks: over 10 s anywhere */
#define PERIOD_MIN    1000u
#define STATS_SECONDS 4u /* between two, while sampling */

/* Gives every core new orders, and wakes those whose timer is off. */
static void give_orders(void)
{
    struct tprof_agent *a = &tprof_agent;

    /* release: pairs with the acquire in tick.c; the orders are complete */
    atomic_fetch_add_explicit(&a->generation, 1, memory_order_release);
    if (a->config.timer != TPROF_TIMER_APIC)
        return; /* the kernel's ticks come anyway */
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

#define TAGS 8u /* the host's frames have smaller ones */

/* The integer fields of a body by tag; those that are absent stay as they are*/
static void hear_fields(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    while (end - at >= (int)WIRE_FIELD_HEADER &&
           end - at - (int)WIRE_FIELD_HEADER >= at[1]) {
        uint64_t v = 0;

        for (uint32_t i = at[1]; i > 0; i--)
            v = v << 8 | at[WIRE_FIELD_HEADER + i - 1];
        if (at[0] < TAGS)
            value[at[0]] = v;
        at += WIRE_FIELD_HEADER + at[1];
    }
}

/* START: (order) is its fields, by tag. */
static void start(struct tprof_session *s, const uint64_t *order)
{
    const struct tprof_agent *a = &tprof_agent;
    struct tprof_orders *o = &tprof_agent.orders;
    uint64_t rate_hz =
        clamp(order[WIRE_CONTROL_RATE_HZ], WIRE_RATE_MIN_HZ, WIRE_RATE_MAX_HZ);
    uint64_t period = order[WIRE_CONTROL_PERIOD_TSC];

    TPROF_BASE(o);
    if (period == 0)
        period = a->hello[WIRE_HELLO_TSC_HZ] / rate_hz;
    if (a->config.timer == TPROF_TIMER_KERNEL) {
        o->every = clamp(a->config.kernel_hz / rate_hz, 1, UINT32_MAX);
        /* what was asked for, or as the host has measured it, in whole ticks */
        period = period * rate_hz / a->config.kernel_hz * o->every;
    }
    s->owed |= TPROF_OWE_STATUS;
    o->refused = WIRE_REFUSED_NO_CLOCK;
    if (period == 0)
        return;
    o->refused = WIRE_REFUSED_NOTHING;
    s->finals = TPROF_FINALS_NONE;
    o->rate_hz = rate_hz;
    /* no shorter than at the fastest rate, also where the clock's is but
     * guessed, or else a guest did nothing but ticks */
    if (period < a->second / WIRE_RATE_MAX_HZ)
        period = a->second / WIRE_RATE_MAX_HZ;
    o->period = clamp(period, PERIOD_MIN, PERIOD_MAX);
    o->depth = clamp(order[WIRE_CONTROL_DEPTH], 1, WIRE_STACK_FRAMES_MAX);
    /* release: pairs with the acquire in settle(), tick.c; no period of 0 */
    atomic_store_explicit(&o->state, WIRE_STATE_SAMPLING, memory_order_release);
    give_orders();
}

/* No more samples: from now on (state). */
static void stop(uint64_t state)
{
    int was_sampling = tprof_state() == WIRE_STATE_SAMPLING;

    atomic_store_explicit(&tprof_agent.orders.state, state,
                          memory_order_relaxed);
    if (was_sampling)
        give_orders();
}

static void hear_frame(struct tprof_session *s, uint32_t type,
                       const uint8_t *body, uint32_t size)
{
    const uint64_t *hello = tprof_agent.hello;
    uint64_t value[TAGS] = {0};

    if (type == WIRE_START) {
        value[WIRE_CONTROL_RATE_HZ] = hello[WIRE_HELLO_RATE_HZ];
        value[WIRE_CONTROL_DEPTH] = hello[WIRE_HELLO_DEPTH];
    }
    hear_fields(body, body + size, value);
    switch (type) {
    case WIRE_START:
        start(s, value);
        break;
    case WIRE_STOP:
        stop(WIRE_STATE_DRAINING); /* never started: to its last STATS, too */
        break;
    case WIRE_PING:
        s->owed |= TPROF_OWE_PONG;
        s->cookie = value[WIRE_PING_COOKIE];
        break;
    case WIRE_RESET:
        s->maps = 0; /* what the host has lost may have been of them */
        if (tprof_state() == WIRE_STATE_SAMPLING)
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

    int fits = tprof_load16(at + WIRE_FRAME_MAGIC) == WIRE_MAGIC &&
               whole <= TPROF_RX_SIZE;

    if (fits && left < whole)
        return 0;
    if (!fits ||
        tprof_load32(at + whole - WIRE_FRAME_TRAILER) !=
            tprof_crc32c(&tprof_agent.crc, at, whole - WIRE_FRAME_TRAILER)) {
        s->rx_errors++;
        return 1;
    }
    hear_frame(s, at[WIRE_FRAME_TYPE], at + WIRE_FRAME_HEADER, body);
    return whole;
}

void tprof_session_hear(struct tprof_session *s, uint32_t size)
{
    uint32_t at = 0;
    uint32_t done;

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
        hear_frame(s, WIRE_START, s->rx, 0);
}

void tprof_session_close(void)
{
    stop(WIRE_STATE_STOPPED);
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

    /* for `collector check`: an absolute symbol, which takes no room */
    __asm__ volatile(".globl tprof_wire_version\n"
                     ".set tprof_wire_version, %c0" ::"i"(TPROF_WIRE_VERSION));
    tprof_frame_field(f, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION);
    tprof_frame_bytes(f, WIRE_HELLO_AGENT_VERSION, TPROF_VERSION_STRING,
                      sizeof TPROF_VERSION_STRING - 1);
    tprof_frame_field(f, WIRE_HELLO_ARCH, WIRE_ARCH_X86_64);
    tprof_frame_bytes(f, WIRE_HELLO_BOOT_ID, a->boot_id, WIRE_BOOT_ID_SIZE);
    put_run(f, WIRE_HELLO_CORES, &a->hello[WIRE_HELLO_CORES], 2);
    put_build_id(f);
    put_run(f, WIRE_HELLO_TEXT_START, &a->hello[WIRE_HELLO_TEXT_START],
            WIRE_HELLO_READABLE - WIRE_HELLO_TEXT_START + 1);
}

static void put_stats(const struct tprof_session *s, struct tprof_frame *f,
                      uint32_t core)
{
    struct tprof_cpu *cpu = tprof_cpu[core];
    const struct tprof_stats *c = tprof_counts(cpu);
    const struct tprof_hypervisor *hypervisor = tprof_agent.config.hypervisor;
    uint32_t final = s->finals == TPROF_FINALS_OWED;
    uint64_t flags =
        final * WIRE_STATS_FINAL + cpu->started * WIRE_STATS_STARTED;
    const uint64_t head[] = {core, cpu->apic_id, tprof_rdtsc(), flags};

    put_run(f, WIRE_STATS_CORE, head, 4);
    /* struct tprof_stats has them in the order of their tags */
    put_run(f, WIRE_STATS_TICKS, &c->ticks,
            WIRE_STATS_FOREIGN - WIRE_STATS_TICKS + 1);
    tprof_frame_field(f, WIRE_STATS_REPAIRED, c->repaired);
    if (core == 0)
        put_run(f, WIRE_STATS_DEVICE_ERRORS, &tprof_troubles.device_errors,
                sizeof tprof_troubles / sizeof(uint64_t));
    if (hypervisor)
        tprof_frame_field(f, WIRE_STATS_STEAL, hypervisor->steal_ns(cpu->page));
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

/* Now and then the live counters; on a one-way channel all else again, and
 * every second, for a reader who comes in the middle. */
static void repeat(struct tprof_session *s, uint64_t now)
{
    int one_way = (tprof_agent.channel.flags & TPROF_CHANNEL_ONE_WAY) != 0;

    if (now < s->stats_due)
        return;
    s->stats_due = now + tprof_agent.second * (one_way ? 1 : STATS_SECONDS);
    if (one_way) {
        s->owed |= TPROF_OWE_HELLO | TPROF_OWE_STATUS;
        s->maps = 0;
        give_orders();
    }
    s->owed_stats = joined();
}

/* After STOP: when all is said, the last counters, and that it is over. */
static void wind_up(struct tprof_session *s, int drained)
{
    switch (s->finals) {
    case TPROF_FINALS_NONE:
        if (settled()) /* only a ring that is empty after this stays so */
            s->finals = TPROF_FINALS_WAIT;
        break;
    case TPROF_FINALS_WAIT:
        if (!drained)
            break;
        s->finals = TPROF_FINALS_OWED;
        s->owed_stats = joined();
        break;
    case TPROF_FINALS_OWED:
        if (s->owed_stats)
            break;
        s->finals = TPROF_FINALS_NONE;
        s->owed |= TPROF_OWE_STATUS;
        stop(WIRE_STATE_STOPPED);
        break;
    }
}

uint32_t tprof_session_due(struct tprof_session *s, uint64_t now, int drained)
{
    uint64_t state = tprof_state();

    if (state == WIRE_STATE_SAMPLING)
        repeat(s, now);
    else if (state == WIRE_STATE_DRAINING)
        wind_up(s, drained);
    uint32_t owed = s->owed | (s->owed_stats ? TPROF_OWE_STATS : 0);

    if (s->maps != tprof_agent.maps)
        owed |= TPROF_OWE_MAP;

    return owed ? (uint32_t)__builtin_ctz(owed) : 0;
}

void tprof_session_speak(struct tprof_session *s, struct tprof_frame *f,
                         uint32_t type)
{
    uint64_t pong[2];

    s->owed &= ~(1u << type);
    switch (type) {
    case WIRE_HELLO:
        put_hello(f);
        break;
    case WIRE_MAP:
        tprof_agent.put_map(s, f);
        break;
    case WIRE_PONG:
        pong[0] = s->cookie;
        pong[1] = tprof_rdtsc();
        put_run(f, WIRE_PING_COOKIE, pong, 2);
        break;
    case WIRE_STATUS:
        put_run(f, WIRE_CONTROL_RATE_HZ, &tprof_agent.orders.rate_hz,
                sizeof(struct tprof_orders) / sizeof(uint64_t));
        break;
    default:
        put_stats(s, f, (uint32_t)__builtin_ctzll(s->owed_stats));
        s->owed_stats &= s->owed_stats - 1;
    }
}
