/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the decoder's events for a test, and checks them. */
#include "hear.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "profile/decode/decode.h"

static struct host_core *core_of(struct host *h, uint32_t core)
{
    CHECK(core < HOST_CORES_MAX);
    return &h->core[core];
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct host *h = context;

    (void)e;
    h->has_guest = true;
    h->guest = *g;
    h->hellos++;
    h->sessions += kind != HELLO_REPEAT;
    for (uint32_t i = 0; i < HOST_CORES_MAX && kind != HELLO_REPEAT; i++)
        h->core[i].before = h->core[i].account;
    h->boots += kind == HELLO_FIRST || kind == HELLO_REBOOT;
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    struct host *h = context;

    (void)core;
    h->stacks++;
    if (s->depth > h->deepest)
        h->deepest = s->depth;
    return (uint32_t)h->stacks;
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    struct host *h = context;
    struct host_core *core = core_of(h, batch->core);

    core->samples += batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        const struct sample *s = &batch->samples[i];

        if (s->flags & WIRE_SAMPLE_JUMP) {
            core->jumps++;
            core->jump_weight += s->weight;
        } else {
            core->weight += s->weight;
        }
        core->last_tsc = s->tsc;
        if (h->sample)
            h->sample(h->context, batch->core, s, batch->shift, batch->period);
    }
}

static void on_loss(void *context, const struct loss *loss)
{
    (void)context;
    (void)loss;
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    core_of(context, core)->account = *a;
}

static void on_stats(void *context, const struct core_stats *stats)
{
    struct host_core *core = core_of(context, stats->core);

    core->stats = *stats;
    core->stats_count++;
    core->final = (stats->flags & WIRE_STATS_FINAL) != 0;
}

static void on_status(void *context, const struct guest_status *status)
{
    struct host *h = context;

    h->status = *status;
    h->status_count++;
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    struct host *h = context;

    h->pong = *pong;
    h->pongs++;
}

static void on_gap(void *context, uint32_t frames)
{
    struct host *h = context;

    (void)frames;
    h->gaps++;
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct host *h = context;

    (void)map;
    (void)e;
    h->maps++;
    return 0;
}

const struct events host_events = {
    .hello = on_hello,
    .stack = on_stack,
    .samples = on_samples,
    .loss = on_loss,
    .account = on_account,
    .stats = on_stats,
    .status = on_status,
    .pong = on_pong,
    .gap = on_gap,
    .map = on_map,
};

const struct stream_health *host_health(const struct host *h)
{
    return decode_health(h->decode);
}

void host_print(const struct host *h)
{
    const struct stream_health *s = host_health(h);

    printf("%" PRIu64 " bytes, %" PRIu64 " hellos, %" PRIu64 " statuses "
           "(state %u, refusal %u)\n",
           h->bytes, h->hellos, h->status_count, h->status.state,
           h->status.refusal);
    printf("skipped %" PRIu64 "+%" PRIu64 " lost frames %" PRIu64
           " malformed %" PRIu64 " %s\n",
           s->before_hello, s->skipped, s->lost_frames, s->malformed,
           s->first_malformed);
    for (uint32_t i = 0; i < h->cores; i++) {
        const struct account *a = &h->core[i].account;
        const struct core_stats *t = &h->core[i].stats;

        printf("core %u: samples %" PRIu64 " lost %" PRIu64
               " ring_full %" PRIu64 " reentered %" PRIu64 " missed %" PRIu64
               " unknown_stack %" PRIu64 " violations %" PRIu64 "\n",
               i, a->samples, a->lost, a->ring_full, a->reentered, a->missed,
               a->unknown_stack, a->violations);
        printf("   guest: ticks %" PRIu64 " samples %" PRIu64
               " ring_full %" PRIu64 " reentered %" PRIu64 " missed %" PRIu64
               " flags %u\n",
               t->ticks, t->samples, t->ring_full, t->reentered, t->missed,
               t->flags);
    }
}

bool host_has_hellos(const struct host *h, uint64_t n)
{
    return h->hellos >= n;
}

bool host_has_statuses(const struct host *h, uint64_t n)
{
    return h->status_count >= n;
}

bool host_has_pongs(const struct host *h, uint64_t n)
{
    return h->pongs >= n;
}

bool host_has_samples(const struct host *h, uint64_t n)
{
    if (!h->has_guest)
        return false;
    for (uint32_t i = 0; i < h->cores; i++) {
        if (h->core[i].samples < n)
            return false;
    }
    return true;
}

bool host_has_finals(const struct host *h, uint64_t unused)
{
    (void)unused;
    for (uint32_t i = 0; i < h->cores; i++) {
        if (!h->core[i].final)
            return false;
    }
    return h->status.state == WIRE_STATE_STOPPED;
}

void host_check_identity(const struct host *h)
{
    for (uint32_t i = 0; i < h->cores; i++) {
        const struct host_core *core = &h->core[i];

        if (core->account.violations || core->account.samples != core->samples)
            host_print(h);
        CHECK_EQ(core->account.violations, 0);
        CHECK_EQ(core->account.samples, core->samples);
    }
    CHECK_EQ(host_health(h)->malformed, 0);
    CHECK_EQ(host_health(h)->unknown_frames, 0);
    CHECK_EQ(host_health(h)->unknown_records, 0);
}

void host_check_accounts(const struct host *h)
{
    host_check_identity(h);
    for (uint32_t i = 0; i < h->cores; i++) {
        const struct account *a = &h->core[i].account;
        const struct account *b = &h->core[i].before;
        const struct core_stats *s = &h->core[i].stats;
        const uint64_t *began = s->began;
        uint64_t full = s->ring_full - began[WIRE_COUNTER_RING_FULL];
        uint64_t inside = s->reentered - began[WIRE_COUNTER_REENTERED];
        uint64_t samples = s->samples - began[WIRE_COUNTER_SAMPLES];

        CHECK(h->core[i].final);
        CHECK(a->complete);
        if (!s->has_began)
            continue; /* it did nothing in this session */
        if (account_ticks(a) - account_ticks(b) != samples + full + inside)
            host_print(h);
        CHECK_EQ(a->samples + a->lost - b->samples - b->lost, samples);
        CHECK_EQ(a->ring_full - b->ring_full, full);
        CHECK_EQ(a->reentered - b->reentered, inside);
        CHECK_EQ(a->missed - b->missed, s->missed - began[WIRE_COUNTER_MISSED]);
        CHECK_EQ(s->ticks, s->samples + s->ring_full + s->reentered);
    }
}

void host_check_clean(const struct host *h)
{
    const struct stream_health *s = host_health(h);

    if (s->before_hello || s->skipped || s->lost_frames)
        host_print(h);
    CHECK_EQ(s->before_hello, 0);
    CHECK_EQ(s->skipped, 0);
    CHECK_EQ(s->lost_frames, 0);
    CHECK_EQ(h->gaps, 0);
    for (uint32_t i = 0; i < h->cores; i++) {
        CHECK_EQ(h->core[i].account.lost, 0);
        CHECK_EQ(h->core[i].account.unknown_stack, 0);
    }
}

/* The next number of a table's row, without its separators. */
static uint64_t next_number(char **at)
{
    uint64_t value = 0;

    while (**at == ' ')
        ++*at;
    for (; (**at >= '0' && **at <= '9') || **at == ','; ++*at) {
        if (**at != ',')
            value = value * 10 + (uint64_t)(**at - '0');
    }
    return value;
}

static void check_row(const struct host *h, char *row)
{
    uint64_t core = next_number(&row);

    CHECK(core < h->cores);
    const struct account *a = &h->core[core].account;

    CHECK_EQ(next_number(&row), account_deadlines(a));
    CHECK_EQ(next_number(&row), a->missed);
    CHECK_EQ(next_number(&row), account_ticks(a));
    CHECK_EQ(next_number(&row), a->samples);
    CHECK_EQ(next_number(&row), a->lost);
    CHECK_EQ(next_number(&row), a->ring_full);
    CHECK_EQ(next_number(&row), a->reentered);
}

FILE *host_collector(const char *arguments)
{
    char command[1024];

    snprintf(command, sizeof command, "%s %s", SERIAL_COLLECTOR, arguments);
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): all of it is ours */

    CHECK(f != NULL);
    return f;
}

void host_check_report(const struct host *h, const char *elf)
{
    char command[1024], line[1024];
    uint32_t rows = 0;
    bool inside = false;

    snprintf(command, sizeof command, "report %s --elf %s --details",
             h->record_path, elf);
    FILE *f = host_collector(command);

    while (fgets(line, sizeof line, f) != NULL) {
        if (inside && strspn(line, " ") != strspn(line, " 0123456789")) {
            check_row(h, line);
            rows++;
        }
        inside |= strstr(line, "DEADLINES") != NULL;
        inside &= line[0] != '\n';
    }
    CHECK_EQ(pclose(f), 0);
    CHECK_EQ(rows, h->cores);
}
