/* SPDX-License-Identifier: BSD-2-Clause */
#include "diagnose/selected.h"

#include <math.h>

struct selected_range selected_span(const struct profile *p)
{
    bool to_end = p->to_s <= 0 || p->to_s >= p->duration_s;
    struct selected_range span = {fmax(p->from_s, 0),
                                  to_end ? p->duration_s : p->to_s, true};

    if (span.from_s > span.to_s)
        span.from_s = span.to_s;
    span.part = span.from_s > 0 || !to_end;
    return span;
}

/* Ticks that left no sample, in the seconds of (core) that (span) touches. */
static uint64_t lost_within(const struct profile_core *core,
                            const struct selected_range *span)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < core->second_count; i++)
        if ((double)i + 1 > span->from_s && (double)i < span->to_s)
            lost += core->seconds[i].lost;
    return lost;
}

/* Samples of (core) whose stack was lost. */
static uint64_t without_stack(const struct profile_core *core)
{
    uint64_t samples = 0;

    for (size_t i = 0; i < core->entry_count; i++)
        if (core->entries[i].stack == STACK_UNKNOWN)
            samples += core->entries[i].tally.samples;
    return samples;
}

struct account selected_account(const struct profile *p,
                                const struct profile_core *core)
{
    struct selected_range span = selected_span(p);
    const struct tally *t = &core->total, *out = &core->left_out;

    if (!core->selected)
        return (struct account){0};
    if (!span.part)
        return core->account;
    struct account a = core->account;

    a.samples = t->samples + out->samples;
    a.missed = t->weight - t->samples + out->weight - out->samples +
               core->jump_weight - core->jumps;
    a.lost = lost_within(core, &span);
    a.ring_full = a.reentered = 0;
    a.unknown_stack = without_stack(core);
    a.jumps = core->jumps;
    return a;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

bool selected_has_less(const struct profile_core *core)
{
    return core->left_out.samples != 0;
}

struct account selected_rest(const struct profile *p,
                             const struct profile_core *core)
{
    struct account a = selected_account(p, core);
    const struct tally *out = &core->left_out;

    a.samples = less(a.samples, out->samples);
    a.missed = less(a.missed, out->weight - out->samples);
    if (selected_has_less(core))
        a.unknown_stack = without_stack(core);
    return a;
}

struct account selected_rest_of_all(const struct profile *p)
{
    struct account sum = {0};

    for (size_t i = 0; i < p->core_count; i++) {
        const struct account a = selected_rest(p, &p->cores[i]);

        account_sum(&sum, &a);
    }
    return sum;
}

struct tally selected_left_out(const struct profile *p)
{
    struct tally sum = {0};

    for (size_t i = 0; i < p->core_count; i++) {
        sum.samples += p->cores[i].left_out.samples;
        sum.time += p->cores[i].left_out.time;
    }
    return sum;
}

double selected_part(const struct profile_core *core)
{
    double all = core->total.time + core->left_out.time;

    return all > 0 ? core->total.time / all : 1;
}
