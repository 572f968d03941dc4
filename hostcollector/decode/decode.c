/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames -> events: sessions, sequence numbers, and what each type says. */
#include "decode/decode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/core.h"
#include "decode/fields.h"
#include "decode/frame.h"
#include "decode/samples.h"

struct decode {
    const struct events *events;
    void *context, *sums; /* of the events */
    struct stream_health health;
    uint64_t skipped_before; /* framer's counts at the first HELLO */
    uint64_t stretches_before;

    bool has_guest;
    struct guest guest;
    uint16_t next_seq;
    uint32_t gaps; /* in the stream; a core hears of them when it sends */
    struct core *cores[GUEST_CORES_MAX]; /* NULL until it sends */
    struct framer framer;
    struct samples_decoder samples;
};

struct decode *decode_new(const struct events *events, void *context)
{
    struct decode *d = calloc(1, sizeof *d);

    if (d) {
        d->events = d->samples.events = events;
        d->context = context;
        d->sums = events->sums != NULL ? events->sums : context;
        d->samples.sums = d->sums;
    }
    return d;
}

void decode_free(struct decode *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < GUEST_CORES_MAX; i++)
        free(d->cores[i]);
    free(d);
}

static void reboot_cores(struct decode *d)
{
    for (size_t i = 0; i < GUEST_CORES_MAX; i++)
        if (d->cores[i])
            core_reboot(d->cores[i]);
}

/* An intact frame that makes no sense: counted, and the first is described. */
static void malformed(struct decode *d, const struct frame *f, const char *why)
{
    if (d->health.malformed++ == 0)
        (void)snprintf(
            d->health.first_malformed, sizeof d->health.first_malformed,
            "frame %llu at byte %llu: %s", (unsigned long long)d->health.frames,
            (unsigned long long)f->at, why);
}

static enum hello_kind hello_kind(const struct decode *d, const struct frame *f,
                                  const struct guest *g)
{
    if (!d->has_guest)
        return HELLO_FIRST;
    if (memcmp(d->guest.boot_id, g->boot_id, sizeof g->boot_id) != 0)
        return HELLO_REBOOT;
    /* sequence number 0 opens a session, unless it came by counting on */
    return f->seq == 0 && d->next_seq != 0 ? HELLO_SESSION : HELLO_REPEAT;
}

static void lose_frames(struct decode *d, uint16_t count)
{
    d->health.lost_frames += count;
    d->gaps++;
    d->events->gap(d->context, count);
}

/* Deal with a gap before frame (f), unless (f) is a HELLO: that one opens a
 * session whatever was lost before it. */
static void check_seq(struct decode *d, const struct frame *f)
{
    uint16_t ahead = (uint16_t)(f->seq - d->next_seq);

    if (ahead != 0) /* if it is back, the guest was set back, too */
        lose_frames(d, ahead <= INT16_MAX ? ahead : 0);
    d->next_seq = (uint16_t)(f->seq + 1);
}

static int check_version(const struct frame *f, struct err *e)
{
    uint16_t version = fields_hello_version(f->body, f->length);

    unsigned major = version >> 8;

    if (version == 0)
        return 0; /* without a version it is malformed, not foreign */
    if (major >= TPROF_WIRE_VERSION_OLDEST && major <= TPROF_WIRE_VERSION_MAJOR)
        return 0;
    return err_set(e,
                   "decode: the guest speaks wire version %u.%u, this "
                   "collector %u.%u: use a collector of the guest's version",
                   major, version & 255u, TPROF_WIRE_VERSION_MAJOR,
                   TPROF_WIRE_VERSION_MINOR);
}

/* Enter a session, of the kind (kind). */
static void enter_session(struct decode *d, enum hello_kind kind,
                          const struct frame *f)
{
    switch (kind) {
    case HELLO_FIRST:
        d->skipped_before = d->framer.skipped;
        d->stretches_before = d->framer.stretches;
        d->health.before_hello = f->at;
        d->has_guest = true;
        break;
    case HELLO_REBOOT:
        reboot_cores(d);
        break;
    case HELLO_SESSION:
        d->gaps++; /* the end of the last one may be lost */
        break;
    case HELLO_REPEAT:
        check_seq(d, f);
        break;
    }
    d->next_seq = (uint16_t)(f->seq + 1);
}

static int hello(struct decode *d, const struct frame *f, struct err *e)
{
    struct guest g;

    if (check_version(f, e) < 0)
        return -1;
    const char *wrong = fields_hello_version(f->body, f->length) == 0
                            ? "HELLO does not begin with its version"
                            : fields_hello(f->body, f->length, &g);

    if (wrong) {
        malformed(d, f, wrong);
        return 0;
    }
    enum hello_kind kind = hello_kind(d, f, &g);

    enter_session(d, kind, f);
    d->guest = g;
    d->samples.text_start = g.text_start;
    return d->events->hello(d->context, kind, &g, e);
}

/* The core of that number; NULL with (*wrong) or (e) set. */
static struct core *core_at(struct decode *d, uint32_t number,
                            const char **wrong, struct err *e)
{
    if (number >= d->guest.cores) {
        *wrong = "a core that HELLO does not know";
        return NULL;
    }
    if (!d->cores[number]) {
        d->cores[number] = core_new(number);
        if (!d->cores[number]) {
            err_set(e, "decode: no memory for core %u", number);
            return NULL;
        }
    }
    struct core *c = d->cores[number];

    if (c->gaps_seen != d->gaps)
        core_gap(c);
    c->gaps_seen = d->gaps;
    return c;
}

static int samples(struct decode *d, const struct frame *f, struct err *e)
{
    const char *wrong = NULL;
    uint32_t number = samples_core(f->body, f->length);
    struct core *c = core_at(d, number, &wrong, e);

    if (!c && !wrong)
        return -1;
    if (c)
        wrong = samples_decode(&d->samples, c, f->body, f->length);
    if (wrong)
        malformed(d, f, wrong);
    d->health.unknown_records = d->samples.unknown_records;
    return 0;
}

/* A final STATS closes its core's account. */
static void final_stats(struct decode *d, struct core *c,
                        const struct core_stats *s)
{
    struct core_content lost;
    uint64_t from_tsc = c->has_counters ? c->tsc : s->tsc;

    core_stats(c, s, &lost);
    struct loss loss = {.core = c->number,
                        .reason = LOSS_TRANSPORT,
                        .from_tsc = from_tsc,
                        .to_tsc = s->tsc,
                        .ticks = lost.counters[WIRE_COUNTER_SAMPLES]};

    if (loss.ticks > 0)
        d->events->loss(d->sums, &loss);
    d->events->account(d->sums, c->number, &c->account);
}

static int stats(struct decode *d, const struct frame *f, struct err *e)
{
    struct core_stats s;
    const char *wrong = fields_stats(f->body, f->length, &s);
    struct core *c = wrong ? NULL : core_at(d, s.core, &wrong, e);

    if (wrong) {
        malformed(d, f, wrong);
        return 0;
    }
    if (!c)
        return -1;
    if (s.flags & WIRE_STATS_FINAL)
        final_stats(d, c, &s);
    d->events->stats(d->sums, &s);
    return 0;
}

static void status(struct decode *d, const struct frame *f)
{
    struct guest_status s;
    const char *wrong = fields_status(f->body, f->length, &s);

    if (wrong)
        malformed(d, f, wrong);
    else
        d->events->status(d->context, &s);
}

static void pong(struct decode *d, const struct frame *f)
{
    struct guest_pong p;
    const char *wrong = fields_pong(f->body, f->length, &p);

    if (wrong)
        malformed(d, f, wrong);
    else
        d->events->pong(d->context, &p);
}

static int map(struct decode *d, const struct frame *f, struct err *e)
{
    struct guest_map m;
    const char *wrong = fields_map(f->body, f->length, &m);

    if (wrong)
        malformed(d, f, wrong);
    else if (d->events->map)
        return d->events->map(d->context, &m, e);
    return 0;
}

static int dispatch(struct decode *d, const struct frame *f, struct err *e)
{
    d->health.frames++;
    if (f->type == WIRE_HELLO)
        return hello(d, f, e);
    if (!d->has_guest)
        return 0;
    check_seq(d, f);
    switch (f->type) {
    case WIRE_SAMPLES:
        return samples(d, f, e);
    case WIRE_STATS:
        return stats(d, f, e);
    case WIRE_STATUS:
        status(d, f);
        return 0;
    case WIRE_PONG:
        pong(d, f);
        return 0;
    case WIRE_MAP:
        return map(d, f, e);
    default:
        d->health.unknown_frames++;
        return 0;
    }
}

static int decode_pushed(struct decode *d, struct err *e)
{
    struct framer *fr = &d->framer;
    struct frame f;
    int result = 0;

    while (result == 0 && framer_next(fr, &f))
        result = dispatch(d, &f, e);
    if (d->has_guest) {
        d->health.skipped = fr->skipped - d->skipped_before;
        d->health.damaged = fr->stretches - d->stretches_before;
    } else {
        d->health.before_hello = fr->position;
    }
    return result;
}

int decode_feed(struct decode *d, const void *bytes, size_t size, struct err *e)
{
    d->health.bytes += size;
    framer_push(&d->framer, bytes, size, false);
    return decode_pushed(d, e);
}

int decode_end(struct decode *d, struct err *e)
{
    static const uint8_t nothing[1];

    framer_push(&d->framer, nothing, 0, true);
    return decode_pushed(d, e);
}

const struct stream_health *decode_health(const struct decode *d)
{
    return &d->health;
}
