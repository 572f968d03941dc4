/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds frames in a byte stream, without copying a frame that lies whole in
 * the input: WIRE.md 2. */
#ifndef TPROF_PROFILE_DECODE_FRAME_H
#define TPROF_PROFILE_DECODE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

/* One intact frame. */
struct frame {
    uint8_t type; /* enum wire_type */
    uint16_t seq;
    const uint8_t *body; /* followed by 4 more readable bytes, the CRC */
    size_t length;
    uint32_t crc; /* CRC-32C of header and body */
    uint64_t at;  /* its offset in the stream */
};

/* Zeroed at the beginning of a stream, except (carry). Owns nothing on the
 * heap. */
struct framer {
    uint64_t position;  /* bytes of the stream that were processed */
    uint64_t skipped;   /* of these, bytes that were in no intact frame */
    uint64_t stretches; /* runs of skipped bytes */
    bool skipping;

    const uint8_t *input; /* the caller's bytes that are left to read */
    size_t left;
    bool last; /* the stream ends with (input) */
    /* The end of earlier input, where a frame was cut: (kept) bytes, of which
     * (done) are processed. A copy of the beginning of (input) follows them. */
    size_t kept, filled, done;
    /* Last member, which is never cleared: it takes no memory if all frames of
     * a guest come whole. */
    uint8_t carry[2 * WIRE_FRAME_MAX];
};

/*
 * Pass the next (size) bytes, which must stay valid until framer_next()
 * returns false. With (last), an unfinished frame at their end counts as
 * damage.
 */
void framer_push(struct framer *fr, const uint8_t *bytes, size_t size,
                 bool last);

/* The next intact frame in (*f), valid until the next call. False if the
 * pushed bytes have no further frame. */
bool framer_next(struct framer *fr, struct frame *f);

/* order.c: sorts frames by their sequence numbers into expected frames, frames
 * after a gap, repeated frames and late frames. Recordings that were put
 * together from pieces have frames of all four kinds. */

#define ORDER_WINDOW 256u /* number of frames that are remembered */

struct order_seen {
    uint16_t seq;
    uint16_t session; /* not 0: a frame was seen */
};

/* Zeroed: no frame has come. */
struct order {
    uint16_t next;    /* sequence number of the expected frame */
    uint16_t session; /* 1 in the first session; never 0 */
    /* frames of this session including lost ones, up to ORDER_WINDOW */
    uint32_t passed;
    struct order_seen seen[ORDER_WINDOW]; /* frames of this session, by
                                           * number */
    /* The latest frames of any session: their CRCs and numbers. */
    uint32_t latest_crc[ORDER_WINDOW];
    uint16_t latest_seq[ORDER_WINDOW];
    uint32_t latest_next; /* number of CRCs that were stored, wrapping */
};

enum order_place {
    ORDER_NEXT,  /* the expected frame */
    ORDER_AHEAD, /* some frames before this one are missing */
    ORDER_AGAIN, /* a repeated frame: do not use it */
    ORDER_LATE,  /* the frame has already been counted as missing: do not use
                  * it */
    ORDER_BACK,  /* the guest was set back to an earlier state */
};

/* Begin a session with frame (f), a HELLO. */
void order_begin(struct order *o, const struct frame *f);

/* Returns the place of (f), the next frame of the session. Stores in (*missing)
 * the number of frames that are missing before (f); it is 0 unless the place is
 * ORDER_AHEAD. */
enum order_place order_take(struct order *o, const struct frame *f,
                            uint16_t *missing);

#endif
