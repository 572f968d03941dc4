/* SPDX-License-Identifier: BSD-2-Clause */
/* Wire bytes -> events. */
#include "profile/decode/decode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/decode/core.h"
#include "profile/decode/fields.h"
#include "profile/decode/frame.h"
#include "profile/decode/request_frames.h"
#include "profile/decode/samples.h"
#include "profile/decode/thread_frames.h"

/* First wire version in which STATS say where a core's counting starts, and a
 * session has no losses of earlier sessions. */
#define BEGAN_SINCE 0x0202u

struct decode {
    const struct events *events;
    void *context, *sums; /* contexts of the events */
    struct stream_health health;
    uint64_t skipped_before; /* framer's counts at the first HELLO */
    uint64_t stretches_before;

    bool has_guest;
    struct guest guest;
    struct order order;
    uint32_t gaps; /* in the stream; a core learns of them when it sends */
    uint32_t gaps_before; /* value of (gaps) when this session began */
    bool late;            /* the stream began in the middle of this session */
    bool started;         /* STATUS has said that the guest samples */
    /* The last HELLO has opened a session or was a copy of an old HELLO; the
     * next frame decides. Until then the members below describe the previous
     * session. */
    bool undecided, reboot;
    uint64_t hello_end; /* end of that HELLO in the stream */
    struct order order_before;
    struct guest guest_before;
    struct core *cores[GUEST_CORES_MAX]; /* NULL until it sends */
    uint32_t core_end; /* no HELLO has named this core or a later one */
    /* For each core that has not sent: number of sessions in which the core may
     * have sampled without being noticed. */
    uint32_t unheard[GUEST_CORES_MAX];
    struct samples_decoder samples;
    struct framer framer; /* last, since its end is not cleared */
};

/* The slots that are not used share two pages with other memory. */
_Static_assert(offsetof(struct core, dict) + 4096 <= DECODE_CORE_BYTES,
               "a core without its dictionary takes more");

struct decode *decode_new(const struct events *events, void *context)
{
    struct decode *d = malloc(sizeof *d);

    if (d) {
        memset(d, 0, offsetof(struct decode, framer.carry));
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
    for (uint32_t i = 0; i < d->core_end; i++)
        core_free(d->cores[i]);
    free(d);
}

/* Did the session end without its final STATS, or did some of its frames get
 * lost? */
static bool is_session_open(const struct decode *d)
{
    bool open = d->gaps != d->gaps_before, closed = false;

    for (uint32_t i = 0; i < d->core_end; i++) {
        const struct core *c = d->cores[i];

        open |= c && c->has_counters && !c->account.complete;
        closed |= c && c->account.complete;
    }
    return open || (d->started && !closed);
}

/* Begin the session that the last HELLO has opened. */
static void begin_session(struct decode *d)
{
    bool open = is_session_open(d);

    d->undecided = d->started = false;
    d->late = false;
    d->gaps_before = d->gaps;
    for (uint32_t i = 0; i < d->core_end; i++) {
        struct core *c = d->cores[i];

        if (!c) {
            d->unheard[i] += open && i < d->guest_before.cores;
            continue;
        }
        c->account.cut += open && !c->has_counters && !c->account.complete;
        core_session(c, d->reboot);
        c->gaps_seen = d->gaps;
        d->events->account(d->sums, i, &c->account);
    }
}

/* Did the last HELLO open a session, to which (f) belongs? If (f) continues the
 * previous session, that HELLO was a copy in the wrong place. But if bytes
 * after it were damaged, frames of its own session may be lost, and (f) is of
 * it. */
static void decide(struct decode *d, const struct frame *f)
{
    if (f->seq != d->order_before.next || f->seq == d->order.next ||
        f->at != d->hello_end) {
        begin_session(d);
        return;
    }
    d->undecided = false;
    d->order = d->order_before;
    d->guest = d->guest_before;
    d->samples.text_start = d->guest.text_start;
    d->health.left_out++;
}

/* Count an intact frame with a malformed body, and describe the first such
 * frame. */
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
    /* sequence number 0 opens a session, unless counting wrapped around to 0 */
    return f->seq == 0 && d->order.next != 0 ? HELLO_SESSION : HELLO_REPEAT;
}

static void lose_frames(struct decode *d, uint16_t count)
{
    d->health.lost_frames += count;
    d->gaps++;
    if (d->events->gap)
        d->events->gap(d->context, count);
}

/* Begin anew: the guest was set back, or the HELLO of another session was lost.
 * The account of each core is known up to its last frame only. */
static void set_back(struct decode *d)
{
    for (uint32_t i = 0; i < d->guest.cores; i++) {
        struct core *c = d->cores[i];

        if (!c) {
            d->unheard[i]++;
            continue;
        }
        c->account.cut += c->has_counters || !c->account.complete;
        c->account.complete = false;
        d->events->account(d->sums, i, &c->account);
    }
}

/* The place of (f) in its session. Returns whether (f) can be used. */
static bool take_place(struct decode *d, const struct frame *f)
{
    uint16_t missing;
    enum order_place place = order_take(&d->order, f, &missing);
    bool used = place != ORDER_AGAIN && place != ORDER_LATE;

    if (place == ORDER_AHEAD || place == ORDER_BACK)
        lose_frames(d, missing);
    if (place == ORDER_BACK)
        set_back(d);
    d->health.left_out += !used;
    return used;
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

/* Begin a session of kind (kind), or continue this session if HELLO was
 * repeated. Returns whether (f) can be used. */
static bool enter_session(struct decode *d, enum hello_kind kind,
                          const struct frame *f)
{
    switch (kind) {
    case HELLO_FIRST:
        d->skipped_before = d->framer.skipped;
        d->stretches_before = d->framer.stretches;
        d->health.before_hello = f->at;
        d->has_guest = true;
        d->late = f->seq != 0;
        break;
    case HELLO_REBOOT:
    case HELLO_SESSION:
        d->undecided = true;
        d->reboot = kind == HELLO_REBOOT;
        d->order_before = d->order;
        d->guest_before = d->guest;
        d->hello_end =
            f->at + WIRE_FRAME_HEADER + f->length + WIRE_FRAME_TRAILER;
        break;
    case HELLO_REPEAT:
        return take_place(d, f);
    }
    order_begin(&d->order, f);
    return true;
}

static int hello(struct decode *d, const struct frame *f, struct err *e)
{
    struct guest g;

    if (check_version(f, e) < 0)
        return -1;
    const char *wrong = fields_hello_version(f->body, f->length) == 0
                            ? "HELLO does not begin with its version"
                            : fields_hello(f->body, f->length, &g);

    enum hello_kind kind = wrong ? HELLO_REPEAT : hello_kind(d, f, &g);

    if (!wrong && kind != HELLO_FIRST && kind != HELLO_REBOOT &&
        g.cores != d->guest.cores)
        wrong = "HELLO of the same boot with another number of cores";
    if (wrong) {
        malformed(d, f, wrong);
        return 0;
    }
    if (!enter_session(d, kind, f))
        return 0;
    d->guest = g;
    if (d->core_end < g.cores)
        d->core_end = g.cores;
    d->samples.text_start = g.text_start;
    d->samples.old_losses = g.wire_version < BEGAN_SINCE;
    return d->events->hello(d->context, kind, &g, e);
}

/* The core with (number); NULL with (*wrong) or (e) set if there is none. */
static struct core *core_at(struct decode *d, uint32_t number,
                            const char **wrong, struct err *e)
{
    if (number >= d->guest.cores) {
        *wrong = "a core that HELLO does not have";
        return NULL;
    }
    if (!d->cores[number]) {
        d->cores[number] = core_new(number);
        if (!d->cores[number]) {
            err_set(e, "decode: no memory for core %u", number);
            return NULL;
        }
        d->cores[number]->gaps_seen = d->gaps_before;
        d->cores[number]->late = d->late;
        d->cores[number]->account.cut = d->unheard[number];
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

/* Report that (lost) of core (c) was lost in transport between these times. */
static void tell_lost(struct decode *d, const struct core *c,
                      const struct core_content *lost, uint64_t from_tsc,
                      uint64_t to_tsc)
{
    struct loss loss = {.core = c->number,
                        .reason = LOSS_TRANSPORT,
                        .from_tsc = from_tsc,
                        .to_tsc = to_tsc,
                        .ticks = lost->counters[WIRE_COUNTER_SAMPLES]};

    if (loss.ticks > 0)
        d->events->loss(d->sums, &loss);
    d->events->account(d->sums, c->number, &c->account);
}

/* Use STATS that say where the core's counting starts. */
static void began_stats(struct decode *d, struct core *c,
                        const struct core_stats *s)
{
    struct core_content lost;
    uint64_t at = c->tsc != 0 ? c->tsc : s->tsc;

    core_begin(c, s->began, &lost);
    tell_lost(d, c, &lost, at, at);
}

/* A final STATS closes its core's account. */
static void final_stats(struct decode *d, struct core *c,
                        const struct core_stats *s)
{
    struct core_content lost;
    uint64_t from_tsc = c->tsc != 0 ? c->tsc : s->tsc;

    /* without (began), the part of these counts that is of this session is
     * unknown */
    if (d->samples.old_losses && !c->has_counters && c->gap && s->ticks > 0)
        core_doubt(c);
    core_finish(c, s, &lost);
    tell_lost(d, c, &lost, from_tsc, s->tsc);
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
    if (s.has_began)
        began_stats(d, c, &s);
    if (s.flags & WIRE_STATS_FINAL)
        final_stats(d, c, &s);
    d->events->stats(d->sums, &s);
    return 0;
}

static const char *take_status(struct decode *d, const struct frame *f)
{
    struct guest_status s;
    const char *wrong = fields_status(f->body, f->length, &s);

    if (!wrong && d->events->status)
        d->events->status(d->context, &s);
    d->started |= !wrong && s.state == WIRE_STATE_SAMPLING;
    return wrong;
}

static const char *pong(struct decode *d, const struct frame *f)
{
    struct guest_pong p;
    const char *wrong = fields_pong(f->body, f->length, &p);

    if (!wrong && d->events->pong)
        d->events->pong(d->context, &p);
    return wrong;
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

static const char *progress(struct decode *d, const struct frame *f)
{
    struct guest_progress p;
    const char *wrong = fields_progress(f->body, f->length, &p);

    if (!wrong && d->events->progress)
        d->events->progress(d->sums, &p);
    return wrong;
}

static int dispatch(struct decode *d, const struct frame *f, struct err *e)
{
    const char *wrong = NULL;

    d->health.frames++;
    if (d->undecided)
        decide(d, f);
    if (f->type == WIRE_HELLO)
        return hello(d, f, e);
    if (!d->has_guest || !take_place(d, f))
        return 0;
    switch (f->type) {
    case WIRE_SAMPLES:
        return samples(d, f, e);
    case WIRE_STATS:
        return stats(d, f, e);
    case WIRE_MAP:
        return map(d, f, e);
    case WIRE_STATUS:
        wrong = take_status(d, f);
        break;
    case WIRE_PONG:
        wrong = pong(d, f);
        break;
    case WIRE_PROGRESS:
        wrong = progress(d, f);
        break;
    default:
        if (!thread_frames_take(&d->samples, &d->guest, f, &wrong) &&
            !request_frames_take(&d->samples, f, &wrong))
            d->health.unknown_frames++;
    }
    if (wrong)
        malformed(d, f, wrong);
    return 0;
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
    int result = decode_pushed(d, e);

    if (d->undecided)
        begin_session(d);
    return result;
}

uint64_t decode_dictionaries(const struct decode *d)
{
    return d->samples.dict_slots * sizeof(struct core_slot);
}

const struct stream_health *decode_health(const struct decode *d)
{
    return &d->health;
}
