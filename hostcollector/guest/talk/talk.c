/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversation with the guest behind a source. */
#include "guest/talk/talk.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "guest/talk/silence.h"
#include "tprof_wire.h"
#include "util/hash.h"
#include "util/host_clock.h"

#define MS             1000000ull /* in nanoseconds */
#define SECOND         (1000 * MS)
#define HELLO_PATIENCE (2 * SECOND)
#define GREET_AFTER    (1 * SECOND)
#define START_RETRY    (1 * SECOND) /* time to the next START after a refusal */
#define PING_INTERVAL  (250 * MS)
#define PINGS          4u
#define PONG_LATEST    (10 * SECOND)
#define CLOCK_HZ_MAX   1e12
#define TOLD_FOR       (10 * SECOND)
#define NOTE_MAX       800u

/* Was (line) shown before? True also if the guest has caused so many lines that
 * it must be hostile. */
static bool told_already(struct talk *s, const char *line)
{
    uint64_t hash = 0;

    while (*line != '\0')
        hash = hash_mix(hash, (unsigned char)*line++);
    for (size_t i = 0; i < s->told_count; i++)
        if (s->told[i] == hash)
            return true;
    if (s->told_count == TALK_TOLD)
        return true;
    s->told[s->told_count++] = hash;
    return false;
}

/* Show a line to the user, unless it was shown before. */
static void tell_user(struct talk *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void tell_user(struct talk *s, const char *fmt, ...)
{
    char line[NOTE_MAX];
    va_list args;

    if (!s->note)
        return;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (!told_already(s, line))
        s->note(s->context, line);
}

/* Allow lines to be shown again, because a guest came. Does so only after a
 * while, because some guests come and go, or reboot, all the time. */
static void forget_told(struct talk *s)
{
    uint64_t now = clock_ns();

    if (now - s->told_ns < TOLD_FOR)
        return;
    s->told_ns = now;
    s->told_count = 0;
}

static void enter_state(struct talk *s, enum talk_state state)
{
    s->state = state;
    s->entered_ns = clock_ns();
    s->retry_ns = TALK_NEVER;
}

/* Queue a command. If there is no room, the command is dropped: the guest has
 * not read earlier commands either. */
static void send_command(struct talk *s, struct command c)
{
    if (s->one_way || sizeof s->out - s->out_size < COMMAND_MAX)
        return;
    s->out_size += command_encode(&c, s->seq++, s->out + s->out_size);
}

int talk_flush(struct talk *s, struct err *e)
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

static void begin_sampling(struct talk *s)
{
    enter_state(s, TALK_SAMPLING);
    s->heard_ns = s->entered_ns;
    if (s->sampling_ns == 0)
        s->sampling_ns = s->entered_ns;
}

static void send_start(struct talk *s)
{
    struct command c = {
        .type = WIRE_START, .rate_hz = s->rate_hz, .depth = s->depth};
    uint32_t rate = s->rate_hz ? s->rate_hz : s->guest_rate_hz;

    if (s->guest_hz == 0 && rate != 0)
        c.period_tsc = s->measured_hz / rate;
    send_command(s, c);
    begin_sampling(s);
}

static void send_ping(struct talk *s)
{
    uint64_t now = clock_ns();

    send_command(s, (struct command){.type = WIRE_PING, .cookie = now});
    s->pings_left--;
    s->retry_ns = now + PING_INTERVAL;
}

static void begin_measuring(struct talk *s)
{
    enter_state(s, TALK_MEASURING);
    s->pings_left = PINGS;
    s->has_first_pong = false;
    send_ping(s);
}

void talk_hello(struct talk *s, const struct talk_greeting *h)
{
    s->seq = 0;
    s->out_size = 0;
    forget_told(s);
    if (h->rebooted && s->source->live)
        tell_user(s, "the guest rebooted; sampling goes on");
    else if (s->left_ns != 0)
        tell_user(s, "connected to %s again; sampling goes on",
                  s->source->path);
    s->met = true;
    s->left_ns = 0;
    s->guest_hz = h->tsc_hz;
    s->guest_rate_hz = h->rate_hz;
    s->outside = h->outside;
    s->one_way = h->one_way || !s->source->live || !s->source->ops->write;
    if (h->rebooted) {
        s->measured_hz = 0;
        s->has_first_pong = false;
    }
    if (s->state == TALK_DRAINING || s->state == TALK_OVER)
        return;
    if (s->one_way)
        begin_sampling(s);
    else if (s->guest_hz == 0 && s->measured_hz == 0)
        begin_measuring(s);
    else
        send_start(s);
}

static void refused(struct talk *s, uint8_t refusal)
{
    if (refusal == WIRE_REFUSED_NO_CLOCK && s->measured_hz == 0) {
        begin_measuring(s);
        return;
    }
    if (refusal == WIRE_REFUSED_NO_CORE)
        tell_user(s,
                  "the guest has started no core: is tprof_start_cpu() called? "
                  "Asking again every second");
    else
        tell_user(s,
                  "the guest refuses to sample (reason %u); asking again every "
                  "second",
                  refusal);
    s->retry_ns = clock_ns() + START_RETRY;
}

/* Notify the user if the guest does not do what was asked for. */
static void compare(struct talk *s, const struct guest_status *status)
{
    if (s->one_way || status->state != WIRE_STATE_SAMPLING)
        return;
    if (s->rate_hz != 0 && status->rate_hz != 0 &&
        status->rate_hz != s->rate_hz)
        tell_user(s,
                  "the guest samples at %" PRIu32 " Hz, not at %" PRIu32
                  ": its kernel allows no other rate (config.rate_max_hz, "
                  "config.control)",
                  status->rate_hz, s->rate_hz);
    if (s->depth != 0 && status->depth != 0 && status->depth != s->depth)
        tell_user(s,
                  "the guest records up to %" PRIu32 " callers, not %" PRIu32
                  ": its kernel allows no other depth (config.frames_max, "
                  "config.control)",
                  status->depth, s->depth);
}

void talk_status(struct talk *s, const struct guest_status *status)
{
    uint8_t refusal = status->refusal;

    if (s->state == TALK_SAMPLING && !s->one_way &&
        refusal != WIRE_REFUSED_NOTHING) {
        refused(s, refusal);
    } else if (s->state == TALK_SAMPLING) {
        compare(s, status);
        s->retry_ns = TALK_NEVER;
    } else if (s->state == TALK_DRAINING &&
               status->state == WIRE_STATE_STOPPED) {
        talk_end(s); /* this STATUS comes after the last STATS */
    }
}

uint64_t talk_pong(struct talk *s, uint64_t cookie, uint64_t tsc,
                   uint64_t arrival_ns)
{
    if (cookie > arrival_ns || arrival_ns - cookie > PONG_LATEST)
        return s->measured_hz;
    struct talk_clock now = {tsc, cookie + (arrival_ns - cookie) / 2};

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

void talk_gap(struct talk *s)
{
    if (s->state == TALK_SAMPLING)
        send_command(s, (struct command){.type = WIRE_RESET});
}

void talk_ask(struct talk *s, uint32_t rate_hz, uint32_t depth)
{
    s->rate_hz = rate_hz;
    s->depth = depth;
    if (s->state == TALK_SAMPLING && !s->one_way)
        send_start(s);
}

void talk_anew(struct talk *s)
{
    enter_state(s, TALK_ABSENT);
    s->retry_ns = s->entered_ns;
    s->out_size = 0;
}

void talk_stop(struct talk *s)
{
    if (s->state != TALK_SAMPLING || s->one_way) {
        talk_end(s);
        return;
    }
    send_command(s, (struct command){.type = WIRE_STOP});
    enter_state(s, TALK_DRAINING);
}

void talk_end(struct talk *s)
{
    s->left_ns = 0;
    enter_state(s, TALK_OVER);
}

static void explain_absence(struct talk *s)
{
    if (s->source->absence && s->source->absence[0] == '\0')
        return;
    if (s->source->absence)
        tell_user(s, "waiting: %s", s->source->absence);
    else if (!s->source->reconnects) /* others report their absence */
        tell_user(s, "waiting for a guest at %s", s->source->path);
}

static int try_open(struct talk *s, struct err *e)
{
    if (s->source->warning)
        tell_user(s, "%s", s->source->warning);
    switch (s->source->ops->open(s->source, e)) {
    case SOURCE_FAILED:
        return -1;
    case SOURCE_ABSENT:
        explain_absence(s);
        s->retry_ns = retry_absent(s, clock_ns());
        return 0;
    case SOURCE_OPEN:
        break;
    }
    s->heard = false;
    s->reached = true;
    s->greeted = false;
    enter_state(s, TALK_SILENT);
    if (s->source->live)
        s->retry_ns = s->entered_ns + GREET_AFTER;
    return 0;
}

void talk_heard(struct talk *s)
{
    s->heard = !s->failed;
    s->heard_ns = clock_ns();
}

void talk_cut(struct talk *s)
{
    bool silent = s->ended_silent = s->state == TALK_SILENT;

    if (!s->source->reconnects || s->state == TALK_DRAINING ||
        s->state == TALK_OVER || (s->met && s->wait_ns == 0)) {
        talk_end(s);
        return;
    }
    enter_state(s, TALK_ABSENT);
    s->retry_ns = s->entered_ns + RETRY_FIRST;
    s->out_size = 0;
    if (silent && s->heard)
        tell_user(s, OTHER_PROTOCOL, s->source->path);
    else if (silent && s->source->absence)
        explain_absence(s);
    if (!s->met || s->left_ns != 0)
        return;
    s->left_ns = s->entered_ns;
    tell_user(s,
              "the guest left %s; waiting %.3g s for it to come back (Ctrl-C: "
              "report now)",
              s->source->path, (double)s->wait_ns / (double)SECOND);
}

/* Ask for HELLO. If a machine was restored from another machine's memory, it
 * believes that it still talks to the other machine's host. */
static void greet(struct talk *s)
{
    s->greeted = true;
    s->retry_ns = s->entered_ns + HELLO_PATIENCE;
    if (s->source->ops->write != NULL)
        send_command(s, (struct command){.type = WIRE_GREET});
}

/* Tell the user about an open source without HELLO. */
static void explain_silence(struct talk *s)
{
    char text[64];

    s->retry_ns = TALK_NEVER;
    if (s->heard)
        tell_user(s, OTHER_PROTOCOL " Still waiting", s->source->path);
    else if (s->started)
        tell_user(
            s,
            "QEMU runs, but the kernel's profiler has not answered within "
            "2 s; %s.\n" STARTED_SILENCE,
            patience_text(s, text));
    else if (s->source->silence)
        tell_user(s,
                  "connected to %s, but no guest answered within 2 s: %s. "
                  "Still waiting",
                  s->source->path, s->source->silence);
    else
        tell_user(s,
                  "connected to %s, but no guest answered within 2 s; "
                  "%s.\n" SERIAL_SILENCE,
                  s->source->path, patience_text(s, text));
}

/* Returns the time at which the conversation stops waiting for a guest that
 * left, or never came. */
static uint64_t given_up_ns(const struct talk *s)
{
    if (s->left_ns != 0)
        return s->left_ns + s->wait_ns;
    return !s->met && s->first_wait_ns != 0 && s->source->live
               ? s->begun_ns + s->first_wait_ns
               : TALK_NEVER;
}

static void give_up(struct talk *s)
{
    if (s->met)
        tell_user(s, "the guest stayed away");
    s->stayed_away = true;
    talk_end(s);
}

/* Remark on the silence, and send a command to see whether the guest is still
 * there. If a machine is reset, it forgets its connections silently, and its
 * host considers them open until something is sent. */
static void ask(struct talk *s, uint64_t now_ns)
{
    tell_user(s,
              "nothing came from the guest for %llu s: it is paused, or has "
              "interrupts off, or its kernel took the local APIC's timer away "
              "from the profiler",
              (unsigned long long)(SILENCE_MAX / SECOND));
    if (s->source->reconnects)
        send_command(s, (struct command){.type = WIRE_PING, .cookie = now_ns});
    s->heard_ns = now_ns; /* and again after the same time */
}

void talk_excuse(const struct talk *s, struct err *why)
{
    const struct source *source = s->source;

    if (s->heard && source->live)
        (void)err_set(why, OTHER_PROTOCOL, source->path);
    else if (source->live && !s->reached && source->absence == NULL)
        (void)err_set(why,
                      "nothing ever listened at %s: is QEMU started with "
                      "-chardev socket,path=%s,server=on,wait=off?",
                      source->path, source->path);
    else if (source->live && !s->reached)
        (void)err_set(why, "%s: %s", source->path,
                      source->absence[0] != '\0'
                          ? source->absence
                          : "the program that listens there does not answer");
    else if (source->live && s->ended_silent)
        (void)err_set(why, CLOSED_EARLY, source->path);
    else if (source->live)
        (void)err_set(why, NO_GUEST, source->path);
    else
        (void)err_set(why, NO_STREAM, source->path);
}

int talk_tick(struct talk *s, uint64_t now_ns, struct err *e)
{
    if (s->begun_ns == 0)
        s->begun_ns = now_ns;
    if (now_ns < talk_due(s))
        return 0;
    if (given_up_ns(s) != TALK_NEVER && now_ns >= given_up_ns(s)) {
        give_up(s);
        return 0;
    }
    if (s->state == TALK_SAMPLING && now_ns >= silence_ns(s)) {
        ask(s, now_ns);
        return 0;
    }
    switch (s->state) {
    case TALK_ABSENT:
        return try_open(s, e);
    case TALK_SILENT:
        if (s->greeted)
            explain_silence(s);
        else
            greet(s);
        break;
    case TALK_MEASURING:
        if (s->pings_left > 0)
            send_ping(s);
        else
            send_start(s); /* the guest refuses it if nothing was measured */
        break;
    case TALK_SAMPLING:
        send_start(s);
        break;
    case TALK_DRAINING:
        talk_end(s);
        break;
    case TALK_OVER:
        break;
    }
    return 0;
}

uint64_t talk_due(const struct talk *s)
{
    if (s->state == TALK_DRAINING)
        return final_due(s);
    uint64_t due = s->retry_ns;

    if (given_up_ns(s) < due)
        due = given_up_ns(s);
    return silence_ns(s) < due ? silence_ns(s) : due;
}
