/* SPDX-License-Identifier: BSD-2-Clause */
#include "spooled.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "profile/decode/decode.h"
#include "recording/spool/spool.h"
#include "recording/spool/spool_window.h"

#define CORES   2u
#define STACKS  30u
#define WALL_MS 1764000000000u /* 2025-11-24T16:00:00Z */
#define SECOND  1000000000u
struct wiregen spooled_stream;
static struct window_packer *packer;
static struct decode *decode;
static struct spool *spool;
static struct recording_writer *recording;
static size_t fed;
static uint32_t state;
uint64_t spooled_nonce;
static uint64_t clock_tsc, samples[CORES], missed[CORES], ring_full[CORES];
static uint64_t from_ns, now_ns; /* the host's clock, which began at 1 s */

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

void spooled_hello(uint8_t boot, const char *build)
{
    wiregen_hello(&spooled_stream,
                  &(struct wiregen_hello){.boot = boot,
                                          .cores = CORES,
                                          .tsc_hz = SECOND,
                                          .text_start = 0x400000,
                                          .text_size = 0x100000,
                                          .build_id = build,
                                          .nonce = spooled_nonce});
}

/* A session whose bytes are in run.tprof, and by windows in the folder spool.
 */
void spooled_begin(uint8_t boot, const char *build)
{
    const struct recording_info info = {.source = "test",
                                        .wall_ns = WALL_MS * 1000000u,
                                        .monotonic_ns = SECOND};
    struct err e;

    enter_dir();
    CHECK_EQ(mkdir("spool", 0700), 0);
    spool = spool_open(open("spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                       &(struct spool_limits){0}, &e);
    CHECK(spool != NULL);
    recording = recording_create("run.tprof", &info, &e);
    packer = window_packer_new(32u << 20, 32u << 20);
    decode = decode_new(&window_events, packer);
    CHECK(recording != NULL && packer != NULL && decode != NULL);
    now_ns = from_ns = SECOND;
    clock_tsc = 5 * (uint64_t)SECOND;
    spooled_hello(boot, build);
}

static void put_stacks(void)
{
    uint64_t frames[8];

    for (uint32_t i = 1; i <= STACKS; i++) {
        for (uint32_t k = 0; k < 1 + i % 8; k++)
            frames[k] = 0x1000 + (i >> k) * 64 + k;
        wiregen_stack(&spooled_stream,
                      &(struct wiregen_stack){
                          .id = i, .frames = frames, .count = 1 + i % 8});
    }
}

/* A second of each core: 50 ticks, of which some cover two deadlines, and two
 * find the ring full. */
void spooled_second(bool first)
{
    for (uint16_t core = 0; core < CORES; core++) {
        const uint32_t period = 10000000u >> 11;
        uint64_t units = clock_tsc >> 11;

        wiregen_samples_begin(&spooled_stream,
                              &(struct wiregen_samples){.core = core,
                                                        .shift = 11,
                                                        .period = 4882,
                                                        .epoch = 1,
                                                        .time = units});
        if (first) {
            wiregen_begin(&spooled_stream, units << 11, 11, 4882, 1);
            put_stacks();
        }
        for (uint32_t i = 0; i < 50; i++) {
            struct wiregen_long l = {.dt = 2 * period,
                                     .id = 1 + draw(STACKS),
                                     .leaf = draw(40) * 64,
                                     .weight = 1 + i % 7 % 2};

            missed[core] += l.weight - 1;
            samples[core]++;
            if (i == 20) {
                ring_full[core] += 2;
                wiregen_lost(&spooled_stream, WIRE_COUNTER_RING_FULL, 2, 0);
            }
            wiregen_long_sample(&spooled_stream, &l);
        }
        wiregen_samples_end(
            &spooled_stream,
            (uint64_t[4]){samples[core], missed[core], ring_full[core]});
    }
    clock_tsc += SECOND;
    now_ns += SECOND;
}

void spooled_deliver(void)
{
    struct err e;

    CHECK_EQ(decode_feed(decode, spooled_stream.bytes + fed,
                         spooled_stream.size - fed, &e),
             0);
    CHECK_EQ(recording_append(recording, spooled_stream.bytes + fed,
                              spooled_stream.size - fed, now_ns, &e),
             0);
    fed = spooled_stream.size;
}

/* Put the window up to now into the spool, of (guest). */
void spooled_cut(const char *guest)
{
    uint64_t start_ms = WALL_MS + from_ns / 1000000 - 1000;
    const struct recording_info info = {.source = "test",
                                        .wall_ns = start_ms * 1000000,
                                        .monotonic_ns = from_ns};
    struct spool_window_bytes window;
    struct err e;

    CHECK_EQ(
        spool_window_cut(packer, &info, from_ns, now_ns, false, &window, &e),
        0);
    CHECK(window.bytes != NULL);
    CHECK_EQ(spool_put(spool, guest, start_ms, window.bytes, window.size,
                       window.samples, &e),
             0);
    free(window.bytes);
    from_ns = now_ns;
}

/* Seconds of sampling, and a window of each two. */
void spooled_play(unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++) {
        spooled_second(i == 0);
        spooled_deliver();
        if (i % 2 == 1)
            spooled_cut("web");
    }
}

/* The guest boots into another image, by another name of its build. */
void spooled_boot(uint8_t boot, const char *build)
{
    decode_free(decode);
    window_packer_free(packer);
    packer = window_packer_new(32u << 20, 32u << 20);
    decode = decode_new(&window_events, packer);
    CHECK(packer != NULL && decode != NULL);
    spooled_stream.seq = 0;
    spooled_hello(boot, build);
    memset(samples, 0, sizeof samples);
    memset(missed, 0, sizeof missed);
    memset(ring_full, 0, sizeof ring_full);
}

void spooled_pause(unsigned seconds)
{
    now_ns += (uint64_t)seconds * SECOND;
    clock_tsc += (uint64_t)seconds * SECOND;
    from_ns = now_ns;
}

/* The guest's last words. */
void spooled_end(void)
{
    static const uint64_t began[4];
    struct err e;

    for (uint16_t core = 0; core < CORES; core++)
        wiregen_stats(
            &spooled_stream,
            &(struct wiregen_stats){
                .core = core,
                .flags = WIRE_STATS_FINAL,
                .tsc = clock_tsc,
                .began = began,
                .counters = {samples[core], missed[core], ring_full[core]}});
    spooled_deliver();
    spooled_cut("web");
    CHECK_EQ(recording_close(recording, &e), 0);
    decode_free(decode);
    window_packer_free(packer);
    spool_close(spool);
    wiregen_fini(&spooled_stream);
}

/* The file of the window that begins (second) after the first one. */
const char *spooled_window(unsigned second)
{
    static char name[64];

    (void)snprintf(name, sizeof name, "spool/web.%013" PRIu64 ".tprof",
                   (uint64_t)WALL_MS + second * 1000u);
    return name;
}
