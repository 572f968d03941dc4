/* SPDX-License-Identifier: BSD-2-Clause */
/* What main.c, in the guest, and peer.c, on the host, say to each other. */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

/*
 * A message is 8 bytes: letter, 0, u16 attachment, u32 count. The guest speaks
 * first, with PEER_HELLO. It sees that a host left and another came a moment
 * later than QEMU does: what it meanwhile sends still means the one, reaches
 * the other, and is skipped by its number, which counts attachments from 1.
 */
#define PEER_MESSAGE_SIZE 8u

struct peer_message {
    uint8_t letter;
    uint8_t zero;
    uint16_t attachment;
    uint32_t count;
};

/* From the host */
#define PEER_SEND 'S' /* send me (count) bytes of the pattern */
#define PEER_TAKE 'T' /* here come (count) */
#define PEER_BYE  'B' /* power off */

/* From the guest */
#define PEER_HELLO   'h' /* I see you */
#define PEER_SENDING 's' /* here come (count) */
#define PEER_TOOK    't' /* (count) bytes were right */

/* Byte (at) of what either side sends: no period that a lost buffer fits. */
static inline uint8_t peer_pattern(uint32_t at)
{
    return (uint8_t)((at * 2654435761u) >> 24);
}

#endif
