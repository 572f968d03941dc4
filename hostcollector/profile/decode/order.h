/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts frames by their sequence numbers into expected frames, frames after a
 * gap, repeated frames and late frames. Recordings that were put together from
 * pieces have all of these.
 */
#ifndef TPROF_PROFILE_DECODE_ORDER_H
#define TPROF_PROFILE_DECODE_ORDER_H

#include <stdint.h>

#include "profile/decode/frame.h"

#define ORDER_WINDOW 256u /* number of frames that are remembered */

struct order_seen {
    uint16_t seq;
    uint16_t session; /* not 0: a frame was seen */
};

/* Zeroed: no frame has come. */
struct order {
    uint16_t next;    /* sequence number */
    uint16_t session; /* 1 in the first; never 0 */
    /* frames of this session including lost ones, up to ORDER_WINDOW */
    uint32_t passed;
    struct order_seen seen[ORDER_WINDOW]; /* of this session, by number */
    /* The latest frames of any session: their CRCs and numbers. */
    uint32_t latest_crc[ORDER_WINDOW];
    uint16_t latest_seq[ORDER_WINDOW];
    uint32_t latest_next; /* grows */
};

enum order_place {
    ORDER_NEXT,  /* the expected frame */
    ORDER_AHEAD, /* some frames before this one are missing */
    ORDER_AGAIN, /* the frame has come before: do not use it */
    ORDER_LATE,  /* the frame was already counted as missing: do not use it */
    ORDER_BACK,  /* the guest was set back to an earlier state */
};

/* Begin a session with frame (f), a HELLO. */
void order_begin(struct order *o, const struct frame *f);

/* The place of (f), the next frame of the session. (*missing) becomes the
 * number of frames that are missing before (f); it is 0 unless the place is
 * ORDER_AHEAD. */
enum order_place order_take(struct order *o, const struct frame *f,
                            uint16_t *missing);

#endif
