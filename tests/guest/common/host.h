/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a host's orders, for guests that play their own host. Leaf. */
#ifndef GUEST_HOST_H
#define GUEST_HOST_H

#include <stdint.h>

/* Frame types; WIRE.md 2, tprof_wire.h. */
#define HOST_HELLO   1u
#define HOST_SAMPLES 2u
#define HOST_STATS   3u
#define HOST_STATUS  4u
#define HOST_START   32u
#define HOST_STOP    33u

struct host_frame {
    uint32_t size;
    uint8_t bytes[40];
};

/* Make (f) a frame of (type) without fields; or START for a depth of 127, and
 * for (rate) and (period) unless they are 0. */
void host_frame(struct host_frame *f, uint8_t type);
void host_start(struct host_frame *f, uint32_t rate, uint32_t period);

/* For struct tprof_channel. A host that is always there; and what it says: the
 * frame (context), a struct host_frame, once. Then the frame's size is 0. */
int host_is_there(void *context);
int host_says(void *context, void *data, uint32_t size);

/* The field (tag) of the (size) bytes of a frame at (frame); or (absent). */
uint64_t host_field(const uint8_t *frame, uint32_t size, uint8_t tag,
                    uint64_t absent);

#endif
