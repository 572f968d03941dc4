/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the decoder's events, for tests to look at. */
#ifndef TPROF_SEEN_H
#define TPROF_SEEN_H

#include "model/events.h"
#include "profile/decode/decode.h"

#define SEEN_MAX 4096

struct seen_stack {
    uint32_t core;
    struct stack stack;
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
};

struct seen_sample {
    struct sample sample;
    uint32_t core;
    uint8_t shift;
    uint16_t period;
};

/* The event number n of a kind is at [n - 1]. Events for which the array has no
 * room are counted only. */
struct seen {
    int refuse_hello; /* set by the test: hello() then fails */
    size_t hellos, stacks_n, samples_n, losses_n, stats_n, statuses, pongs,
        maps;
    size_t gaps, gap_frames;
    enum hello_kind kind; /* of the last HELLO */
    struct guest guest;
    struct seen_stack stacks[SEEN_MAX];
    struct seen_sample samples[SEEN_MAX];
    struct loss losses[SEEN_MAX];
    struct account account[GUEST_CORES_MAX];
    struct core_stats stats;
    struct guest_status status;
    struct guest_pong pong;
    struct guest_map map; /* the last */
};

/* For decode_new(); the context is a struct seen. */
extern const struct events seen_events;

#endif
