/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a SAMPLES frame: WIRE.md 4 and 5. */
#ifndef TPROF_PROFILE_DECODE_SAMPLES_H
#define TPROF_PROFILE_DECODE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/events.h"
#include "profile/decode/core.h"

/* More cells than fit into a body. */
#define SAMPLES_BATCH_MAX (WIRE_BODY_MAX / WIRE_CELL_SIZE)

/* What decoding a body needs and changes, beside the core. */
struct samples_decoder {
    const struct events *events;
    void *sums; /* the context of those events that are told here */
    uint64_t text_start;
    bool old_losses; /* wire before 2.2: a session may begin with LOST records
                      * of an earlier one */
    uint64_t unknown_records; /* counted here */
    struct sample batch[SAMPLES_BATCH_MAX];
};

/* The number of the core that sent (body); UINT32_MAX if the body is too short
 * to say it. */
uint32_t samples_core(const uint8_t *body, size_t length);

/*
 * Decode (body), a body of core (c), and call events.stack, samples, loss and
 * account. 4 bytes behind the body must be readable.
 *
 * Returns NULL; or what is wrong with the body, as text to be shown. Then the
 * records before the wrong one were told, and the rest counts as lost.
 */
const char *samples_decode(struct samples_decoder *d, struct core *c,
                           const uint8_t *body, size_t length);

#endif
