/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The joiner: bytes from a source go to the recorder and the decoder, events
 * to the aggregate; and the conversation with the guest, a small state
 * machine that timeouts and events drive.
 */
#include "pipeline.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/command.h"
#include "decode/decode.h"

#define MS               1000000ull /* in nanoseconds */
#define SECOND           (1000 * MS)
#define ABSENT_RETRY     (100 * MS)
#define HELLO_PATIENCE   (2 * SECOND)
#define FINAL_PATIENCE   (1 * SECOND)
#define START_RETRY      (1 * SECOND) /* after a refusal */
#define PING_INTERVAL    (250 * MS)
#define PINGS            4u
#define READ_SIZE        (256u * 1024)
#define DEFAULT_PROGRESS 500u /* ms */
#define NOTE_MAX         400u
#define NEVER            UINT64_MAX

enum session {
    ABSENT,    /* waiting for the source to open */
    SILENT,    /* open; waiting for HELLO */
    MEASURING, /* PINGs are on their way: the guest's clock is unknown */
    SAMPLING,  /* START was sent, or the guest does not listen */
    DRAINING,  /* STOP was sent; waiting for the last STATS */
    OVER,
};

/* A clock reading of the guest, and of ours at the same moment. */
struct clock_pair {
    uint64_t tsc;
    uint64_t ns;
};

struct pipeline {
    struct pipeline_config config;
    struct source *source;
    struct recording_writer *writer; /* NULL: not recording */
    struct recording_info header;    /* of what is recorded or replayed */
    struct decode *decode;
    struct aggregate *aggregate;

    enum session session;
    enum pipeline_end end;
    uint64_t session_ns;  /* when it was entered */
    uint64_t arrival_ns;  /* of the bytes being decoded; 0: unknown */
    uint64_t sampling_ns; /* when sampling began; 0: not yet */
    uint64_t retry_ns;    /* when to send START or PING again */
    bool told_silence;
    bool other_image; /* runs after a reboot: listen no more */
    unsigned stops;   /* times that the user asked to stop */

    /* to the guest */
    uint16_t seq;
    uint8_t out[4 * COMMAND_MAX]; /* not taken yet by the source */
    size_t out_size;
    unsigned pings_left;
    bool has_first_pong;
    struct clock_pair first_pong;
    uint64_t measured_hz;

    /* what the first HELLO said */
    struct guest guest;
    bool has_guest;

    uint64_t progress_ns; /* when the next line is due */
    uint64_t progress_samples, progress_since;

    struct err *failure; /* of the running pipeline_run() */
    bool failed;
    uint8_t buf[READ_SIZE];
};

static void note(const struct pipeline *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const struct pipeline *p, const char *fmt, ...)
{
    char line[NOTE_MAX];
    va_list args;

    if (!p->config.note)
        return;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    p->config.note(p->config.context, line);
}

/* A clock for timeouts: arrival times do not serve, they may stand still. */
static uint64_t now_ns(void)
{
    return source_now_ns();
}

static void enter(struct pipeline *p, enum session session)
{
    p->session = session;
    p->session_ns = now_ns();
}

static void finish(struct pipeline *p, enum pipeline_end end)
{
    if (p->session != OVER && p->session != DRAINING)
        p->end = end;
    enter(p, OVER);
}

static bool can_speak(const struct pipeline *p)
{
    return p->source->ops->write && p->source->live &&
           !(p->guest.features & WIRE_FEATURE_ONE_WAY);
}

/* Write what waits, as far as the guest takes it. */
static int flush_out(struct pipeline *p, struct err *e)
{
    ssize_t n = p->source->ops->write(p->source, p->out, p->out_size, e);

    if (n < 0)
        return -1;
    p->out_size -= (size_t)n;
    memmove(p->out, p->out + n, p->out_size);
    return 0;
}

/* Send a command, or later if the guest is slow to listen. One that finds no
 * room is left out: the guest has not heard the ones before it either. */
static void send_command(struct pipeline *p, struct command c)
{
    if (!can_speak(p) || sizeof p->out - p->out_size < COMMAND_MAX)
        return;
    p->out_size += command_encode(&c, p->seq++, p->out + p->out_size);
}

static void send_start(struct pipeline *p)
{
    uint64_t hz = p->guest.tsc_hz ? 0 : p->measured_hz;
    uint32_t rate = p->config.rate_hz ? p->config.rate_hz : p->guest.rate_hz;

    send_command(p, (struct command){
                        .type = WIRE_START,
                        .rate_hz = p->config.rate_hz,
                        .depth = p->config.depth,
                        .period_tsc = hz && rate ? hz / rate : 0,
                    });
    enter(p, SAMPLING);
    p->retry_ns = NEVER;
    if (p->sampling_ns == 0)
        p->sampling_ns = p->progress_since = p->session_ns;
}

static void send_ping(struct pipeline *p)
{
    send_command(p, (struct command){.type = WIRE_PING, .cookie = now_ns()});
    p->pings_left--;
    p->retry_ns = now_ns() + PING_INTERVAL;
}

/* The guest said HELLO: whatever session there was, a new one begins. */
static void begin_session(struct pipeline *p)
{
    p->seq = 0;
    p->out_size = 0;
    p->told_silence = false;
    if (p->session == DRAINING || p->session == OVER)
        return;
    if (!can_speak(p)) {
        enter(p, SAMPLING);
        p->retry_ns = NEVER;
        if (p->sampling_ns == 0)
            p->sampling_ns = p->progress_since = p->session_ns;
    } else if (p->guest.tsc_hz == 0 && p->measured_hz == 0) {
        enter(p, MEASURING);
        p->pings_left = PINGS;
        p->has_first_pong = false;
        send_ping(p);
    } else {
        send_start(p);
    }
}

/* Events of the decoder */

static bool same_image(const struct guest *a, const struct guest *b)
{
    return a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           a->text_start == b->text_start && a->text_size == b->text_size &&
           a->has_text_crc == b->has_text_crc && a->text_crc == b->text_crc;
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct pipeline *p = context;

    if (p->has_guest && !same_image(&p->guest, g)) {
        p->other_image = true;
        finish(p, PIPELINE_OTHER_IMAGE);
        return err_set(e, "pipeline: the guest rebooted into another image");
    }
    if (p->config.hello && (kind == HELLO_FIRST || kind == HELLO_REBOOT) &&
        p->config.hello(p->config.context, g, e) < 0)
        return -1;
    p->guest = *g;
    p->has_guest = true;
    if (kind == HELLO_REBOOT)
        p->measured_hz = 0;
    aggregate_hello(p->aggregate, kind, g);
    if (kind == HELLO_REBOOT && p->source->live)
        note(p, "the guest rebooted; sampling goes on");
    if (kind != HELLO_REPEAT)
        begin_session(p);
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    struct pipeline *p = context;

    (void)core;
    return aggregate_stack(p->aggregate, s);
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    struct pipeline *p = context;

    aggregate_samples(p->aggregate, batch);
}

static void on_loss(void *context, const struct loss *loss)
{
    struct pipeline *p = context;

    aggregate_loss(p->aggregate, loss);
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    struct pipeline *p = context;

    aggregate_account(p->aggregate, core, a);
}

static void on_stats(void *context, const struct core_stats *stats)
{
    struct pipeline *p = context;

    aggregate_stats(p->aggregate, stats);
}

static void refused(struct pipeline *p, const struct guest_status *status)
{
    bool again = p->retry_ns != NEVER;

    p->retry_ns = now_ns() + START_RETRY;
    if (again)
        return; /* said already */
    if (status->refusal == WIRE_REFUSED_NO_CORE)
        note(p, "the guest has started no core: is tprof_start_cpu() called? "
                "Asking again every second");
    else if (status->refusal == WIRE_REFUSED_NO_CLOCK)
        note(p, "the guest does not know its clock's rate: measuring it");
    else
        note(p, "the guest refused to sample (reason %u)", status->refusal);
}

static void on_status(void *context, const struct guest_status *status)
{
    struct pipeline *p = context;

    aggregate_status(p->aggregate, status);
    if (p->session == SAMPLING && status->refusal != WIRE_REFUSED_NOTHING) {
        refused(p, status);
        if (status->refusal == WIRE_REFUSED_NO_CLOCK && p->measured_hz == 0) {
            enter(p, MEASURING);
            p->pings_left = PINGS;
            p->has_first_pong = false;
        }
    } else if (p->session == SAMPLING) {
        p->retry_ns = NEVER;
    } else if (p->session == DRAINING && status->state == WIRE_STATE_STOPPED) {
        finish(p, p->end); /* it comes after the last STATS */
    }
}

/* The cookie is our clock at sending, so this also works in a replay. */
static void on_pong(void *context, const struct guest_pong *pong)
{
    struct pipeline *p = context;
    uint64_t arrival = p->arrival_ns;

    if (arrival == 0 || pong->cookie > arrival ||
        arrival - pong->cookie > 10 * SECOND)
        return;
    struct clock_pair pair = {
        .tsc = pong->tsc, .ns = pong->cookie + (arrival - pong->cookie) / 2};

    if (!p->has_first_pong) {
        p->first_pong = pair;
        p->has_first_pong = true;
        return;
    }
    if (pair.ns <= p->first_pong.ns || pair.tsc <= p->first_pong.tsc)
        return;
    double hz = (double)(pair.tsc - p->first_pong.tsc) /
                (double)(pair.ns - p->first_pong.ns) * 1e9;

    if (hz < 1 || hz > (double)GUEST_TSC_HZ_MAX)
        return;
    p->measured_hz = (uint64_t)llround(hz);
    aggregate_clock(p->aggregate, p->measured_hz);
}

static void on_gap(void *context, uint32_t frames)
{
    struct pipeline *p = context;

    (void)frames;
    if (p->session == SAMPLING)
        send_command(p, (struct command){.type = WIRE_RESET});
}

static const struct events pipeline_events = {
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

/* The loop */

static void begin_draining(struct pipeline *p, enum pipeline_end end)
{
    if (p->session != SAMPLING || !can_speak(p)) {
        finish(p, end);
        return;
    }
    p->end = end;
    send_command(p, (struct command){.type = WIRE_STOP});
    enter(p, DRAINING);
}

/* The first samples came: their arrival tells when the profile began. */
static void place_in_time(struct pipeline *p)
{
    const struct recording_info *h = &p->header;

    if (h->wall_ns == 0 || p->arrival_ns == 0)
        return;
    aggregate_wall_start(
        p->aggregate,
        ((double)h->wall_ns + (double)p->arrival_ns - (double)h->monotonic_ns) /
            1e9);
}

/* Take in what the source has. Returns 0; -1 with (e) filled. */
static int take(struct pipeline *p, struct err *e)
{
    struct source *s = p->source;
    ssize_t n = s->ops->read(s, p->buf, sizeof p->buf, &p->arrival_ns, e);

    if (n == SOURCE_END) {
        finish(p, PIPELINE_SOURCE_END);
        return 0;
    }
    if (n <= 0)
        return n < 0 ? -1 : 0;
    if (p->writer &&
        recording_append(p->writer, p->buf, (size_t)n, p->arrival_ns, e) < 0)
        return -1;
    bool had_samples = aggregate_sums(p->aggregate).samples != 0;
    int result = decode_feed(p->decode, p->buf, (size_t)n, e);

    if (!had_samples && aggregate_sums(p->aggregate).samples != 0)
        place_in_time(p);
    return result;
}

static int try_open(struct pipeline *p, struct err *e)
{
    switch (p->source->ops->open(p->source, e)) {
    case SOURCE_FAILED:
        return -1;
    case SOURCE_ABSENT:
        if (!p->told_silence)
            note(p, "waiting for a guest at %s", p->source->path);
        p->told_silence = true;
        p->retry_ns = now_ns() + ABSENT_RETRY;
        return 0;
    case SOURCE_OPEN:
        break;
    }
    if (p->source->recording)
        p->header = *recording_info(p->source->recording);
    p->told_silence = false;
    enter(p, SILENT);
    return 0;
}

static void explain_silence(struct pipeline *p)
{
    if (!p->source->live)
        return;
    note(p,
         "connected to %s, but no guest said HELLO within 2 s. Either QEMU "
         "serves another client on this socket (it serves one at a time), or "
         "the guest is not up yet, or it has no agent on the port named "
         "tprof.0. Still waiting",
         p->source->path);
}

/* Act upon the time (now). Returns 0; -1 with (e) filled. */
static int tick(struct pipeline *p, uint64_t now, struct err *e)
{
    switch (p->session) {
    case ABSENT:
        return now >= p->retry_ns ? try_open(p, e) : 0;
    case SILENT:
        if (!p->told_silence && now - p->session_ns >= HELLO_PATIENCE) {
            p->told_silence = true;
            explain_silence(p);
        }
        break;
    case MEASURING:
        if (now < p->retry_ns)
            break;
        if (p->pings_left > 0)
            send_ping(p);
        else
            send_start(
                p); /* without a rate the guest will refuse, and say so */
        break;
    case SAMPLING:
        if (now >= p->retry_ns)
            send_start(p);
        if (p->source->live && p->config.duration_s > 0 &&
            (double)(now - p->sampling_ns) >=
                p->config.duration_s * (double)SECOND)
            begin_draining(p, PIPELINE_DURATION);
        break;
    case DRAINING:
        if (now - p->session_ns >= FINAL_PATIENCE)
            finish(p, p->end);
        break;
    case OVER:
        break;
    }
    return 0;
}

/* When tick() has something to do, at the latest. */
static uint64_t next_event(const struct pipeline *p)
{
    uint64_t duration = (uint64_t)(p->config.duration_s * (double)SECOND);
    uint64_t at = NEVER;

    switch (p->session) {
    case ABSENT:
    case MEASURING:
        at = p->retry_ns;
        break;
    case SILENT:
        at = p->told_silence ? NEVER : p->session_ns + HELLO_PATIENCE;
        break;
    case SAMPLING:
        at = p->retry_ns;
        if (duration > 0 && p->sampling_ns + duration < at)
            at = p->sampling_ns + duration;
        break;
    case DRAINING:
        at = p->session_ns + FINAL_PATIENCE;
        break;
    case OVER:
        break;
    }
    if (p->config.progress && p->progress_ns < at)
        at = p->progress_ns;
    return at;
}

static void show_progress(struct pipeline *p, uint64_t now)
{
    uint32_t ms =
        p->config.progress_ms ? p->config.progress_ms : DEFAULT_PROGRESS;

    if (!p->config.progress || !p->source->live || now < p->progress_ns)
        return;
    p->progress_ns = now + ms * MS;
    if (p->sampling_ns == 0)
        return;
    struct aggregate_sums sums = aggregate_sums(p->aggregate);
    double interval = (double)(now - p->progress_since) / (double)SECOND;
    struct pipeline_progress progress = {
        .samples = sums.samples,
        .lost = sums.lost,
        .seconds = (double)(now - p->sampling_ns) / (double)SECOND,
        .sample_rate =
            interval > 0
                ? (double)(sums.samples - p->progress_samples) / interval
                : 0,
    };

    p->progress_samples = sums.samples;
    p->progress_since = now;
    p->config.progress(p->config.context, &progress);
}

/* The user asks to stop: once in order, twice at once. */
static void hear_stop(struct pipeline *p)
{
    char scrap[128];

    if (read(p->config.stop_fd, scrap, sizeof scrap) < 0 && errno == EAGAIN)
        return;
    if (p->stops++ == 0 && p->session != DRAINING) {
        begin_draining(p, PIPELINE_STOPPED);
        return;
    }
    p->end = PIPELINE_ABANDONED;
    enter(p, OVER);
}

/* Wait for something to happen, and let it. Returns 0; -1 with (e) filled. */
static int step(struct pipeline *p, struct err *e)
{
    uint64_t now = now_ns();
    uint64_t at = next_event(p);
    uint64_t wait_ms = at <= now ? 0 : (at - now + MS - 1) / MS;
    struct pollfd fds[2] = {
        {.fd = p->source->fd, .events = POLLIN},
        {.fd = p->config.stop_fd, .events = POLLIN},
    };

    if (p->out_size > 0)
        fds[0].events |= POLLOUT;
    int ready = poll(fds, 2,
                     at == NEVER       ? -1
                     : wait_ms > 60000 ? 60000
                                       : (int)wait_ms);

    if (ready < 0 && errno != EINTR)
        return err_sys(e, "pipeline: poll");
    if (ready > 0 && fds[1].revents != 0)
        hear_stop(p);
    if (ready > 0 && fds[0].revents & ~POLLOUT && p->session != OVER &&
        take(p, e) < 0)
        return -1;
    now = now_ns();
    if (tick(p, now, e) < 0)
        return -1;
    if (p->out_size > 0 && p->source->fd >= 0 && flush_out(p, e) < 0)
        return -1;
    show_progress(p, now);
    return 0;
}

static int run_loop(struct pipeline *p, struct err *e)
{
    while (p->session != OVER)
        if (step(p, e) < 0)
            return -1;
    return decode_end(p->decode, e);
}

int pipeline_run(struct pipeline *p, enum pipeline_end *end, struct err *e)
{
    int result = run_loop(p, e);

    if (result < 0 && p->other_image)
        result = 0; /* an ordinary end: what came before is good */
    *end = p->end;
    aggregate_health(p->aggregate, decode_health(p->decode));
    struct recording_writer *w = p->writer;

    p->writer = NULL;
    if (recording_close(w, result < 0 ? NULL : e) < 0)
        result = -1;
    return result;
}

/* The recording's header: what is known when it is created. */
static void describe(struct pipeline *p)
{
    struct timespec t;

    p->header = p->config.info;
    (void)snprintf(p->header.source, sizeof p->header.source, "%s:%s",
                   p->source->ops->name, p->source->path);
    clock_gettime(CLOCK_REALTIME, &t);
    p->header.monotonic_ns = now_ns();
    p->header.wall_ns = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

struct pipeline *pipeline_new(struct source *source,
                              const struct pipeline_config *config,
                              struct err *e)
{
    struct pipeline *p = calloc(1, sizeof *p);

    if (!p) {
        source_close(source);
        err_set(e, "pipeline: no memory");
        return NULL;
    }
    p->source = source;
    p->config = *config;
    p->decode = decode_new(&pipeline_events, p);
    p->aggregate = aggregate_new(&config->aggregate);
    if (!p->decode || !p->aggregate) {
        err_set(e, "pipeline: no memory");
        goto fail;
    }
    if (source->live || config->record_path)
        describe(p);
    if (config->record_path) {
        p->writer = recording_create(config->record_path, &p->header, e);
        if (!p->writer)
            goto fail;
    }
    return p;

fail:
    pipeline_free(p);
    return NULL;
}

const struct profile *pipeline_profile(struct pipeline *p)
{
    return aggregate_profile(p->aggregate);
}

const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end)
{
    if (!p->source->recording)
        return NULL;
    *end = recording_end(p->source->recording);
    return recording_info(p->source->recording);
}

void pipeline_free(struct pipeline *p)
{
    if (!p)
        return;
    (void)recording_close(p->writer, NULL);
    aggregate_free(p->aggregate);
    decode_free(p->decode);
    source_close(p->source);
    free(p);
}
