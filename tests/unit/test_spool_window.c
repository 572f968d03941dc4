/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: what is packed and unpacked is what the guest sent. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/aggregate/aggregate.h"
#include "profile/decode/decode.h"
#include "recording/spool/compact_parts.h"
#include "recording/spool/spool_window.h"
#include "seen.h"
#include "wiregen.h"

#define START  0x400000u /* of text */
#define CORES  2u
#define STACKS 20u

static struct seen before, after; /* the guest's events, and the windows' */
static struct window_packer *packer;
static struct merged_file *merged_windows; /* NULL: none are merged */
static uint64_t last_ms;
static struct decode *sent, *packed, *merged;
static struct wiregen wire;
static size_t fed;
static uint32_t state;
static uint64_t now[CORES], samples[CORES], missed[CORES], ring_full[CORES];
static uint64_t in_windows, lost_in_windows;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void begin(uint32_t seed)
{
    state = seed;
    packer = window_packer_new(32u << 20, 32u << 20);
    sent = decode_new(&seen_events, &before);
    packed = decode_new(&window_events, packer);
    merged = decode_new(&seen_events, &after);
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = CORES,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = START,
                                                 .text_size = 0x100000});
}

static void end(void)
{
    decode_free(sent);
    decode_free(packed);
    decode_free(merged);
    window_packer_free(packer);
    wiregen_fini(&wire);
}

/* A frame of (core) with all that may be in one. */
static void put_frame(uint16_t core, bool first)
{
    struct wiregen_samples s = {.core = core,
                                .shift = 4,
                                .period = 6400,
                                .epoch = 1,
                                .time = 1000000 + now[core]};
    uint64_t frames[8];

    wiregen_samples_begin(&wire, &s);
    if (first)
        wiregen_begin(&wire, 1000000 << 4, 4, 6400, 1);
    for (uint32_t i = 1; i <= STACKS; i++) {
        uint32_t depth = 1 + i % 8;

        for (uint32_t k = 0; k < depth; k++)
            frames[k] = 0x1000 + (i >> k) * 64 + k;
        wiregen_stack(&wire, &(struct wiregen_stack){
                                 .id = i,
                                 .end = i % 5,
                                 .mask = i % 3,
                                 .words = {i * 16, i * 32},
                                 .frames = frames,
                                 .count = depth,
                                 .base = i % 7 == 0 ? 0x10000000 : 0});
    }
    for (uint32_t i = 0; i < 40; i++) {
        samples[core]++;
        if (draw(20) == 0) {
            uint64_t weight = 1 + draw(4);

            missed[core] += weight - 1;
            struct wiregen_long l = {.dt = draw(30000),
                                     .id = draw(STACKS + 1),
                                     .leaf = draw(1u << 30),
                                     .flags = draw(2),
                                     .late = draw(9000),
                                     .weight = weight};
            wiregen_long_sample(&wire, &l);
            now[core] += l.dt;
        } else if (draw(30) == 0) {
            ring_full[core] += 3;
            missed[core] += 2;
            wiregen_lost(&wire, WIRE_COUNTER_RING_FULL, 3, 2);
            wiregen_short(&wire, 1 + draw(STACKS), 6400, draw(5000), 0);
            now[core] += 6400;
        } else {
            uint32_t dt = 3200 + draw(6400);

            wiregen_short(&wire, 1 + draw(STACKS), dt, draw(60) * 16, draw(15));
            now[core] += dt;
        }
    }
    const uint64_t counters[] = {samples[core], missed[core], ring_full[core],
                                 0};

    wiregen_samples_end(&wire, counters);
}

static void feed(void)
{
    struct err e;
    size_t size = wire.size - fed;

    CHECK_EQ(decode_feed(sent, wire.bytes + fed, size, &e), 0);
    CHECK_EQ(decode_feed(packed, wire.bytes + fed, size, &e), 0);
    fed = wire.size;
}

/* A file of so many bytes. */
static int file_of(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("window", MFD_CLOEXEC);

    CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
    CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Read it as any recording is read. */
static void read_file(int fd)
{
    uint8_t bytes[1000];
    uint64_t arrival;
    struct err e;
    long n;
    struct recording_reader *r = recording_open(fd, &e);

    CHECK(r != NULL);
    while ((n = recording_read(r, bytes, sizeof bytes, &arrival, &e)) > 0) {
        CHECK(arrival == 1000 || arrival == 3000);
        CHECK_EQ(decode_feed(merged, bytes, (size_t)n, &e), 0);
        CHECK(recording_window(r) <= last_ms);
    }
    CHECK_EQ(n, 0);
    CHECK_EQ(recording_end(r), RECORDING_WHOLE);
    CHECK_EQ(recording_window(r), 0);
    recording_reader_free(r);
    close(fd);
}

/* Cut a window, and read it, unless it is merged. */
static void cut(bool over)
{
    const struct recording_info info = {.source = "test", .wall_ns = 1};
    struct spool_window_bytes window;
    struct err e;

    CHECK_EQ(spool_window_cut(packer, &info, 1000, 3000, over, &window, &e), 0);
    CHECK(window.bytes != NULL);
    in_windows += window.samples;
    lost_in_windows += window.lost;
    int fd = file_of(window.bytes, window.size);

    if (merged_windows == NULL) {
        read_file(fd);
    } else {
        CHECK_EQ(merged_file_add(merged_windows, fd, ++last_ms), MERGED_TOOK);
        close(fd);
    }
    free(window.bytes);
}

static void finish(void)
{
    struct err e;

    CHECK_EQ(decode_end(merged, &e), 0);
    CHECK_EQ(decode_end(sent, &e), 0);
    CHECK_STR(decode_health(merged)->first_malformed, "");
    CHECK_EQ(decode_health(merged)->malformed, 0);
}

static void check_stack(const struct seen *a, uint32_t x, const struct seen *b,
                        uint32_t y)
{
    CHECK_EQ(x == STACK_UNKNOWN, y == STACK_UNKNOWN);
    if (x == STACK_UNKNOWN)
        return;
    const struct seen_stack *s = &a->stacks[x - 1], *t = &b->stacks[y - 1];

    CHECK_EQ(s->stack.depth, t->stack.depth);
    CHECK_EQ(s->stack.end, t->stack.end);
    CHECK_EQ(s->stack.loaded, t->stack.loaded);
    CHECK_EQ(s->stack.slot_mask, t->stack.slot_mask);
    CHECK_MEM(s->frames, t->frames, s->stack.depth * sizeof s->frames[0]);
}

/* Each core's samples are the same, in the same order. */
static void check_samples(uint32_t core)
{
    size_t k = 0, count = 0;

    for (size_t i = 0; i < before.samples_n; i++) {
        const struct seen_sample *s = &before.samples[i];

        if (s->core != core)
            continue;
        while (k < after.samples_n && after.samples[k].core != core)
            k++;
        CHECK(k < after.samples_n);
        const struct seen_sample *t = &after.samples[k++];

        CHECK_EQ(s->sample.leaf, t->sample.leaf);
        CHECK_EQ(s->sample.late, t->sample.late);
        CHECK_EQ(s->sample.weight, t->sample.weight);
        CHECK_EQ(s->sample.flags, t->sample.flags);
        CHECK_EQ(s->period, t->period);
        CHECK_EQ(s->shift, t->shift);
        CHECK(s->sample.tsc - t->sample.tsc < 64u << 4);
        check_stack(&before, s->sample.stack, &after, t->sample.stack);
        count++;
    }
    CHECK_EQ(count, after.account[core].samples);
}

static void check_account(uint32_t core)
{
    const struct account *a = &before.account[core], *b = &after.account[core];

    CHECK_EQ(a->samples, b->samples);
    CHECK_EQ(a->lost, b->lost);
    CHECK_EQ(a->missed, b->missed);
    CHECK_EQ(a->ring_full, b->ring_full);
    CHECK_EQ(a->reentered, b->reentered);
    CHECK_EQ(b->violations, 0);
    CHECK_EQ(b->cut, 0);
    CHECK_EQ(b->restored, 0);
    CHECK_EQ(b->begin_unknown, 0);
}

TEST(windows_are_what_was_sent) /* catches: any field that is packed wrong */
{
    begin(7);
    for (uint32_t i = 0; i < 24; i++) {
        put_frame((uint16_t)(i % CORES), i < CORES);
        feed();
        if (i % 5 == 4)
            cut(false);
    }
    cut(false);
    finish();
    for (uint32_t core = 0; core < CORES; core++) {
        check_samples(core);
        check_account(core);
        CHECK(after.account[core].complete);
    }
    CHECK_EQ(in_windows, before.samples_n);
    end();
}

TEST(what_was_lost_is_in_one_window) /* catches: losses twice, or nowhere */
{
    begin(8);
    for (uint32_t i = 0; i < 24; i++) {
        size_t frame = wire.size;

        put_frame((uint16_t)(i % CORES), i < CORES);
        if (i % 7 == 6)
            wire.bytes[frame + 50] ^= 1;
        feed();
        if (i % 5 == 4)
            cut(false);
    }
    cut(false);
    finish();
    CHECK_EQ(before.account[0].lost + before.account[1].lost, 120);
    for (uint32_t core = 0; core < CORES; core++) {
        check_samples(core);
        check_account(core);
    }
    end();
}

/* Windows as a report reads them: what each says of boot, and what they say in
 * all. */
static struct aggregate *sums;
static bool of_boot;

static int hello_of_window(void *context, enum hello_kind kind,
                           const struct guest *g, struct err *e)
{
    CHECK_EQ(seen_events.hello(context, kind, g, e), 0);
    of_boot = (g->features & WIRE_FEATURE_BOOT) != 0;
    return aggregate_hello(sums, kind, g);
}

static void account_of_window(void *context, uint32_t core,
                              const struct account *account)
{
    seen_events.account(context, core, account);
    aggregate_account(sums, core, account);
}

static void stats_of_window(void *context, const struct core_stats *stats)
{
    seen_events.stats(context, stats);
    aggregate_stats(sums, stats);
}

/* The guest kept the newest of boot: 1000 samples of core 0 and 3000 of core 1
 * came before its first records. It tells so in its STATS, which come after the
 * first cut. Catches: a beginning that no window tells, or all do; samples of
 * the first window as overwritten ones. */
TEST(boot_that_is_told_after_the_first_cut)
{
    static const uint64_t began[CORES][WIRE_COUNTERS] = {{1000, 5}, {3000, 7}};
    struct events events = seen_events;

    events.hello = hello_of_window;
    events.account = account_of_window;
    events.stats = stats_of_window;
    sums = aggregate_new(&(struct aggregate_config){.windows = true});
    begin(10);
    decode_free(merged);
    merged = decode_new(&events, &after);
    wire.size = 0;
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = CORES,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = START,
                                                 .text_size = 0x100000,
                                                 .features = WIRE_FEATURE_BOOT,
                                                 .nonce = 7});
    for (uint16_t i = 0; i < CORES; i++) {
        samples[i] = began[i][0];
        missed[i] = began[i][1];
    }
    for (unsigned window = 0; window < 5; window++) {
        for (uint16_t i = 0; i < CORES; i++) {
            put_frame(i, window == 0);
            if (window == 2 || (window == 1 && i == 0))
                wiregen_stats(&wire, &(struct wiregen_stats){
                                         .core = i,
                                         .flags = WIRE_STATS_STARTED,
                                         .counters = {samples[i], missed[i],
                                                      ring_full[i], 0},
                                         .began = began[i]});
        }
        feed();
        cut(false);
        CHECK_EQ(of_boot, window < 3);
        CHECK_EQ(aggregate_profile(sums)->cores[0].overwritten,
                 window < 1 ? 0 : 1000);
        CHECK_EQ(aggregate_profile(sums)->cores[1].overwritten,
                 window < 2 ? 0 : 3000);
    }
    finish();
    for (uint32_t core = 0; core < CORES; core++) {
        check_samples(core);
        CHECK_EQ(after.account[core].samples, 5 * 40);
        CHECK_EQ(after.account[core].lost, 0);
    }
    CHECK_EQ(aggregate_profile(sums)->sessions, 1);
    CHECK_EQ(aggregate_profile(sums)->boots, 1);
    aggregate_free(sums);
    end();
}

/* catches: a number of a stack or of a pair that is another window's, columns
 * of samples that are of the next one, and what comes before it */
TEST(merged_windows_are_what_was_sent)
{
    struct err e = {""};
    size_t size;

    merged_windows = merged_file_new();
    CHECK(merged_windows != NULL);
    begin(9);
    for (uint32_t i = 0; i < 24; i++) {
        size_t frame = wire.size;

        put_frame((uint16_t)(i % CORES), i < CORES);
        if (i % 7 == 6)
            wire.bytes[frame + 50] ^= 1;
        feed();
        if (i % 5 == 4)
            cut(false);
    }
    cut(false);
    uint8_t *bytes = merged_file_end(merged_windows, &size, &e);

    CHECK(bytes != NULL);
    read_file(file_of(bytes, size));
    free(bytes);
    finish();
    CHECK_EQ(before.account[0].lost + before.account[1].lost, 120);
    for (uint32_t core = 0; core < CORES; core++) {
        check_samples(core);
        check_account(core);
    }
    merged_file_free(merged_windows);
    end();
}

#define SAME(what) CHECK_EQ(after.what, before.what)

/* What wiregen has no word for, too: each field has a value of its own. */
static void put_facts(void)
{
    wiregen_open(&wire, WIRE_STATUS);
    wiregen_field(&wire, WIRE_CONTROL_RATE_HZ, 101, 4);
    wiregen_field(&wire, WIRE_CONTROL_DEPTH, 102, 2);
    wiregen_field(&wire, WIRE_CONTROL_FEATURES, 3, 4);
    wiregen_field(&wire, WIRE_CONTROL_PERIOD_TSC, 104, 8);
    wiregen_field(&wire, WIRE_CONTROL_STATE, WIRE_STATE_SAMPLING, 1);
    wiregen_field(&wire, WIRE_CONTROL_EVERY, 106, 4);
    wiregen_field(&wire, WIRE_CONTROL_ERROR, 1, 1);
    for (unsigned tag = WIRE_CONTROL_TURNED_AWAY;
         tag <= WIRE_CONTROL_REFUSED_ERROR; tag++)
        wiregen_field(&wire, (uint8_t)tag, 100 + tag,
                      tag == WIRE_CONTROL_TURNED_AWAY ? 8 : 4);
    wiregen_close(&wire);
    wiregen_open(&wire, WIRE_STATS);
    wiregen_field(&wire, WIRE_STATS_CORE, 0, 2);
    wiregen_field(&wire, WIRE_STATS_APIC_ID, 202, 4);
    wiregen_field(&wire, WIRE_STATS_TSC, 203, 8);
    wiregen_field(&wire, WIRE_STATS_FLAGS, WIRE_STATS_STARTED, 1);
    wiregen_field(&wire, WIRE_STATS_TICKS, samples[0] + ring_full[0], 8);
    wiregen_field(&wire, WIRE_STATS_SAMPLES, samples[0], 8);
    wiregen_field(&wire, WIRE_STATS_MISSED, missed[0], 8);
    wiregen_field(&wire, WIRE_STATS_RING_FULL, ring_full[0], 8);
    wiregen_field(&wire, WIRE_STATS_REENTERED, 0, 8);
    for (unsigned tag = WIRE_STATS_COST; tag <= WIRE_STATS_FAULTS; tag++)
        wiregen_field(&wire, (uint8_t)tag, 200 + tag, 8);
    wiregen_close(&wire);
}

TEST(facts_are_what_was_sent) /* catches: a field that is left out */
{
    begin(11);
    put_frame(0, true);
    put_facts();
    feed();
    cut(false);
    finish();
    SAME(status.rate_hz);
    SAME(status.depth);
    SAME(status.features);
    SAME(status.period_tsc);
    SAME(status.state);
    SAME(status.every);
    SAME(status.refusal);
    SAME(status.turned_away);
    SAME(status.refused);
    SAME(status.refused_core);
    SAME(status.refused_error);
    SAME(stats.apic_id);
    SAME(stats.tsc);
    SAME(stats.ticks);
    SAME(stats.samples);
    SAME(stats.missed);
    SAME(stats.ring_full);
    SAME(stats.cost_tsc);
    SAME(stats.cost_max_tsc);
    SAME(stats.by_division);
    SAME(stats.stacks);
    SAME(stats.foreign);
    SAME(stats.device_errors);
    SAME(stats.busy);
    SAME(stats.unknown_cpu);
    SAME(stats.repaired);
    SAME(stats.faults);
    SAME(stats.has_steal);
    SAME(stats.steal_ns);
    CHECK_EQ(before.stats.faults, 220); /* they came at all */
    CHECK_EQ(before.status.refused_error, 111);
    end();
}

/* Samples were dropped, STATS tell how many, and the window ends; where they
 * were comes in the next one. Catches: the same loss in both. */
TEST(a_loss_that_stats_have_told_is_told_once)
{
    struct wiregen_samples s = {
        .shift = 4, .period = 6400, .epoch = 1, .time = 1000000};
    const uint64_t told[] = {1, 0, 3, 0}, all[] = {2, 0, 3, 0};

    begin(12);
    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    wiregen_short(&wire, 1, 6400, 16, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){1, 0, 0, 0});
    wiregen_stats(&wire, &(struct wiregen_stats){
                             .flags = WIRE_STATS_STARTED | WIRE_STATS_FINAL,
                             .counters = {told[0], told[1], told[2], told[3]}});
    feed();
    cut(false);
    s.time += 6400;
    wiregen_samples_begin(&wire, &s);
    wiregen_lost(&wire, WIRE_COUNTER_RING_FULL, 3, 0);
    wiregen_short(&wire, 1, 6400, 16, 0);
    wiregen_samples_end(&wire, all);
    feed();
    cut(false);
    finish();
    check_samples(0);
    check_account(0);
    CHECK_EQ(after.account[0].ring_full, 3);
    end();
}

/* Is a window that is cut now, by (info), merged with those before? */
static enum merged_took merge_by(const struct recording_info *info)
{
    struct spool_window_bytes window;
    struct err e;

    put_frame(0, samples[0] == 0);
    feed();
    CHECK_EQ(spool_window_cut(packer, info, 1000, 3000, false, &window, &e), 0);
    int fd = file_of(window.bytes, window.size);
    enum merged_took took = merged_file_add(merged_windows, fd, ++last_ms);

    close(fd);
    free(window.bytes);
    return took;
}

/* Catches: windows by the labels of others, and a time before the beginning */
TEST(a_merged_file_has_one_header_and_goes_on)
{
    static const char *const labels[] = {"zone=a"};
    const struct recording_info first = {.source = "test", .wall_ns = 5},
                                same = {.source = "test", .wall_ns = 5},
                                earlier = {.source = "test", .wall_ns = 4},
                                labelled = {.source = "test",
                                            .wall_ns = 6,
                                            .labels = labels,
                                            .label_count = 1};

    merged_windows = merged_file_new();
    CHECK(merged_windows != NULL);
    begin(13);
    CHECK_EQ(merge_by(&first), MERGED_TOOK);
    CHECK_EQ(merge_by(&labelled), MERGED_OTHER);
    CHECK_EQ(merge_by(&earlier), MERGED_OTHER);
    CHECK_EQ(merge_by(&same), MERGED_TOOK);
    merged_file_free(merged_windows);
    end();
}

/* Another boot, and a frame of it. */
static void reboot(uint64_t text_start)
{
    samples[0] = missed[0] = ring_full[0] = 0;
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 2,
                                                 .cores = CORES,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = text_start,
                                                 .text_size = 0x100000});
    put_frame(0, true);
    feed();
}

/* Catches: more images than there is room for, and those of another boot */
TEST(each_window_tells_the_newest_images_of_its_boot)
{
    begin(14);
    put_frame(0, true);
    for (uint32_t i = 1; i <= GUEST_MAPS_MAX + 1; i++)
        wiregen_map(&wire, &(struct wiregen_map){.start = i << 20,
                                                 .size = 0x1000,
                                                 .link_start = 0x1000,
                                                 .since = i});
    feed();
    cut(false);
    CHECK_EQ(after.maps, GUEST_MAPS_MAX);
    CHECK_EQ(after.map.since, GUEST_MAPS_MAX + 1);
    reboot(START);
    cut(false);
    size_t maps = after.maps;

    put_frame(0, false);
    feed();
    cut(false);
    CHECK_EQ(after.maps, maps);
    finish();
    end();
}

/* Catches: half of a window left in the block that it does not fit into */
TEST(merged_windows_may_be_of_a_kernel_that_moved)
{
    struct err e = {""};
    size_t size;

    merged_windows = merged_file_new();
    CHECK(merged_windows != NULL);
    begin(15);
    put_frame(0, true);
    feed();
    cut(false);
    reboot(START + (64u << 20));
    cut(false);
    put_frame(0, false);
    feed();
    cut(false);
    uint8_t *bytes = merged_file_end(merged_windows, &size, &e);

    CHECK(bytes != NULL);
    read_file(file_of(bytes, size));
    free(bytes);
    finish();
    CHECK_EQ(after.hellos, 4); /* the second window tells of both boots */
    check_samples(0);
    SAME(account[0].lost);
    SAME(account[0].cut);
    merged_file_free(merged_windows);
    end();
}
