/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_formats STACKS [FORMAT...]: prints format_NAME_s, the seconds of CPU
 * that (STACKS) different stacks of 16 frames with ten samples each take in
 * each format, after they were named; and format_NAME_mb, what it writes. The
 * most is 100,000 stacks.
 */
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <time.h>

#include "export/formats.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "report/render.h"
#include "view/view_build.h"

#define STACKS    100000u /* at most */
#define DEPTH     16u
#define FUNCTIONS 2000u
#define CORES     4u
#define PERIOD    1000u

static const char *const all[] = {
    "txt",      "folded",     "json",      "csv",        "pprof",
    "firefox",  "speedscope", "callgrind", "perfscript", "perfdata",
    "perfetto", "html",       "svg",       "md"};

static uint64_t random_number(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Callers are shared by many stacks, as in a program: stack (i) takes its outer
 * functions from fewer ones. */
static uint32_t add_stack(struct aggregate *a, uint32_t i)
{
    uint64_t frames[DEPTH];

    for (uint32_t f = 0, choices = i; f < DEPTH; f++, choices /= 2)
        frames[f] = 0x400001 + (choices * 31u + f * 7u) % FUNCTIONS * 16;
    return aggregate_stack(a, 0,
                           &(struct stack){.frames = frames, .depth = DEPTH});
}

static const struct profile *make_profile(struct aggregate *a, uint32_t count)
{
    static uint32_t stacks[STACKS];
    const struct guest guest = {.cores = CORES,
                                .tsc_hz = 1000000000,
                                .text_start = 0x400000,
                                .text_size = 0x100000};

    aggregate_hello(a, HELLO_FIRST, &guest);
    for (uint32_t i = 0; i < count; i++)
        stacks[i] = add_stack(a, i);
    for (uint64_t i = 0; i < count * 10ull; i++) {
        uint64_t n = i < count ? i : random_number() % count;
        const struct sample s = {.tsc = i * PERIOD,
                                 .leaf = 0x400000 + n % FUNCTIONS * 16,
                                 .stack = stacks[n],
                                 .weight = 1};

        aggregate_samples(a, &(struct sample_batch){.core = n % CORES,
                                                    .period = PERIOD,
                                                    .samples = &s,
                                                    .count = 1});
    }
    return aggregate_profile(a);
}

/* tests/benches/costs counts the instructions of this function. */
__attribute__((noinline)) static void measure(const char *name,
                                              const struct report *r)
{
    static char piece[1u << 16];
    const struct render_ops *ops = format_by_name(name);
    struct render to = {.out = tmpfile()};

    if (ops == NULL || to.out == NULL)
        exit(1);
    /* as a command opens its files */
    (void)__fsetlocking(to.out, FSETLOCKING_BYCALLER);
    (void)setvbuf(to.out, piece, _IOFBF, sizeof piece);
    double from = now();

    if (ops->begin != NULL)
        ops->begin(&to);
    ops->write(&to, r);
    if (ops->end != NULL)
        ops->end(&to);
    if (to.no_memory || fflush(to.out) != 0)
        exit(1);
    (void)printf("format_%s_s %.2f seconds\n", name, now() - from);
    (void)fseek(to.out, 0, SEEK_END);
    (void)printf("format_%s_mb %.1f MB\n", name, (double)ftell(to.out) / 1e6);
    (void)fclose(to.out);
}

int main(int argc, char **argv)
{
    static struct remarks remarks;
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct image_map *map = image_map_new(&(struct mapped_image){0}, 0);
    struct report report = {.remarks = &remarks};
    unsigned long stacks = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

    if (stacks == 0 || stacks > STACKS || a == NULL || map == NULL)
        return 1;
    report.profile = make_profile(a, (uint32_t)stacks);
    struct view *view = view_new(report.profile, map, 0);

    report.view = view;
    if (report.profile == NULL || view == NULL)
        return 1;
    for (size_t i = 0; argc == 2 && i < sizeof all / sizeof all[0]; i++)
        measure(all[i], &report);
    for (int i = 2; i < argc; i++)
        measure(argv[i], &report);
    view_free(view);
    image_map_free(map);
    aggregate_free(a);
    return 0;
}
