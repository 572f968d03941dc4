/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a SAMPLES frame: WIRE.md 4 and 5. */
#ifndef TPROF_PROFILE_DECODE_SAMPLES_H
#define TPROF_PROFILE_DECODE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/events.h"
#include "profile/decode/core.h"
#include "util/cursor.h"

/* More cells than fit into a body. */
#define SAMPLES_BATCH_MAX (WIRE_BODY_MAX / WIRE_CELL_SIZE)

/* State of the SAMPLES decoder that is shared by all cores. */
struct samples_decoder {
    const struct events *events;
    void *sums; /* context for the events that samples_decode() calls */
    uint64_t text_start;
    /* wire before 2.2: a session may begin with LOST records of an earlier
     * session */
    bool old_losses;
    uint64_t unknown_records; /* counts records of unknown types */
    uint64_t dict_slots;      /* used in the dictionaries of all cores */
    struct sample batch[SAMPLES_BATCH_MAX];
};

/* Returns the number of the core that sent (body); UINT32_MAX if the body is
 * too short. */
uint32_t samples_core(const uint8_t *body, size_t length);

/*
 * Decode (body) of core (c), and call events.stack, samples, loss and account.
 * 4 bytes after the body must be readable.
 *
 * Returns NULL, or a text about the first error in the body. After an error the
 * records before the error were passed on, and the rest counts as lost.
 */
const char *samples_decode(struct samples_decoder *d, struct core *c,
                           const uint8_t *body, size_t length);

/*
 * stack_record.c: read a STACK or a STACK_AT record of (core) from (c), which
 * is after the record's type, and call events.stack. If the record is wrong, or
 * refers to a stack that was lost, the stack's id stays unknown. Return NULL,
 * or a text about the error in the record.
 */
const char *stack_record(struct samples_decoder *d, struct core *core,
                         struct cursor *c);
const char *stack_at_record(struct samples_decoder *d, struct core *core,
                            struct cursor *c);

#endif
