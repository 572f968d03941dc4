/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast wire bytes become a profile; bench_decode.sh runs it.
 *
 *     bench_decode wire FILE SAMPLES [CORES]
 *         write what CORES guest cores would send, else 4
 *     bench_decode perf FILE ELF SAMPLES    the same samples as a perf.data
 *     bench_decode run FILE             print decode_rate: by the CPU time that
 *         it took, what one core does; and decode_rate_wall, by the clock
 *     bench_decode sums FILE            likewise, without the time of each
 *         sample, as commands do that show no time line
 *
 * 2,500 distinct stacks of 16 frames on each core, each with 8 leaves; both
 * files draw them at random, by the same numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guest/pipeline.h"
#include "run_alone.h"
#include "util/bytes.h"
#include "wiregen.h"

#define CORES        4u
#define CORES_MAX    64u
#define STACKS       2500u /* a core */
#define FRAMES       16u
#define LEAVES       8u
#define CELLS        280u /* a frame of 2 KiB, as the agent sends */
#define TEXT         0x400000u
#define TEXT_SIZE    0x40000u /* bench_decode.sh's ELF: 4096 x 64 bytes */
#define PERIOD       8000u    /* units of 128 TSC ticks */
#define SHIFT        7u
#define SWITCH_FLUSH (1u << 20)

static uint64_t random_state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * below >> 32);
}

/* An address in text, different for each (a, b). */
static uint64_t address(uint64_t a, uint64_t b)
{
    uint64_t h = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);

    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (h >> 32) % TEXT_SIZE;
}

/* Outer frames are shared by many stacks, as in any program. */
static void stack_frames(uint32_t core, uint32_t stack, uint64_t *frames)
{
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t from_outside = FRAMES - 1 - i;
        uint64_t group = from_outside < 4    ? 0
                         : from_outside < 8  ? stack / 250
                         : from_outside < 12 ? stack / 25
                                             : stack;

        frames[i] = address((uint64_t)core << 32 | group, i + 1);
    }
}

static uint64_t leaf_of(uint32_t core, uint32_t stack, uint32_t leaf)
{
    return address((uint64_t)core << 32 | stack, 1000 + leaf);
}

static void write_out(FILE *f, struct wiregen *w)
{
    if (fwrite(w->bytes, 1, w->size, f) != w->size) {
        perror("bench_decode");
        exit(1);
    }
    w->size = 0;
}

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "wb");

    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

/* A frame of one core; stacks that were not sent yet go before their sample. */
static void wire_frame(struct wiregen *w, uint16_t core, bool *known,
                       uint64_t *samples, uint64_t *time)
{
    uint64_t frames[FRAMES];

    wiregen_samples_begin(w, &(struct wiregen_samples){.core = core,
                                                       .shift = SHIFT,
                                                       .period = PERIOD,
                                                       .epoch = 1,
                                                       .time = *time});
    while (w->size - w->cells < (size_t)CELLS * 7) {
        uint32_t stack = draw(STACKS);
        uint32_t dt = PERIOD / 2 + draw(PERIOD);

        if (!known[stack]) {
            stack_frames(core, stack, frames);
            wiregen_stack(w, &(struct wiregen_stack){.id = stack,
                                                     .frames = frames,
                                                     .count = FRAMES});
            known[stack] = true;
        }
        wiregen_short(w, stack, dt,
                      (uint32_t)leaf_of(core, stack, draw(LEAVES)),
                      3 + draw(4));
        *time += dt;
        ++*samples;
    }
    wiregen_samples_end(w, (uint64_t[4]){*samples, 0, 0, 0});
}

static int write_wire(const char *path, uint64_t count, uint16_t cores)
{
    static bool known[CORES_MAX][STACKS];
    uint64_t samples[CORES_MAX] = {0}, time[CORES_MAX] = {0};
    struct wiregen w = {0};
    FILE *f = create(path);

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1,
                                              .cores = cores,
                                              .tsc_hz = 1000000000,
                                              .text_start = TEXT,
                                              .text_size = TEXT_SIZE});
    for (uint16_t core = 0; samples[cores - 1] < count / cores;
         core = (uint16_t)((core + 1) % cores)) {
        wire_frame(&w, core, known[core], &samples[core], &time[core]);
        if (w.size > SWITCH_FLUSH)
            write_out(f, &w);
    }
    write_out(f, &w);
    wiregen_fini(&w);
    return fclose(f) == 0 ? 0 : 1;
}

/* perf.data, as perf 6.1 reads it: header, one attribute, events. */

enum { ATTR_SIZE = 128, HEADER_SIZE = 104 };
#define SAMPLE_TYPE 0x1a7u /* IP TID TIME CALLCHAIN CPU PERIOD */

static void perf_header(struct wiregen *w)
{
    wiregen_bytes(w, "PERFILE2", 8);
    wiregen_uint(w, HEADER_SIZE, 8);
    wiregen_uint(w, ATTR_SIZE + 16, 8);
    wiregen_uint(w, HEADER_SIZE, 8); /* attributes: where, how long */
    wiregen_uint(w, ATTR_SIZE + 16, 8);
    wiregen_uint(w, HEADER_SIZE + ATTR_SIZE + 16, 8); /* data, likewise */
    wiregen_uint(w, 0, 8);                            /* filled in at the end */
    for (int i = 0; i < 6; i++)
        wiregen_uint(w, 0, 8); /* no event types, no features */
    wiregen_uint(w, 1, 4);     /* software event ... */
    wiregen_uint(w, ATTR_SIZE, 4);
    wiregen_uint(w, 0, 8); /* ... cpu clock */
    wiregen_uint(w, 1000000, 8);
    wiregen_uint(w, SAMPLE_TYPE, 8);
    wiregen_uint(w, 0, 8);
    wiregen_uint(w, 1u << 18 | 1u << 9 | 1u << 8, 8); /* sample_id_all, ... */
    for (int i = 0; i < (ATTR_SIZE - 48 + 16) / 8; i++)
        wiregen_uint(w, 0, 8);
}

/* Text, zero-terminated, up to the next multiple of 8. */
static void perf_text(struct wiregen *w, const char *text)
{
    wiregen_bytes(w, text, strlen(text));
    wiregen_uint(w, 0, 8 - strlen(text) % 8);
}

static size_t perf_open(struct wiregen *w, uint32_t type, uint16_t misc)
{
    wiregen_uint(w, type, 4);
    wiregen_uint(w, misc, 2);
    wiregen_uint(w, 0, 2);
    return w->size - 8;
}

static void perf_close(struct wiregen *w, size_t start)
{
    store_u16(w->bytes + start + 6, (uint16_t)(w->size - start));
}

/* TID, TIME and CPU of an event that is no sample. */
static void perf_id(struct wiregen *w)
{
    for (int i = 0; i < 3; i++)
        wiregen_uint(w, i == 0 ? 0x100000001u : 0, 8);
}

static void perf_map(struct wiregen *w, const char *elf)
{
    size_t at = perf_open(w, 3, 0); /* COMM */

    wiregen_uint(w, 0x100000001u, 8);
    perf_text(w, "guest");
    perf_id(w);
    perf_close(w, at);
    at = perf_open(w, 10, 2); /* MMAP2, user */
    wiregen_uint(w, 0x100000001u, 8);
    wiregen_uint(w, TEXT, 8);
    wiregen_uint(w, TEXT_SIZE, 8);
    wiregen_uint(w, 0x1000, 8); /* where bench_decode.sh's ELF has its text */
    for (int i = 0; i < 3; i++)
        wiregen_uint(w, 0, 8);
    wiregen_uint(w, 5 | 2ull << 32, 8); /* r-x, private */
    perf_text(w, elf);
    perf_id(w);
    perf_close(w, at);
}

static void perf_sample(struct wiregen *w, uint64_t time)
{
    uint64_t frames[FRAMES];
    uint32_t core = draw(CORES), stack = draw(STACKS);
    uint64_t leaf = TEXT + leaf_of(core, stack, draw(LEAVES));
    size_t at = perf_open(w, 9, 2); /* SAMPLE, user */

    stack_frames(core, stack, frames);
    wiregen_uint(w, leaf, 8);
    wiregen_uint(w, 1 | (1ull + core) << 32, 8);
    wiregen_uint(w, time, 8);
    wiregen_uint(w, core, 8);
    wiregen_uint(w, 1000000, 8);
    wiregen_uint(w, FRAMES + 2, 8);
    wiregen_uint(w, (uint64_t)-512, 8); /* user addresses follow */
    wiregen_uint(w, leaf, 8);
    for (uint32_t i = 0; i < FRAMES; i++)
        wiregen_uint(w, TEXT + frames[i], 8);
    perf_close(w, at);
}

static int write_perf(const char *path, const char *elf, uint64_t count)
{
    struct wiregen w = {0};
    FILE *f = create(path);

    perf_header(&w);
    perf_map(&w, elf);
    for (uint64_t i = 0; i < count; i++)
        perf_sample(&w, 1000000 * (i + 1));
    store_u64(w.bytes + 48, w.size - (HEADER_SIZE + ATTR_SIZE + 16));
    write_out(f, &w);
    wiregen_fini(&w);
    return fclose(f) == 0 ? 0 : 1;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int run(const char *path, bool no_moments)
{
    struct err e = {{0}};
    struct pipeline_config config = {.aggregate = {.no_moments = no_moments}};
    enum pipeline_end end;
    double wall = seconds_of(CLOCK_MONOTONIC);
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    struct source *source = source_replay(path, &e);
    struct pipeline *p = source ? pipeline_new(source, &config, &e) : NULL;

    if (!p || run_alone(p, 0, -1, &end, &e) < 0) {
        fprintf(stderr, "bench_decode: %s\n", e.text);
        pipeline_free(p);
        return 1;
    }
    const struct profile *profile = pipeline_profile(p);
    uint64_t samples = 0;
    size_t entries = 0;

    for (size_t i = 0; i < profile->core_count; i++) {
        samples += profile->cores[i].total.samples;
        entries += profile->cores[i].entry_count;
    }
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;

    fprintf(stderr, "%llu samples, %zu stacks, %zu entries\n",
            (unsigned long long)samples, profile->stack_count - 1, entries);
    printf("decode_rate %.0f samples/s\n", (double)samples / cpu);
    printf("decode_rate_wall %.0f samples/s\n", (double)samples / wall);
    pipeline_free(p);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long cores = argc > 4 ? strtoul(argv[4], NULL, 10) : CORES;

    if ((argc == 4 || argc == 5) && strcmp(argv[1], "wire") == 0 && cores > 0 &&
        cores <= CORES_MAX)
        return write_wire(argv[2], strtoull(argv[3], NULL, 10),
                          (uint16_t)cores);
    if (argc == 5 && strcmp(argv[1], "perf") == 0)
        return write_perf(argv[2], argv[3], strtoull(argv[4], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "run") == 0)
        return run(argv[2], false);
    if (argc == 3 && strcmp(argv[1], "sums") == 0)
        return run(argv[2], true);
    fprintf(stderr, "usage: see the head of bench_decode.c\n");
    return 2;
}
