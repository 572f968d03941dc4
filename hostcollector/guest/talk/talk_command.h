/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames to the guest: WIRE.md 7. */
#ifndef TPROF_GUEST_TALK_TALK_COMMAND_H
#define TPROF_GUEST_TALK_TALK_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

#define COMMAND_MAX 64u /* bytes of any command's frame */

/* One command. A field of 0 leaves the choice to the guest. */
struct command {
    uint8_t type;            /* WIRE_START to WIRE_GREET */
    uint32_t rate_hz, depth; /* of WIRE_START */
    uint64_t period_tsc;     /* of WIRE_START */
    uint64_t cookie;         /* of WIRE_PING */
};

/* Write the frame of (c), with sequence number (seq), to (out). Returns the
 * size of the frame. */
size_t command_encode(const struct command *c, uint16_t seq,
                      uint8_t out[COMMAND_MAX]);

#endif
