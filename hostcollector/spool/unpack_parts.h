/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the unpacker share: a block in the works. */
#ifndef TPROF_SPOOL_UNPACK_PARTS_H
#define TPROF_SPOOL_UNPACK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/frame.h"
#include "spool/format.h"
#include "tprof_wire.h"
#include "util/cursor.h"

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
    uint64_t later_ns;
    uint16_t seq, epoch;
    uint64_t text_start;
    struct unpack_node *nodes;
    size_t node_count;
    struct unpack_stack *stacks; /* from 1 on */
    size_t stack_count;

    /* The samples that are being given. */
    size_t left, at, count; /* records left; of samples: next, all */
    const uint8_t *pair, *interval, *late;
    struct cursor losses, extras;
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

/* Begin with the item of samples at u->in; u->in is bad if it is wrong. */
void unpack_samples_begin(struct unpack *u);

/* The next frame of it, in u->frame; its size. 0: it is wrong. */
long unpack_samples_next(struct unpack *u);

#endif
