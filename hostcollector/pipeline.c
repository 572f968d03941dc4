/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The joiner: bytes from a source go to the recorder and the decoder, events
 * to the aggregate and to the session that speaks with the guest.
 */
#include "pipeline.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decode/decode.h"
#include "source/session.h"

#define MS               1000000ull /* in nanoseconds */
#define SECOND           (1000 * MS)
#define READ_SIZE        (256u * 1024)
#define DEFAULT_PROGRESS 500u /* ms */
#define LONGEST_WAIT     (60 * SECOND)
#define LONGEST_S        1e9 /* a longer duration is for ever */

struct pipeline {
    struct pipeline_config config;
    struct source *source;
    struct session session;
    struct recording_writer *writer; /* NULL: not recording */
    struct recording_info header;    /* of what is recorded or replayed */
    struct decode *decode;
    struct aggregate *aggregate;

    enum pipeline_end end;
    uint64_t arrival_ns; /* of the bytes being decoded; 0: unknown */
    bool has_guest;
    struct guest guest; /* as the last HELLO described it */

    uint64_t progress_ns; /* when the next progress line is due */
    uint64_t progress_samples, progress_since; /* as of the last one */
    uint8_t buf[READ_SIZE];
};

/* End in order, because of (end). */
static void stop(struct pipeline *p, enum pipeline_end end)
{
    p->end = end;
    session_stop(&p->session);
}

/* Events of the decoder */

static bool same_image(const struct guest *a, const struct guest *b)
{
    return a->build_id_len == b->build_id_len &&
           memcmp(a->build_id, b->build_id, a->build_id_len) == 0 &&
           a->text_start == b->text_start && a->text_size == b->text_size &&
           a->has_text_crc == b->has_text_crc && a->text_crc == b->text_crc;
}

static void greet(struct pipeline *p, enum hello_kind kind,
                  const struct guest *g)
{
    bool rebooted = kind == HELLO_REBOOT;

    if (rebooted && p->source->live && p->config.note)
        p->config.note(p->config.context,
                       "the guest rebooted; sampling goes on");
    if (kind != HELLO_REPEAT)
        session_hello(&p->session,
                      &(struct session_hello){
                          .tsc_hz = g->tsc_hz,
                          .rate_hz = g->rate_hz,
                          .one_way = g->features & WIRE_FEATURE_ONE_WAY,
                          .rebooted = rebooted,
                      });
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct pipeline *p = context;

    if (p->has_guest && !same_image(&p->guest, g)) {
        p->end = PIPELINE_OTHER_IMAGE;
        return err_set(e, "pipeline: the guest rebooted into another image");
    }
    if (p->config.hello && (kind == HELLO_FIRST || kind == HELLO_REBOOT) &&
        p->config.hello(p->config.context, g, e) < 0)
        return -1;
    p->guest = *g;
    p->has_guest = true;
    aggregate_hello(p->aggregate, kind, g);
    greet(p, kind, g);
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

static void on_status(void *context, const struct guest_status *status)
{
    struct pipeline *p = context;

    aggregate_status(p->aggregate, status);
    session_status(&p->session, status->state, status->refusal);
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    struct pipeline *p = context;
    uint64_t hz =
        session_pong(&p->session, pong->cookie, pong->tsc, p->arrival_ns);

    if (hz != 0)
        aggregate_clock(p->aggregate, hz);
}

static void on_gap(void *context, uint32_t frames)
{
    struct pipeline *p = context;

    (void)frames;
    session_gap(&p->session);
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

/* The first samples came: their arrival tells when the profile began. */
static void place_in_time(struct pipeline *p)
{
    const struct recording_info *h = &p->header;

    if (p->source->recording)
        p->header = *recording_info(p->source->recording);
    if (h->wall_ns == 0 || p->arrival_ns == 0)
        return;
    aggregate_wall_start(
        p->aggregate,
        ((double)h->wall_ns + (double)p->arrival_ns - (double)h->monotonic_ns) /
            (double)SECOND);
}

/* Take in what the source has. Returns 0; -1 with (e) filled. */
static int take(struct pipeline *p, struct err *e)
{
    struct source *s = p->source;
    ssize_t n = s->ops->read(s, p->buf, sizeof p->buf, &p->arrival_ns, e);

    if (n == SOURCE_END) {
        if (p->session.state != SESSION_DRAINING)
            p->end = PIPELINE_SOURCE_END;
        session_end(&p->session);
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

/* When the asked duration is over; SESSION_NEVER: none was asked. */
static uint64_t duration_end(const struct pipeline *p)
{
    if (!p->source->live || p->session.state != SESSION_SAMPLING ||
        !(p->config.duration_s > 0 && p->config.duration_s < LONGEST_S))
        return SESSION_NEVER;
    return p->session.sampling_ns +
           (uint64_t)(p->config.duration_s * (double)SECOND);
}

static bool shows_progress(const struct pipeline *p)
{
    return p->config.progress && p->source->live && p->session.sampling_ns != 0;
}

static void show_progress(struct pipeline *p, uint64_t now)
{
    uint32_t ms =
        p->config.progress_ms ? p->config.progress_ms : DEFAULT_PROGRESS;

    if (!shows_progress(p) || now < p->progress_ns)
        return;
    struct aggregate_sums sums = aggregate_sums(p->aggregate);
    uint64_t since =
        p->progress_since ? p->progress_since : p->session.sampling_ns;
    double interval = (double)(now - since) / (double)SECOND;
    uint64_t fresh = sums.samples - p->progress_samples;
    struct pipeline_progress progress = {
        .samples = sums.samples,
        .lost = sums.lost,
        .seconds = (double)(now - p->session.sampling_ns) / (double)SECOND,
        .sample_rate = interval > 0 ? (double)fresh / interval : 0,
    };

    p->progress_ns = now + ms * MS;
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
    if (p->session.state != SESSION_DRAINING) {
        stop(p, PIPELINE_STOPPED);
        return;
    }
    p->end = PIPELINE_ABANDONED;
    session_end(&p->session);
}

/* For how long nothing will be due, in milliseconds for poll(). */
static int wait_ms(const struct pipeline *p)
{
    uint64_t now = source_now_ns();
    uint64_t at = session_due(&p->session);

    if (duration_end(p) < at)
        at = duration_end(p);
    if (shows_progress(p) && p->progress_ns < at)
        at = p->progress_ns;
    if (at <= now)
        return 0;
    return at - now > LONGEST_WAIT ? (int)(LONGEST_WAIT / MS)
                                   : (int)((at - now + MS - 1) / MS);
}

/* Wait for something to happen, and let it. Returns 0; -1 with (e) filled. */
static int step(struct pipeline *p, struct err *e)
{
    bool waits_to_write = p->session.out_size > 0;
    struct pollfd fds[2] = {
        {.fd = p->source->fd,
         .events = (short)(waits_to_write ? POLLIN | POLLOUT : POLLIN)},
        {.fd = p->config.stop_fd, .events = POLLIN},
    };

    if (poll(fds, 2, wait_ms(p)) < 0) {
        if (errno != EINTR)
            return err_sys(e, "pipeline: poll");
        fds[0].revents = fds[1].revents = 0;
    }
    if (fds[1].revents != 0)
        hear_stop(p);
    if (fds[0].revents & ~POLLOUT && p->session.state != SESSION_OVER &&
        take(p, e) < 0)
        return -1;
    uint64_t now = source_now_ns();

    if (now >= duration_end(p))
        stop(p, PIPELINE_DURATION);
    if (session_tick(&p->session, now, e) < 0 ||
        session_flush(&p->session, e) < 0)
        return -1;
    show_progress(p, now);
    return 0;
}

static int run_loop(struct pipeline *p, struct err *e)
{
    while (p->session.state != SESSION_OVER)
        if (step(p, e) < 0)
            return -1;
    return decode_end(p->decode, e);
}

int pipeline_run(struct pipeline *p, enum pipeline_end *end, struct err *e)
{
    struct recording_writer *w = p->writer;
    int result = run_loop(p, e);

    if (result < 0 && p->end == PIPELINE_OTHER_IMAGE)
        result = 0; /* an ordinary end: what came before is good */
    *end = p->end;
    aggregate_health(p->aggregate, decode_health(p->decode));
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
    p->header.monotonic_ns = source_now_ns();
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
    p->session = (struct session){.source = source,
                                  .rate_hz = config->rate_hz,
                                  .depth = config->depth,
                                  .context = config->context,
                                  .note = config->note};
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
