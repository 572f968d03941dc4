/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies events into a struct seen. */
#include "seen.h"

#include <string.h>

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct seen *s = context;

    s->hellos++;
    s->kind = kind;
    s->guest = *g;
    return s->refuse_hello ? err_set(e, "refused") : 0;
}

static uint32_t on_stack(void *context, uint32_t core,
                         const struct stack *stack)
{
    struct seen *s = context;

    if (s->stacks_n == SEEN_MAX)
        return STACK_UNKNOWN;
    struct seen_stack *to = &s->stacks[s->stacks_n++];

    to->core = core;
    to->stack = *stack;
    memcpy(to->frames, stack->frames, stack->depth * sizeof to->frames[0]);
    to->stack.frames = to->frames;
    return (uint32_t)s->stacks_n;
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    struct seen *s = context;

    for (size_t i = 0; i < batch->count; i++, s->samples_n++)
        if (s->samples_n < SEEN_MAX)
            s->samples[s->samples_n] =
                (struct seen_sample){.sample = batch->samples[i],
                                     .core = batch->core,
                                     .shift = batch->shift,
                                     .period = batch->period};
}

static void on_loss(void *context, const struct loss *loss)
{
    struct seen *s = context;

    if (s->losses_n < SEEN_MAX)
        s->losses[s->losses_n] = *loss;
    s->losses_n++;
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    struct seen *s = context;

    s->account[core] = *a;
}

static void on_stats(void *context, const struct core_stats *stats)
{
    struct seen *s = context;

    s->stats = *stats;
    s->stats_n++;
}

static void on_status(void *context, const struct guest_status *status)
{
    struct seen *s = context;

    s->status = *status;
    s->statuses++;
}

static void on_pong(void *context, const struct guest_pong *pong)
{
    struct seen *s = context;

    s->pong = *pong;
    s->pongs++;
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct seen *s = context;

    (void)e;
    s->map = *map;
    s->maps++;
    return 0;
}

static void on_gap(void *context, uint32_t frames)
{
    struct seen *s = context;

    s->gaps++;
    s->gap_frames += frames;
}

const struct events seen_events = {
    .hello = on_hello,
    .stack = on_stack,
    .samples = on_samples,
    .loss = on_loss,
    .account = on_account,
    .stats = on_stats,
    .status = on_status,
    .pong = on_pong,
    .map = on_map,
    .gap = on_gap,
};
