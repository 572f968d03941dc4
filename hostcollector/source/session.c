/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of a conversation with a guest, driven by events and timeouts. */
#include "source/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tprof_wire.h"

#define MS             1000000ull /* in nanoseconds */
#define SECOND         (1000 * MS)
#define ABSENT_RETRY   (100 * MS)
#define HELLO_PATIENCE (2 * SECOND)
#define FINAL_PATIENCE (1 * SECOND)
#define START_RETRY    (1 * SECOND) /* after a refusal */
#define PING_INTERVAL  (250 * MS)
#define PINGS          4u
#define PONG_LATEST    (10 * SECOND)
#define CLOCK_HZ_MAX   1e12
#define NOTE_MAX       400u

static void note(const struct session *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const struct session *s, const char *fmt, ...)
{
    char line[NOTE_MAX];
    va_list args;

    if (!s->note)
        return;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    s->note(s->context, line);
}

static void enter(struct session *s, enum session_state state)
{
    s->state = state;
    s->entered_ns = source_now_ns();
    s->retry_ns = SESSION_NEVER;
}

/* Queue a command. One that finds no room is left out: the guest has not
 * listened to those before it either. */
static void send_command(struct session *s, struct command c)
{
    if (s->one_way || sizeof s->out - s->out_size < COMMAND_MAX)
        return;
    s->out_size += command_encode(&c, s->seq++, s->out + s->out_size);
}

int session_flush(struct session *s, struct err *e)
{
    if (s->out_size == 0 || s->source->fd < 0)
        return 0;
    ssize_t n = s->source->ops->write(s->source, s->out, s->out_size, e);

    if (n < 0)
        return -1;
    s->out_size -= (size_t)n;
    memmove(s->out, s->out + n, s->out_size);
    return 0;
}

static void begin_sampling(struct session *s)
{
    enter(s, SESSION_SAMPLING);
    if (s->sampling_ns == 0)
        s->sampling_ns = s->entered_ns;
}

static void send_start(struct session *s)
{
    struct command c = {
        .type = WIRE_START, .rate_hz = s->rate_hz, .depth = s->depth};
    uint32_t rate = s->rate_hz ? s->rate_hz : s->guest_rate_hz;

    if (s->guest_hz == 0 && rate != 0)
        c.period_tsc = s->measured_hz / rate;
    send_command(s, c);
    begin_sampling(s);
}

static void send_ping(struct session *s)
{
    uint64_t now = source_now_ns();

    send_command(s, (struct command){.type = WIRE_PING, .cookie = now});
    s->pings_left--;
    s->retry_ns = now + PING_INTERVAL;
}

static void begin_measuring(struct session *s)
{
    enter(s, SESSION_MEASURING);
    s->pings_left = PINGS;
    s->has_first_pong = false;
    send_ping(s);
}

void session_hello(struct session *s, const struct session_hello *h)
{
    s->seq = 0;
    s->out_size = 0;
    s->told = false;
    s->guest_hz = h->tsc_hz;
    s->guest_rate_hz = h->rate_hz;
    s->one_way = h->one_way || !s->source->live || !s->source->ops->write;
    if (h->rebooted) {
        s->measured_hz = 0;
        s->has_first_pong = false;
    }
    if (s->state == SESSION_DRAINING || s->state == SESSION_OVER)
        return;
    if (s->one_way)
        begin_sampling(s);
    else if (s->guest_hz == 0 && s->measured_hz == 0)
        begin_measuring(s);
    else
        send_start(s);
}

static void refused(struct session *s, uint8_t refusal)
{
    if (refusal == WIRE_REFUSED_NO_CLOCK && s->measured_hz == 0) {
        begin_measuring(s);
        return;
    }
    if (!s->told && refusal == WIRE_REFUSED_NO_CORE)
        note(s, "the guest has started no core: is tprof_start_cpu() called? "
                "Asking again every second");
    else if (!s->told)
        note(s,
             "the guest refuses to sample (reason %u); asking again every "
             "second",
             refusal);
    s->told = true;
    s->retry_ns = source_now_ns() + START_RETRY;
}

void session_status(struct session *s, uint8_t state, uint8_t refusal)
{
    if (s->state == SESSION_SAMPLING && !s->one_way &&
        refusal != WIRE_REFUSED_NOTHING)
        refused(s, refusal);
    else if (s->state == SESSION_SAMPLING)
        s->retry_ns = SESSION_NEVER;
    else if (s->state == SESSION_DRAINING && state == WIRE_STATE_STOPPED)
        session_end(s); /* it comes after the last STATS */
}

uint64_t session_pong(struct session *s, uint64_t cookie, uint64_t tsc,
                      uint64_t arrival_ns)
{
    if (cookie > arrival_ns || arrival_ns - cookie > PONG_LATEST)
        return s->measured_hz;
    struct session_clock now = {tsc, cookie + (arrival_ns - cookie) / 2};

    if (!s->has_first_pong) {
        s->first_pong = now;
        s->has_first_pong = true;
    } else if (now.ns > s->first_pong.ns && now.tsc > s->first_pong.tsc) {
        double hz = (double)(now.tsc - s->first_pong.tsc) /
                    (double)(now.ns - s->first_pong.ns) * (double)SECOND;

        if (hz >= 1 && hz <= CLOCK_HZ_MAX)
            s->measured_hz = (uint64_t)llround(hz);
    }
    return s->measured_hz;
}

void session_gap(struct session *s)
{
    if (s->state == SESSION_SAMPLING)
        send_command(s, (struct command){.type = WIRE_RESET});
}

void session_stop(struct session *s)
{
    if (s->state != SESSION_SAMPLING || s->one_way) {
        session_end(s);
        return;
    }
    send_command(s, (struct command){.type = WIRE_STOP});
    enter(s, SESSION_DRAINING);
}

void session_end(struct session *s)
{
    enter(s, SESSION_OVER);
}

static int try_open(struct session *s, struct err *e)
{
    switch (s->source->ops->open(s->source, e)) {
    case SOURCE_FAILED:
        return -1;
    case SOURCE_ABSENT:
        if (!s->told)
            note(s, "waiting for a guest at %s", s->source->path);
        s->told = true;
        s->retry_ns = source_now_ns() + ABSENT_RETRY;
        return 0;
    case SOURCE_OPEN:
        break;
    }
    s->told = false;
    enter(s, SESSION_SILENT);
    if (s->source->live)
        s->retry_ns = s->entered_ns + HELLO_PATIENCE;
    return 0;
}

static void explain_silence(struct session *s)
{
    note(s,
         "connected to %s, but no guest said HELLO within 2 s. Either QEMU "
         "serves another client on this socket (it serves one at a time), or "
         "the guest is not up yet, or it has no agent on the port named "
         "tprof.0. Still waiting",
         s->source->path);
    s->retry_ns = SESSION_NEVER;
}

int session_tick(struct session *s, uint64_t now_ns, struct err *e)
{
    if (now_ns < session_due(s))
        return 0;
    switch (s->state) {
    case SESSION_ABSENT:
        return try_open(s, e);
    case SESSION_SILENT:
        explain_silence(s);
        break;
    case SESSION_MEASURING:
        if (s->pings_left > 0)
            send_ping(s);
        else
            send_start(s); /* if nothing was measured, it will be refused */
        break;
    case SESSION_SAMPLING:
        send_start(s);
        break;
    case SESSION_DRAINING:
        session_end(s);
        break;
    case SESSION_OVER:
        break;
    }
    return 0;
}

uint64_t session_due(const struct session *s)
{
    return s->state == SESSION_DRAINING ? s->entered_ns + FINAL_PATIENCE
                                        : s->retry_ns;
}
