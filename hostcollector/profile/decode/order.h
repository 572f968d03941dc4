/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames by their sequence numbers: which one is the next, where some are
 * missing, and which came again or too late, as in a recording that was put
 * together from pieces.
 */
#ifndef TPROF_PROFILE_DECODE_ORDER_H
#define TPROF_PROFILE_DECODE_ORDER_H

#include <stdint.h>

#include "profile/decode/frame.h"

#define ORDER_WINDOW 256u /* frames that are remembered */

struct order_seen {
    uint16_t seq;
    uint16_t session; /* not 0: a frame was seen */
};

/* Zeroed: no frame has come. */
struct order {
    uint16_t next;    /* sequence number */
    uint16_t session; /* 1 in the first; never 0 */
    uint32_t passed;  /* frames of this session, lost ones too, to the window */
    struct order_seen seen[ORDER_WINDOW]; /* of this session, by number */
    /* The latest frames of any session: their CRCs and numbers. */
    uint32_t latest_crc[ORDER_WINDOW];
    uint16_t latest_seq[ORDER_WINDOW];
    uint32_t latest_next; /* grows */
};

enum order_place {
    ORDER_NEXT,  /* the one that was expected */
    ORDER_AHEAD, /* some before it are missing */
    ORDER_AGAIN, /* it has come before: not to be used */
    ORDER_LATE,  /* it counts as missing by now: not to be used */
    ORDER_BACK,  /* the guest was set back to an earlier state */
};

/* A session begins with frame (f), a HELLO. */
void order_begin(struct order *o, const struct frame *f);

/* The place of (f), the next frame of the session. (*missing) becomes the
 * number of frames that are missing before it, 0 unless it is ORDER_AHEAD. */
enum order_place order_take(struct order *o, const struct frame *f,
                            uint16_t *missing);

#endif
