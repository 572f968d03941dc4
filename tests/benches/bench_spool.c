/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills a spool: bench_spool DIR WINDOWS makes windows of 10 s of the guest
 * "web", which has one core at 97 Hz and 200 stacks. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/decode/decode.h"
#include "recording/spool/spool.h"
#include "recording/spool/spool_window.h"
#include "wiregen.h"

#define HZ      97u
#define SHIFT   11u
#define PERIOD  5034u /* units of 2^SHIFT ns */
#define SPAN_S  10u
#define STACKS  200u
#define DEPTH   16u /* at most */
#define WALL_MS 1764000000000u
#define MS      1000000u

static struct wiregen wire;
static uint32_t state = 1;
static uint64_t now, samples;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * below >> 24);
}

static void put_stacks(void)
{
    uint64_t frames[DEPTH];

    for (uint32_t i = 1; i <= STACKS; i++) {
        uint32_t depth = 8 + i % (DEPTH - 8);

        /* half of all share a caller, a quarter that one's, and so on */
        for (uint32_t k = 0; k < depth; k++)
            frames[k] = 0x1000 + k * 0x1000 + (i >> k) * 64;
        wiregen_stack(&wire, &(struct wiregen_stack){
                                 .id = i, .frames = frames, .count = depth});
        if (i % 20 == 0 && i != STACKS) {
            wiregen_samples_end(&wire, (uint64_t[4]){0});
            wiregen_samples_begin(
                &wire,
                &(struct wiregen_samples){
                    .shift = SHIFT, .period = PERIOD, .epoch = 1, .time = now});
        }
    }
}

/* A second. Few stacks have most samples, as in life. */
static void put_second(bool first)
{
    wiregen_samples_begin(
        &wire, &(struct wiregen_samples){
                   .shift = SHIFT, .period = PERIOD, .epoch = 1, .time = now});
    if (first) {
        wiregen_begin(&wire, now << SHIFT, SHIFT, PERIOD, 1);
        put_stacks();
    }
    for (uint32_t i = 0; i < HZ; i++) {
        uint32_t dt = PERIOD / 2 + draw(PERIOD);
        uint32_t id = 1 + draw(1 + draw(1 + draw(STACKS)));

        wiregen_short(&wire, id, dt, (id * 13 + draw(1 + draw(6))) * 16,
                      draw(1 + draw(4)));
        now += dt;
        samples++;
    }
    wiregen_samples_end(&wire, (uint64_t[4]){samples});
}

static void must(int result, const struct err *e)
{
    if (result == 0)
        return;
    (void)fprintf(stderr, "bench_spool: %s\n", e->text);
    exit(1);
}

int main(int argc, char **argv)
{
    struct window_packer *packer = window_packer_new(32u << 20, 32u << 20);
    struct decode *decode = decode_new(&window_events, packer);
    struct err e = {"what? DIR WINDOWS"};
    int fd = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
    struct spool *spool =
        fd >= 0 ? spool_open(fd, &(struct spool_limits){0}, &e) : NULL;

    must(spool != NULL ? 0 : -1, &e);
    now = 1000000;
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000,
                                                 .text_size = 0x100000});
    for (uint64_t i = 0; i < strtoul(argv[2], NULL, 10); i++) {
        struct recording_info info = {
            .source = "bench",
            .monotonic_ns = (1 + i * SPAN_S) * 1000 * MS,
            .wall_ns = WALL_MS * MS + i * SPAN_S * 1000 * MS};
        struct spool_window_bytes window;

        for (uint32_t k = 0; k < SPAN_S; k++)
            put_second(i == 0 && k == 0);
        must(decode_feed(decode, wire.bytes, wire.size, &e), &e);
        wire.size = 0;
        must(spool_window_cut(packer, &info, info.monotonic_ns,
                              info.monotonic_ns + (uint64_t)SPAN_S * 1000 * MS,
                              false, &window, &e),
             &e);
        must(spool_put(spool, "web", WALL_MS + i * SPAN_S * 1000, window.bytes,
                       window.size, window.samples, &e),
             &e);
        free(window.bytes);
    }
    struct spool_totals sums = spool_sums(spool);

    (void)printf("spool_windows %llu windows\nspool_bytes %.2f bytes/sample\n",
                 (unsigned long long)sums.files,
                 (double)sums.bytes / (double)samples);
    return 0;
}
