/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes records and fields as wire frames, into the caller's buffer. Also
 * reads a ring: struct tprof_reader follows the time, period, epoch and
 * counters of the records, because each SAMPLES frame contains them.
 */
#ifndef TPROF_ENCODE_H
#define TPROF_ENCODE_H

#include <stdint.h>

#include "encode/crc32c.h"
#include "sample/record.h"
#include "tprof_wire.h"

/* The place at which a core began to sample in a session. The core's tick
 * writes (at) before (session). Afterwards both are written under the pump's
 * lock (tprof_pump_forgo()). */
struct tprof_beginning {
    struct tprof_place at;
    /* Release in begin_session(), tick.c; acquire in tprof_has_begun(). */
    _Atomic uint32_t session;
};

/* The reader of one core's ring. Owned by the core that has the pump's lock. */
struct tprof_reader {
    struct tprof_ring *ring;
    uint64_t time; /* of the last record read, in units */
    uint32_t shift;
    uint32_t period;
    uint32_t epoch;
    /* WIRE_SAMPLES_*. Relaxed: map.c sets it before a record needs it. */
    _Atomic uint32_t flags;
    uint32_t session;                /* the records of this session are read */
    uint64_t counter[WIRE_COUNTERS]; /* of all records up to the head */
    struct tprof_beginning beginning;
};

/* Has the core of (r) begun to sample in (session)? */
static inline int tprof_has_begun(const struct tprof_reader *r,
                                  uint32_t session)
{
    /* acquire: pairs with the release in begin_session(), tick.c */
    return atomic_load_explicit(&r->beginning.session, memory_order_acquire) ==
           session;
}

/* A frame that is being written. The frame leaves out a field that does not
 * fit, which means that the caller has built too large a frame. */
struct tprof_frame {
    uint8_t *data;
    uint32_t size;   /* bytes of the buffer */
    uint32_t used;   /* bytes written */
    uint32_t summed; /* bytes that (crc) covers */
    uint32_t crc;    /* if it covers none: TPROF_CRC32C_FIRST */
};

/* A SAMPLES frame that is being written, in several calls: each call is short
 */
struct tprof_samples {
    struct tprof_frame frame;
    struct tprof_reader *reader;
    uint32_t left;  /* words of the ring that are for this frame */
    uint32_t cells; /* in the frame so far */
};

/*
 * Reads whole records from word (head) of the ring on and writes them to (out),
 * until (*left) words are read or (most) is used up. A cell takes 1 of (most).
 * A long record takes TPROF_LONG_EXTRA more. The last record may exceed (most).
 * (r) follows the time and counters of these records.
 *
 * Subtracts the words from (*left), which becomes 0 if the next record is
 * longer. Returns the number of cells.
 */
uint32_t tprof_encode_cells(struct tprof_reader *r, uint32_t head, uint8_t *out,
                            uint32_t *left, uint32_t most);
/* A long record takes as much time as a cell and this number of further short
 * cells. */
#define TPROF_LONG_EXTRA 4u

/* Writes the varint of (value) at (at). Returns its end. */
uint8_t *tprof_encode_varint(uint8_t *at, uint64_t value);

/* Begins a frame of (type), number (seq), in (data). Fields follow, then
 * tprof_frame_end(). */
void tprof_frame_begin(struct tprof_frame *f, void *data, uint32_t size,
                       enum wire_type type, uint16_t seq);
/* Appends a field of (size) bytes. */
void tprof_frame_bytes(struct tprof_frame *f, uint32_t tag, const void *value,
                       uint32_t size);
/* Appends an integer, in as many bytes as it needs. */
void tprof_frame_field(struct tprof_frame *f, uint32_t tag, uint64_t value);
/*
 * Adds the length, and the CRC of at most (most) more bytes, or of all if fewer
 * are left. (most) is a multiple of 8.
 *
 * Returns the number of bytes in the frame if the frame is complete, else 0.
 */
uint32_t tprof_frame_sum(struct tprof_frame *f, const struct tprof_crc32c *crc,
                         uint32_t most);
/* Adds length and CRC. Returns the number of bytes in the frame. */
static inline uint32_t tprof_frame_end(struct tprof_frame *f,
                                       const struct tprof_crc32c *crc)
{
    return tprof_frame_sum(f, crc, UINT32_MAX & ~7u);
}

/*
 * Begins a SAMPLES body of (core) in (s->frame), for the records of (session)
 * that (r) has and that fit. Removes the records of earlier sessions from the
 * ring, because this host does not know their stacks.
 *
 * Returns the number of words that are for the frame. 0: do not send the frame.
 */
uint32_t tprof_samples_begin(struct tprof_samples *s, struct tprof_reader *r,
                             uint32_t core, uint32_t session);

/* Moves records from the ring into (s->frame), (most) as for
 * tprof_encode_cells(), at least one. When (s->left) is 0 afterwards, the body
 * is complete. Returns the number of cells that were moved. */
uint32_t tprof_samples_more(struct tprof_samples *s, uint32_t most);

#endif
