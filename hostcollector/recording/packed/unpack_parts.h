/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the unpacker share: a block in the works. */
#ifndef TPROF_RECORDING_PACKED_UNPACK_PARTS_H
#define TPROF_RECORDING_PACKED_UNPACK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_frame.h"
#include "recording/packed/format.h"
#include "tprof_wire.h"
#include "util/cursor.h"
#include "util/err.h"

#define NODE_NONE UINT32_MAX

/* A return address, and that of the caller. */
struct unpack_node {
    uint64_t address;
    uint32_t parent; /* NODE_NONE: the outermost */
    uint8_t depth;   /* of the chain up to there */
};

struct unpack_stack {
    uint32_t node; /* the innermost; NODE_NONE: it has no frames */
    uint32_t generation;
    uint8_t end, mask;
    uint16_t defined; /* in this epoch */
    uint64_t words[WIRE_STACK_SLOTS], rsp;
};

/* A stack and an address in it. */
struct unpack_pair {
    uint32_t stack; /* 0: unknown */
    uint64_t leaf;
};

struct unpack {
    struct ZSTD_DCtx_s *decompressor;
    uint8_t *block;
    size_t room;
    struct cursor in;
    uint64_t later_ns, window_ms;
    uint16_t seq, epoch;
    uint64_t text_start;
    struct unpack_node *nodes;
    size_t node_count;
    struct unpack_stack *stacks; /* from 1 on */
    size_t stack_count;

    /* The samples that are being given. */
    size_t left, at, count; /* records left; of samples: next, all */
    /* Columns, in which the first sample is number (first). Of several windows:
     * (shared) samples in all, (taken) of which are given or being given. */
    const uint8_t *pair, *interval, *late;
    size_t first, shared, taken;
    bool halves; /* two latenesses are in a byte */
    struct cursor losses, extras, far;
    size_t loss_left, loss_at; /* LOST records; the sample that the next one is
                                * before */
    bool begun;                /* BEGIN was given */
    uint32_t core, generation;
    uint8_t shift, round;
    uint16_t period;
    uint64_t time; /* in units */
    uint64_t counter[WIRE_COUNTERS];
    struct unpack_pair pairs[PACKED_BLOCK_MAX / 16];
    size_t pair_count;

    struct dump_frame frame;
};

/* Take the item of stacks, or what is like it, at u->in, which is bad if that
 * is wrong. Returns 0; -1 with (e) filled: there is no memory. */
int unpack_stacks(struct unpack *u, struct err *e);

/* Begin with the item of samples, or of a run, at u->in; u->in is bad if it is
 * wrong. */
void unpack_samples_begin(struct unpack *u);
void unpack_run_begin(struct unpack *u);

/* Take the columns, behind the stacks, of all windows of the block. */
void unpack_columns(struct unpack *u);

/* The next frame of it, in u->frame; its size. 0: it is wrong. */
long unpack_samples_next(struct unpack *u);

#endif
