/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a SAMPLES frame: WIRE.md 4 and 5. */
#ifndef TPROF_DECODE_SAMPLES_H
#define TPROF_DECODE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/core.h"
#include "model/events.h"

/* More cells than fit into a body. */
#define SAMPLES_BATCH_MAX (WIRE_BODY_MAX / WIRE_CELL_SIZE)

/* What decoding a body needs and changes, besides the core. */
struct samples_decoder {
    const struct events *events;
    void *sums; /* the context of those events that are told here */
    /* What short leaves are counted from: text, then STACK_AT's. */
    uint64_t bases[1 + WIRE_STACK_BASES_MAX];
    uint16_t base_count;      /* of STACK_AT's, in this boot */
    uint64_t unknown_records; /* counted here */
    struct sample batch[SAMPLES_BATCH_MAX];
};

/* The core that (body) is of; UINT32_MAX if it is too short to say. */
uint32_t samples_core(const uint8_t *body, size_t length);

/*
 * Decode (body), which is (c)'s, and tell events.stack, samples, loss and
 * account. 4 bytes behind the body are readable.
 *
 * Returns NULL; or what is wrong with it, as text to be shown: what came
 * before that was told, and the rest counts as lost.
 */
const char *samples_decode(struct samples_decoder *d, struct core *c,
                           const uint8_t *body, size_t length);

#endif
