/* SPDX-License-Identifier: BSD-2-Clause */
#include "pgo/pgo_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Limits of error. The functions that matter are the busiest ones that together
 * have this part of the samples. The count of each of them must be within 14 %
 * in two of three cases, and the count of all of them together within 3 %. */
#define MATTERS        0.9
#define LEAST_IN_ONE   50u
#define LEAST_TOGETHER 1000u

#define COMPILER_LENGTH 60u /* limit of a name and version */

/* Samples by the unit that they hit. */
struct tally_of_units {
    uint64_t llvm, discriminated;
    uint64_t most; /* of the unit with the most samples that was not compiled
                      for profiles */
    struct dwarf_about about;
};

static bool is_llvm(const char *producer)
{
    return producer != NULL && (strstr(producer, "clang") != NULL ||
                                strstr(producer, "LLVM") != NULL);
}

static void add_unit(struct tally_of_units *t, const struct dwarf_about *about,
                     uint64_t samples)
{
    bool llvm = is_llvm(about->producer);

    t->llvm += llvm ? samples : 0;
    if (llvm && about->discriminated) {
        t->discriminated += samples;
        return;
    }
    if (samples > t->most) {
        t->most = samples;
        t->about = *about;
    }
}

/* Count the samples by unit in (samples). */
static int count_units(const struct dwarf *d, const struct hits *h,
                       struct tally_of_units *t)
{
    size_t count = dwarf_unit_count(d);
    uint64_t *samples = calloc(count + 1, sizeof *samples);

    if (samples == NULL)
        return -1;
    for (size_t i = 0; i < h->count; i++)
        samples[dwarf_unit_of(d, h->list[i].address)] += h->list[i].samples;
    for (size_t i = 0; i < count; i++) {
        const struct dwarf_about about = dwarf_unit_about(d, i);

        add_unit(t, &about, samples[i]);
    }
    free(samples);
    return 0;
}

/* Returns the length of the compiler's name and version in (producer), without
 * gcc's options. */
static int compiler_length(const char *producer)
{
    const char *options = strstr(producer, " -");
    size_t length =
        options != NULL ? (size_t)(options - producer) : strlen(producer);

    return (int)(length < COMPILER_LENGTH ? length : COMPILER_LENGTH);
}

int judge_units(const struct dwarf *d, const struct hits *h, struct err *e)
{
    struct tally_of_units t = {0};
    const char *name, *compiler;

    if (count_units(d, h, &t) != 0)
        return err_memory(e);
    name = t.about.name != NULL ? t.about.name : "(nameless)";
    compiler =
        t.about.producer != NULL ? t.about.producer : "a compiler unknown";
    if (t.llvm == 0 && t.most != 0)
        return err_set(e,
                       "%.100s, which has most samples, was compiled by %.*s, "
                       "but this profile is for clang and rustc: compile the "
                       "kernel with one of these, and sample it again",
                       name, compiler_length(compiler), compiler);
    if (t.discriminated <= t.llvm / 2 && t.most != 0)
        return err_set(
            e,
            "%.100s, which has most samples, was not compiled for a profile: "
            "compile the kernel by 'clang -g -fdebug-info-for-profiling' or "
            "'rustc -g -Z debug-info-for-profiling', and sample it again",
            name);
    return 0;
}

static int by_samples(const void *a, const void *b)
{
    const struct growing_body *left = *(struct growing_body *const *)a;
    const struct growing_body *right = *(struct growing_body *const *)b;

    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return strcmp(left->body.name, right->body.name);
}

/* The function with the fewest samples among those that matter; NULL if there
 * is no memory. */
static const struct growing_body *weakest(const struct bodies *b)
{
    const struct growing_body **sorted =
        calloc(b->count + 1, sizeof(struct growing_body *));
    const struct growing_body *weakest = NULL;
    uint64_t sum = 0;
    size_t count = 0;

    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < b->count; i++)
        if (b->list[i].parent == NO_BODY)
            sorted[count++] = &b->list[i];
    /* of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(sorted, count, sizeof *sorted, by_samples);
    for (size_t i = 0; i < count && (double)sum < MATTERS * (double)b->placed;
         i++) {
        weakest = sorted[i];
        sum += weakest->samples;
    }
    free(sorted);
    return weakest;
}

static double selected_seconds(const struct profile *p)
{
    double to = p->to_s > 0 ? fmin(p->to_s, p->duration_s) : p->duration_s;

    return to - p->from_s;
}

int judge_total(const struct profile *p, uint64_t samples, struct err *e)
{
    double times = LEAST_TOGETHER / fmax((double)samples, 1);

    if (times <= 1)
        return 0;
    return err_set(e,
                   "%" PRIu64 " samples are too few for an optimizer: sample "
                   "for %.0f s more at this rate",
                   samples, ceil(selected_seconds(p) * (times - 1)));
}

int judge_samples(const struct profile *p, const struct bodies *b,
                  struct err *e)
{
    const struct growing_body *w;
    double times, seconds = selected_seconds(p);

    if (b->placed == 0)
        return err_set(e, "no sample is in code whose lines are known: "
                          "compile the kernel with -g");
    w = weakest(b);
    if (w == NULL)
        return err_memory(e);
    times = fmax(LEAST_TOGETHER / (double)b->placed,
                 LEAST_IN_ONE / (double)w->samples);
    if (times <= 1)
        return 0;
    if (!(seconds > 0))
        return err_set(e,
                       "%" PRIu64 " samples are too few for a compiler: take "
                       "%.0f times as many",
                       b->placed, ceil(times));
    return err_set(e,
                   "%" PRIu64 " samples are too few for a compiler (%" PRIu64
                   " of them in %.80s, which matters): sample for %.0f s more "
                   "at this rate",
                   b->placed, w->samples, w->body.name,
                   ceil(seconds * (times - 1)));
}
