/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtio-vsock device (virtio 1.2, section 5.10) as vsock.c needs it:
 * packets that have come, and packets to be sent. Polled; one caller at a time.
 */
#ifndef GUEST_VSOCK_DEVICE_H
#define GUEST_VSOCK_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define VSOCK_PACKET_BYTES 32768u /* of data; what comes and goes at once */

/* As it travels; little-endian, like the machine. */
struct vsock_header {
    uint64_t from_cid, to_cid;
    uint32_t from_port, to_port;
    uint32_t length; /* of the data behind it */
    uint16_t type;
    uint16_t op;
    uint32_t flags;
    uint32_t room;  /* the sender's whole buffer, bytes */
    uint32_t taken; /* bytes that its user ever took from it, wrapping */
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct vsock_header) == 44, "as the device reads it");

#define VSOCK_TYPE_STREAM 1u

enum vsock_op {
    VSOCK_OP_REQUEST = 1,
    VSOCK_OP_RESPONSE = 2,
    VSOCK_OP_RST = 3,
    VSOCK_OP_SHUTDOWN = 4,
    VSOCK_OP_RW = 5,
    VSOCK_OP_CREDIT_UPDATE = 6,
    VSOCK_OP_CREDIT_REQUEST = 7,
};

/* Flags of a SHUTDOWN: its sender will do no more of it. */
#define VSOCK_NO_RECEIVE (1u << 0)
#define VSOCK_NO_SEND    (1u << 1)

struct vsock_packet {
    struct vsock_header header;
    uint8_t data[VSOCK_PACKET_BYTES];
};

/* Find the device and start it. False: none, or it does not agree. */
bool vsock_device_init(void);

/* The machine's own address; another one after vsock_device_was_reset(). */
uint64_t vsock_device_cid(void);

/* Has the other side forgotten all connections, since this was asked last? */
bool vsock_device_was_reset(void);

/*
 * The next packet that has come, whole as its header has it, or NULL. It is
 * the caller's until vsock_device_give() hands it back to be filled anew.
 */
struct vsock_packet *vsock_device_receive(void);
void vsock_device_give(struct vsock_packet *packet);

/*
 * A packet to be filled, or NULL when the device has all of them; the same
 * one until vsock_device_send() hands it over.
 */
struct vsock_packet *vsock_device_next(void);
void vsock_device_send(struct vsock_packet *packet);

/* Tell the device, if it asks for that, of what was handed to it. */
void vsock_device_kick(void);

#endif
