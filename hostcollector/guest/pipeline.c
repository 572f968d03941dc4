/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the steps for one guest. */
#include "guest/pipeline_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest/talk/talk.h"
#include "profile/decode/decode.h"
#include "util/host_clock.h"
#include "util/text.h"

#define SECOND 1000000000ull /* in nanoseconds */

static void greet(struct pipeline *p, enum hello_kind kind,
                  const struct guest *g)
{
    /* after 65,536 frames a new session looks like a repeated HELLO */
    if (kind != HELLO_REPEAT || p->talk.state == TALK_SILENT)
        talk_hello(&p->talk, &(struct talk_greeting){
                                 .tsc_hz = g->tsc_hz,
                                 .rate_hz = g->rate_hz,
                                 .one_way = g->features & WIRE_FEATURE_ONE_WAY,
                                 .outside = g->features & WIRE_FEATURE_OUTSIDE,
                                 .rebooted = kind == HELLO_REBOOT});
}

/* Take (used) bytes for the cores of (g) out of the guest's share. Cores may
 * take at most 1/(part) of the share. */
static int charge(struct pipeline *p, const struct guest *g, uint64_t used,
                  unsigned part, struct err *e)
{
    uint64_t share = p->config.aggregate.memory_max;
    char advice[TEXT_ENOUGH];

    if (used <= p->charged)
        return 0;
    if (share != 0 && used > share / part)
        return err_set(
            e, "stacks of %u cores may need %" PRIu64 " KiB of memory%s",
            g->cores, (used * part + 1023) >> 10,
            text_enough(advice, p->config.memory_all, share, used * part));
    aggregate_reserve(p->aggregate, used - p->charged);
    p->charged = used;
    return 0;
}

/* Charge the cores of (g) and their dictionaries. */
static int charge_used(struct pipeline *p, const struct guest *g, struct err *e)
{
    uint64_t used =
        g->cores * DECODE_CORE_BYTES + decode_dictionaries(p->decode);

    return p->config.grown ? p->config.grown(p->config.tap_context, used, e)
                           : charge(p, g, used, 1, e);
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct pipeline *p = context;
    uint64_t most = g->cores * DECODE_CORE_MAX;
    uint64_t half = p->config.aggregate.memory_max / 2;

    if (p->has_guest && !guest_same_image(&p->guest, g)) {
        p->end = PIPELINE_OTHER_IMAGE;
        return err_set(e, "pipeline: the guest rebooted into another image");
    }
    /* whole dictionaries, as far as half of the share has room for them */
    if (charge(p, g, p->config.tap ? most : g->cores * DECODE_CORE_BYTES, 2,
               e) < 0 ||
        charge(p, g, half != 0 && most > half ? half : most, 1, e) < 0 ||
        charge_used(p, g, e) < 0)
        return -1;
    if (p->config.hello && (kind == HELLO_FIRST || kind == HELLO_REBOOT) &&
        p->config.hello(p->config.context, g, e) < 0)
        return -1;
    p->guest = *g;
    p->has_guest = true;
    if (aggregate_hello(p->aggregate, kind, g) < 0)
        return err_set(e, "pipeline: no memory for %u cores", g->cores);
    if (p->config.tap &&
        p->config.tap->hello(p->config.tap_context, kind, g, e) != 0)
        return -1;
    greet(p, kind, g); /* a guest that is refused does not begin to sample */
    return 0;
}

static void on_status(void *context, const struct guest_status *status)
{
    struct pipeline *p = context;

    aggregate_status(p->aggregate, status);
    talk_status(&p->talk, status);
    if (p->config.tap && p->config.tap->status)
        p->config.tap->status(p->config.tap_context, status);
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    struct pipeline *p = context;
    uint64_t hz = talk_pong(&p->talk, pong->cookie, pong->tsc, p->arrival_ns);

    if (hz != 0)
        aggregate_clock(p->aggregate, hz);
    if (hz != 0 && p->config.clock)
        p->config.clock(p->config.tap_context, hz);
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct pipeline *p = context;

    if (aggregate_map(p->aggregate, map) != MAPS_OTHER_IMAGE)
        return p->config.tap && p->config.tap->map
                   ? p->config.tap->map(p->config.tap_context, map, e)
                   : 0;
    p->end = PIPELINE_OTHER_IMAGE;
    return err_set(e, "pipeline: the guest rebooted and loaded another image");
}

static void on_gap(void *context, uint32_t frames)
{
    struct pipeline *p = context;

    talk_gap(&p->talk);
    if (p->config.tap && p->config.tap->gap)
        p->config.tap->gap(p->config.tap_context, frames);
}

/* Callbacks of the decoder. Events about samples skip the pipeline. */
static struct events events_of(const struct pipeline *p)
{
    const struct events *tap = p->config.tap;
    struct events events = tap ? *tap : aggregate_events;

    events.sums = tap ? p->config.tap_context : p->aggregate;
    events.hello = on_hello;
    events.status = on_status;
    events.pong = on_pong;
    events.map = on_map;
    events.gap = on_gap;
    return events;
}

/* Set the wall time of the profile's start, when the first samples came. */
static void place_in_time(struct pipeline *p)
{
    const struct recording_info *h = &p->header;
    double first = (double)p->samples_ns, start = 0;
    if (p->source->recording)
        p->header = *recording_get_info(p->source->recording);
    if (p->samples_ns == 0)
        return;
    if (h->wall_ns != 0)
        start = ((double)h->wall_ns + first - (double)h->monotonic_ns) /
                (double)SECOND;
    aggregate_host_clock(p->aggregate, start,
                         p->last_ns > p->samples_ns
                             ? ((double)p->last_ns - first) / (double)SECOND
                             : 0);
}

/* Read once from the source, decode, and record from the guest's first HELLO
 * on. Returns 0; -1 with (e) filled. */
static int take_bytes(struct pipeline *p, void *buf, size_t size, struct err *e)
{
    struct source *s = p->source;
    ssize_t n = s->ops->read(s, buf, size, &p->arrival_ns, e);
    bool had_samples = aggregate_sums(p->aggregate).samples != 0;
    bool met = p->has_guest;

    if (n == SOURCE_END) {
        int result = decode_end(p->decode, e);
        talk_cut(&p->talk);
        return result;
    }
    if (n <= 0)
        return n < 0 ? -1 : 0;
    talk_heard(&p->talk);
    p->last_ns = p->arrival_ns;
    if (p->config.record_path && !p->writer &&
        pipeline_create_recording(p, e) < 0)
        return -1;
    if (met && pipeline_append(p, buf, (size_t)n, e) < 0)
        return -1;
    int result = decode_feed(p->decode, buf, (size_t)n, e);

    if (result == 0 && p->has_guest)
        result = charge_used(p, &p->guest, e);
    if (!had_samples && aggregate_sums(p->aggregate).samples != 0)
        p->samples_ns = p->arrival_ns;
    if (p->writer && !p->has_guest)
        recording_hold(p->writer, buf, (size_t)n);
    if (!met && p->has_guest && pipeline_append(p, buf, (size_t)n, e) < 0)
        return -1;
    return result;
}

struct pipeline_poll pipeline_wait(const struct pipeline *p)
{
    bool open = p->talk.state != TALK_ABSENT && p->source->live;
    struct pipeline_poll wait = {.fd = open ? p->source->fd : -1,
                                 .to_write = p->talk.out_size > 0,
                                 .due = talk_due(&p->talk)};

    if (!p->source->live)
        wait.due = 0; /* a file can always be read */
    return wait;
}

/* Fail, or end because the guest rebooted into another image. */
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

    /* the time to answer STOP may have passed before this guest's turn */
    readable |= state == TALK_DRAINING && clock_ns() >= talk_due(&p->talk);
    if (open && (readable || !p->source->live) &&
        take_bytes(p, buf, size, e) < 0)
        return fail_pipeline(p);
    if (p->talk.state != TALK_OVER &&
        (talk_tick(&p->talk, clock_ns(), e) < 0 || talk_flush(&p->talk, e) < 0))
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
    int result = p->end == PIPELINE_OTHER_IMAGE ? 0 : decode_end(p->decode, e);

    talk_end(&p->talk);
    if (!p->has_guest)
        talk_excuse(&p->talk, &p->excuse);
    if (p->talk.stayed_away)
        p->end = PIPELINE_STAYED_AWAY;
    *end = p->end;
    aggregate_health(p->aggregate, decode_health(p->decode));
    place_in_time(p);
    if (!p->config.names && pipeline_seal(p, result < 0 ? NULL : e) < 0)
        result = -1;
    if (p->source->live) {
        source_close(p->source);
        p->source = NULL;
    }
    return result;
}

const char *pipeline_excuse(const struct pipeline *p)
{
    return p->excuse.text;
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

uint64_t pipeline_heard_ns(const struct pipeline *p)
{
    return p->last_ns;
}

struct aggregate_totals pipeline_sums(const struct pipeline *p)
{
    return aggregate_sums(p->aggregate);
}

void pipeline_ask(struct pipeline *p, uint32_t rate_hz, uint32_t depth)
{
    talk_ask(&p->talk, rate_hz, depth);
}

void pipeline_reset(struct pipeline *p)
{
    talk_gap(&p->talk);
}

double pipeline_part(const struct pipeline *p)
{
    return p->source != NULL ? source_part(p->source) : 0;
}

struct pipeline *pipeline_new(struct source *source,
                              const struct pipeline_config *config,
                              struct err *e)
{
    struct pipeline *p = calloc(1, sizeof *p);

    if (!p) {
        source_close(source);
        err_memory(e);
        return NULL;
    }
    p->source = source;
    p->config = *config;
    p->end = PIPELINE_SOURCE_END;
    p->talk = (struct talk){
        .source = source,
        .rate_hz = config->rate_hz,
        .depth = config->depth,
        .wait_ns = (uint64_t)(config->wait_s * (double)SECOND),
        .started = config->started,
        .first_wait_ns = (uint64_t)(config->first_wait_s * (double)SECOND),
        .backs_off = config->backs_off,
        .failed = config->failed,
        .context = config->context,
        .note = config->note};
    p->config.aggregate.windows = source->windows;
    p->aggregate = aggregate_new(&p->config.aggregate);
    p->events = events_of(p);
    p->decode = decode_new(&p->events, p);
    if (!p->decode || !p->aggregate) {
        err_memory(e);
        pipeline_free(p);
        return NULL;
    }
    if (source->live)
        pipeline_describe(p);
    if (!source->live || !config->record_path ||
        pipeline_create_recording(p, e) == 0)
        return p;
    pipeline_free(p);
    return NULL;
}

uint64_t pipeline_memory_left(const struct pipeline *p)
{
    return aggregate_memory_left(p->aggregate);
}

const struct profile *pipeline_profile(struct pipeline *p)
{
    return aggregate_profile(p->aggregate);
}

void pipeline_leave_out(struct pipeline *p, bool *const *out)
{
    aggregate_leave_out(p->aggregate, out);
}

const struct recording_info *pipeline_recording(const struct pipeline *p,
                                                enum recording_end *end)
{
    if (!p->source || !p->source->recording)
        return NULL;
    *end = recording_end(p->source->recording);
    return recording_get_info(p->source->recording);
}

bool pipeline_find_names(const struct pipeline *p, struct recording_names *n)
{
    return p->source && p->source->recording &&
           recording_find_names(p->source->recording, n);
}

bool pipeline_passed_names(const struct pipeline *p)
{
    return p->source && p->source->recording &&
           recording_passed_names(p->source->recording);
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
