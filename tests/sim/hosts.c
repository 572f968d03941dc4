/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is at the other end: the collector's own pipeline, or somebody who sends
 * what it likes. All that any of them receives goes to checks.c, too.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/pipeline.h"
#include "guest/source/source.h"
#include "guest/talk/talk.h"
#include "sim.h"

#define INTERRUPTS 600u   /* in which a host may have its fun */
#define MANY       10000u /* likewise, of one that stays */

static const struct host_kind {
    const char *name;
    uint32_t weight;
    void (*act)(void);
} * kind;

static uint64_t until;        /* ns: then it goes, or says STOP */
static uint64_t serial_limit; /* or then */
static bool over = true, polite, served;
static uint16_t seq;

/* --- The collector -------------------------------------------------------- */

static struct pipeline *pipeline;
static bool stopped;
static uint64_t lasts;        /* ns: sampling */
static uint32_t most_serials; /* interrupts in that time */
static uint64_t given_up;     /* ns: whoever is not served by then goes */
static uint64_t pipeline_samples;

/* The collector's clock is the simulation's: --wrap=clock_ns. */
uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_ns(void)
{
    return host_now_ns();
}

static enum source_state source_open(struct source *s, struct err *e)
{
    (void)s;
    (void)e;
    if (link_now.state == LINK_OPEN)
        return SOURCE_OPEN;
    if (link_now.state != LINK_CALLING)
        link_call();
    return link_now.state == LINK_OPEN ? SOURCE_OPEN : SOURCE_ABSENT;
}

static ssize_t source_read(struct source *s, void *buf, size_t size,
                           uint64_t *arrival_ns, struct err *e)
{
    (void)s;
    (void)e;
    *arrival_ns = host_now_ns();
    size_t n = link_receive(buf, size);

    check_received(buf, n);
    if (n == 0 && link_now.state != LINK_OPEN)
        return SOURCE_END;
    return (ssize_t)n;
}

static ssize_t source_write(struct source *s, const void *buf, size_t size,
                            struct err *e)
{
    (void)s;
    (void)e;
    return (ssize_t)link_send(buf, size);
}

static void link_source_close(struct source *s)
{
    link_hang_up();
    free(s);
}

static const struct source_ops memory_source = {
    .name = "memory",
    .open = source_open,
    .read = source_read,
    .write = source_write,
    .close = link_source_close,
};

static void begin_collector(void)
{
    struct source *s = calloc(1, sizeof *s);
    struct pipeline_config config = {
        .rate_hz =
            chance(200) ? 0 : (uint32_t)draw_log(chance(50) ? 50000 : 10000),
        .depth = chance(500) ? 0 : 1 + below(WIRE_STACK_FRAMES_MAX),
    };
    struct err e;
    uint64_t rate = config.rate_hz ? config.rate_hz : guest_config.rate_hz;

    if (!s)
        abort();
    s->ops = &memory_source;
    s->live = s->reconnects = true;
    s->fd = 0;
    s->path = "simulation";
    if (rate == 0)
        rate = 997;
    if (polite && rate < 20) /* to see some samples in the time that is left */
        rate = config.rate_hz = 20;
    lasts = (50 + below(300)) * (uint64_t)SIM_SECOND / rate;
    most_serials = INTERRUPTS;
    note("host: a collector for %lu Hz", rate, 0, 0);
    if (!polite && lasts > SIM_SECOND)
        lasts = SIM_SECOND;
    given_up = host_now_ns() +
               (polite && !device_lied ? 40u : 3u) * (uint64_t)SIM_SECOND;
    stopped = false;
    pipeline = pipeline_new(s, &config, &e);
    if (!pipeline)
        fail("collector: %s", e.text);
}

static void end_collector(void)
{
    enum pipeline_end why;
    struct err e;

    if (pipeline_close(pipeline, &why, &e) < 0)
        fail("collector: %s", e.text);
    pipeline_samples += pipeline_sums(pipeline).samples;
    pipeline_free(pipeline);
    pipeline = NULL;
    over = true;
    note("host: the collector is done", 0, 0, 0);
}

static void act_collector(void)
{
    static uint8_t buf[65536];
    struct err e;
    uint64_t now = host_now_ns();

    if (!pipeline_is_sampling(pipeline) && !stopped) {
        until = now + lasts; /* counts from START */
        serial_limit = injected() + most_serials;
    }
    if (!stopped && (now >= until || injected() > serial_limit)) {
        bool rude = !polite && chance(200);

        note(rude ? "host: the collector is killed" : "host: STOP", 0, 0, 0);
        stopped = true;
        pipeline_stop(pipeline, rude ? PIPELINE_ABANDONED : PIPELINE_STOPPED);
    }
    if (now > given_up) {
        note("host: the collector gives up", 0, 0, 0);
        stopped = true;
        pipeline_stop(pipeline, PIPELINE_ABANDONED);
    }
    bool readable = link_now.to_host_size > 0 || link_now.state == LINK_CLOSED;
    int goes_on = pipeline_step(pipeline, readable, buf, sizeof buf, &e);

    if (goes_on < 0)
        fail("collector: %s", e.text);
    if (stopped && has_last_stats())
        served = true;
    if (!goes_on)
        end_collector();
}

/* --- Others --------------------------------------------------------------- */

static bool is_there(void)
{
    if (link_now.state == LINK_OPEN)
        return true;
    if (link_now.state != LINK_CALLING)
        link_call();
    return false;
}

static void listen(size_t most)
{
    static uint8_t buf[65536];
    size_t n = link_receive(buf, most < sizeof buf ? most : sizeof buf);

    check_received(buf, n);
}

static void send_order(struct command c)
{
    uint8_t bytes[COMMAND_MAX];
    size_t size = command_encode(&c, seq++, bytes);

    link_send(bytes, size);
}

/* Any order, with any figures. */
static void order(void)
{
    static const uint8_t types[] = {WIRE_START, WIRE_START, WIRE_STOP,
                                    WIRE_PING,  WIRE_RESET, WIRE_GREET};
    struct command c = {.type = types[below(sizeof types)]};

    if (chance(800))
        c.rate_hz = (uint32_t)draw_log(chance(50) ? UINT32_MAX : 20000);
    if (chance(500))
        c.depth = below(300);
    if (chance(30))
        c.period_tsc = draw_log(UINT64_MAX);
    c.cookie = draw();
    note("host: order %lu, %lu Hz", c.type, c.rate_hz, 0);
    send_order(c);
}

static void act_whim(void)
{
    if (!is_there())
        return;
    if (chance(30))
        order();
    listen(SIZE_MAX);
}

/* Orders back to back, as many as the way takes: of one type, or of any. */
static uint32_t flood_rate, flood_type;

static void act_flood(void)
{
    static const uint8_t types[] = {WIRE_START, WIRE_STOP, WIRE_PING,
                                    WIRE_RESET, WIRE_GREET};
    struct command c = {.rate_hz = flood_rate, .depth = 64};

    if (!is_there())
        return;
    while (link_now.to_guest_size < 1000) {
        c.type = types[flood_type < 5 ? flood_type : below(5)];
        send_order(c);
    }
    listen(SIZE_MAX);
}

static void act_nonsense(void)
{
    uint8_t bytes[64];

    if (!is_there())
        return;
    if (chance(200)) {
        size_t size = 1 + below(sizeof bytes);

        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(chance(100) ? 0x54 : draw());
        link_send(bytes, size);
    }
    if (chance(10))
        order();
    listen(below(4000));
}

/* Orders, and then never reads. */
static void act_deaf(void)
{
    if (is_there() && chance(10))
        order();
}

static const struct host_kind kinds[] = {
    {"a collector", 50, act_collector},    {"one with whims", 25, act_whim},
    {"one of nonsense", 12, act_nonsense}, {"a deaf one", 8, act_deaf},
    {"one that floods", 10, act_flood},
};

/* --- One after the other -------------------------------------------------- */

void host_begin(bool be_polite)
{
    uint32_t at = below(105);

    kind = kinds;
    polite = be_polite;
    served = false;
    while (at >= kind->weight)
        at -= kind++->weight;
    if (polite)
        kind = kinds;
    over = false;
    seq = 0;
    serial_limit = injected() + INTERRUPTS;
    flood_rate = (uint32_t)draw_log(20000);
    flood_type = below(6);
    note("host: a new one comes", 0, 0, 0);
    check_new_host();
    if (kind == kinds)
        begin_collector();
    else
        until = host_now_ns() + draw_log(SIM_SECOND);
}

void host_act(void)
{
    if (over)
        return;
    kind->act();
    if (!over && kind != kinds &&
        (host_now_ns() >= until || injected() > serial_limit)) {
        note("host: goes", 0, 0, 0);
        link_hang_up();
        over = true;
    }
}

bool is_host_over(void)
{
    return over;
}

void host_stays(uint64_t ns)
{
    lasts = ns;
    most_serials = MANY;
}

void host_forget(void)
{
    pipeline = NULL;
    over = true;
}

bool was_served(void)
{
    return served;
}

uint64_t host_now_ns(void)
{
    return tprof_machine.now - clock_skew + SIM_SECOND;
}
