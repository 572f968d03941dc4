/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct unpack, for the files of the unpacker. */
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

/* A return address, and the node of its caller. */
struct unpack_node {
    uint64_t address;
    uint32_t parent; /* NODE_NONE: this is the outermost */
    uint8_t depth; /* length of the chain from the outermost node to this one */
};

struct unpack_stack {
    uint32_t node; /* the innermost node; NODE_NONE: the stack has no frames */
    uint32_t generation;
    uint8_t end, mask;
    uint16_t defined; /* the stack's id in this epoch */
    uint64_t words[WIRE_STACK_SLOTS], sp;
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
    struct unpack_stack *stacks; /* counted from 1 */
    size_t stack_count;

    /* State in the run of samples that is being unpacked. */
    size_t left, at, count; /* records left; of samples: next, all */
    /* Columns. Their first sample has the number (first). In a block of several
     * windows the columns have (shared) samples, of which (taken) are unpacked
     * or belong to this run. */
    const uint8_t *pair, *interval, *late;
    size_t first, shared, taken;
    bool halves; /* one byte holds two latenesses */
    struct cursor losses, extras, far;
    /* LOST records left; the next one is before sample (loss_at) */
    size_t loss_left, loss_at;
    bool begun; /* the BEGIN record was written */
    uint32_t core, generation;
    uint8_t shift, round;
    uint16_t period;
    uint64_t time; /* in units */
    uint64_t counter[WIRE_COUNTERS];
    struct unpack_pair pairs[PACKED_BLOCK_MAX / 16];
    size_t pair_count;

    struct dump_frame frame;
};

/* Read an item of stacks at u->in, which becomes bad if the item is wrong.
 * Returns 0; -1 with (e) filled if there is no memory. */
int unpack_stacks(struct unpack *u, struct err *e);

/* Read the head of the item of samples, or of a run, at u->in, which becomes
 * bad if the item is wrong. */
void unpack_samples_begin(struct unpack *u);
void unpack_run_begin(struct unpack *u);

/* Read the columns that all windows of the block share. They follow the
 * stacks. */
void unpack_columns(struct unpack *u);

/* Write the next frame of the item to u->frame. Returns the frame's size; 0 if
 * the item is wrong. */
long unpack_samples_next(struct unpack *u);

#endif
