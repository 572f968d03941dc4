/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames on their way out: the buffers between the pump, which fills them, and
 * the channel, which sends them. Guarded by the pump's lock. */
#ifndef TPROF_OUTBOX_H
#define TPROF_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Frames that may be on their way at a time, and the size of each */
#define TPROF_BUFFERS     4u
#define TPROF_BUFFER_SIZE 1536u

/* Oldest frame first. Indices grow and wrap. */
struct tprof_outbox {
    uint8_t (*data)[TPROF_BUFFER_SIZE];
    uint32_t size[TPROF_BUFFERS];
    uint32_t oldest;  /* may still be read by the device */
    uint32_t sending; /* next to be sent, or partly sent */
    uint32_t next;    /* to be filled */
    uint32_t sent;    /* bytes of frame (sending) that were sent */
    uint32_t taken;   /* bytes that were sent, from (oldest) on */
};

/* Returns whether no buffer is free. */
static inline bool tprof_outbox_is_full(const struct tprof_outbox *o)
{
    return o->next - o->oldest == TPROF_BUFFERS;
}

/* Returns the free buffer for the next frame. */
static inline uint8_t *tprof_outbox_buffer(const struct tprof_outbox *o)
{
    return o->data[o->next % TPROF_BUFFERS];
}

/* Makes the frame of (size) bytes in tprof_outbox_buffer() the last one to be
 * sent. */
static inline void tprof_outbox_post(struct tprof_outbox *o, uint32_t size)
{
    o->size[o->next++ % TPROF_BUFFERS] = size;
}

/* Takes back the buffers with which the device is done. */
void tprof_outbox_reclaim(struct tprof_outbox *o);

/* Offers all posted frames to the channel. Returns 0, or the channel's error.
 */
int tprof_outbox_send(struct tprof_outbox *o);

/* Returns whether the device has read all posted frames. */
bool tprof_outbox_is_sent(const struct tprof_outbox *o);

/* Makes all buffers free; frames that were not sent are void. Returns false and
 * does nothing if the device still reads one of them. */
bool tprof_outbox_clear(struct tprof_outbox *o);

#endif
