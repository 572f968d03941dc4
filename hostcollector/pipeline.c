/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The joiner: bytes from a source go to the recorder and the decoder, events
 * to the aggregate and to the conversation with the guest.
 */
#include "pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/decode.h"
#include "talk/talk.h"

#define SECOND         1000000000ull  /* in nanoseconds */
#define DICTIONARY_MAX (80ull * 1024) /* bytes a core, see decode.h */

struct pipeline {
    struct pipeline_config config;
    struct source *source;
    struct talk talk;
    struct recording_writer *writer; /* NULL: not recording */
    struct recording_info header;    /* of what is recorded or replayed */
    struct events events;            /* of the decoder */
    struct decode *decode;
    struct aggregate *aggregate;

    enum pipeline_end end;
    uint64_t arrival_ns; /* of the bytes being decoded; 0: unknown */
    bool failed;         /* the decoder cannot go on */
    bool has_guest;
    struct guest guest; /* as the last HELLO described it */
};

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
    /* after 65,536 frames a new session looks like a repeated HELLO */
    if (kind != HELLO_REPEAT || p->talk.state == TALK_SILENT)
        talk_hello(&p->talk, &(struct talk_hello){
                                 .tsc_hz = g->tsc_hz,
                                 .rate_hz = g->rate_hz,
                                 .one_way = g->features & WIRE_FEATURE_ONE_WAY,
                                 .rebooted = kind == HELLO_REBOOT,
                             });
}

/* A guest that claims many cores shall not take everybody else's memory. */
static int check_memory(const struct pipeline *p, const struct guest *g,
                        struct err *e)
{
    uint64_t limit = p->config.aggregate.memory_max;
    uint64_t needed = g->cores * DICTIONARY_MAX;

    if (limit == 0 || needed <= limit)
        return 0;
    return err_set(e,
                   "the guest claims %" PRIu32 " cores, whose dictionaries "
                   "may take %" PRIu64 " KiB; beside so many other guests it "
                   "may have %" PRIu64 ": sample fewer guests at once",
                   g->cores, needed >> 10, limit >> 10);
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct pipeline *p = context;

    if (p->has_guest && !same_image(&p->guest, g)) {
        p->end = PIPELINE_OTHER_IMAGE;
        return err_set(e, "pipeline: the guest rebooted into another image");
    }
    if (check_memory(p, g, e) < 0)
        return -1;
    if (p->config.hello && (kind == HELLO_FIRST || kind == HELLO_REBOOT) &&
        p->config.hello(p->config.context, g, e) < 0)
        return -1;
    p->guest = *g;
    p->has_guest = true;
    aggregate_hello(p->aggregate, kind, g);
    greet(p, kind, g);
    return 0;
}

static void on_status(void *context, const struct guest_status *status)
{
    struct pipeline *p = context;

    aggregate_status(p->aggregate, status);
    talk_status(&p->talk, status);
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    struct pipeline *p = context;
    uint64_t hz = talk_pong(&p->talk, pong->cookie, pong->tsc, p->arrival_ns);

    if (hz != 0)
        aggregate_clock(p->aggregate, hz);
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct pipeline *p = context;

    if (aggregate_map(p->aggregate, map) != MAPS_OTHER_IMAGE)
        return 0;
    p->end = PIPELINE_OTHER_IMAGE;
    return err_set(e, "pipeline: the guest rebooted and loaded another image");
}

static void on_gap(void *context, uint32_t frames)
{
    struct pipeline *p = context;

    (void)frames;
    talk_gap(&p->talk);
}

/* Some events concern the aggregate alone and go straight to it. The others
 * concern the conversation with the guest, too. */
static struct events events_of(const struct pipeline *p)
{
    struct events events = aggregate_events;

    events.sums = p->aggregate;
    events.hello = on_hello;
    events.status = on_status;
    events.pong = on_pong;
    events.map = on_map;
    events.gap = on_gap;
    return events;
}

/* Step by step */

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

/* The stream is cut, or over. */
static int cut_stream(struct pipeline *p, struct err *e)
{
    int result = decode_end(p->decode, e);

    talk_cut(&p->talk);
    return result;
}

/* Read once from the source, record and decode. Returns 0; -1 with (e) filled.
 */
static int take_bytes(struct pipeline *p, void *buf, size_t size, struct err *e)
{
    struct source *s = p->source;
    ssize_t n = s->ops->read(s, buf, size, &p->arrival_ns, e);

    if (n == SOURCE_END)
        return cut_stream(p, e);
    if (n <= 0)
        return n < 0 ? -1 : 0;
    talk_heard(&p->talk);
    if (p->writer &&
        recording_append(p->writer, buf, (size_t)n, p->arrival_ns, e) < 0)
        return -1;
    bool had_samples = aggregate_sums(p->aggregate).samples != 0;
    int result = decode_feed(p->decode, buf, (size_t)n, e);

    if (!had_samples && aggregate_sums(p->aggregate).samples != 0)
        place_in_time(p);
    return result;
}

struct pipeline_wait pipeline_wait(const struct pipeline *p)
{
    bool open = p->talk.state != TALK_ABSENT && p->source->live;
    struct pipeline_wait wait = {.fd = open ? p->source->fd : -1,
                                 .to_write = p->talk.out_size > 0,
                                 .due = talk_due(&p->talk)};

    if (!p->source->live)
        wait.due = 0; /* a file can always be read */
    return wait;
}

/* Decoding failed, or ended because the guest rebooted into another image. */
static int fail_pipeline(struct pipeline *p)
{
    talk_end(&p->talk);
    p->failed = true;
    return p->end == PIPELINE_OTHER_IMAGE ? 0 : -1;
}

int pipeline_step(struct pipeline *p, bool readable, void *buf, size_t size,
                  struct err *e)
{
    enum talk_state state = p->talk.state;
    bool open = state != TALK_ABSENT && state != TALK_OVER;

    if (open && (readable || !p->source->live) &&
        take_bytes(p, buf, size, e) < 0)
        return fail_pipeline(p);
    if (p->talk.state != TALK_OVER &&
        (talk_tick(&p->talk, source_now_ns(), e) < 0 ||
         talk_flush(&p->talk, e) < 0))
        return fail_pipeline(p);
    return p->talk.state != TALK_OVER;
}

void pipeline_stop(struct pipeline *p, enum pipeline_end end)
{
    if (p->talk.state == TALK_OVER)
        return;
    if (end == PIPELINE_ABANDONED || p->talk.state != TALK_DRAINING)
        p->end = end; /* the first reason counts */
    if (end == PIPELINE_ABANDONED)
        talk_end(&p->talk);
    else if (p->talk.state != TALK_DRAINING)
        talk_stop(&p->talk);
}

int pipeline_close(struct pipeline *p, enum pipeline_end *end, struct err *e)
{
    struct recording_writer *w = p->writer;
    int result = p->end == PIPELINE_OTHER_IMAGE ? 0 : decode_end(p->decode, e);

    talk_end(&p->talk);
    if (p->talk.stayed_away)
        p->end = PIPELINE_STAYED_AWAY;
    *end = p->end;
    aggregate_health(p->aggregate, decode_health(p->decode));
    p->writer = NULL;
    if (recording_close(w, result < 0 ? NULL : e) < 0)
        result = -1;
    if (p->source->live) {
        source_close(p->source);
        p->source = NULL;
    }
    return result;
}

void *pipeline_context(const struct pipeline *p)
{
    return p->config.context;
}

bool pipeline_is_sampling(const struct pipeline *p)
{
    return p->source && p->source->live && p->talk.state == TALK_SAMPLING;
}

uint64_t pipeline_sampling_ns(const struct pipeline *p)
{
    return p->source && p->source->live ? p->talk.sampling_ns : 0;
}

struct aggregate_sums pipeline_sums(const struct pipeline *p)
{
    return aggregate_sums(p->aggregate);
}

/* The recording's header: what is known when it is created. */
static void describe_recording(struct pipeline *p)
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
    p->end = PIPELINE_SOURCE_END;
    p->talk =
        (struct talk){.source = source,
                      .rate_hz = config->rate_hz,
                      .depth = config->depth,
                      .wait_ns = (uint64_t)(config->wait_s * (double)SECOND),
                      .context = config->context,
                      .note = config->note};
    p->aggregate = aggregate_new(&config->aggregate);
    p->events = events_of(p);
    p->decode = decode_new(&p->events, p);
    if (!p->decode || !p->aggregate) {
        err_set(e, "pipeline: no memory");
        goto fail;
    }
    if (source->live || config->record_path)
        describe_recording(p);
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
    if (!p->source || !p->source->recording)
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
