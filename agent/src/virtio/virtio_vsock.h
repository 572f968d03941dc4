/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio socket device's queues (virtio 1.2, section 5.10): packets out,
 * packets and events in. Knows no connection; transport_vsock.c does. One
 * caller at a time; bounded; never waits. Nothing that the device writes is
 * believed: where it lies it is given up, and every call says so from then on.
 */
#ifndef TPROF_VIRTIO_VSOCK_H
#define TPROF_VIRTIO_VSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtio/virtio.h"
#include "virtio/virtio_vsock_regs.h"
#include "virtio/virtqueue.h"

/* Buffers for received packets. A host has little to say, and what is longer
 * the device splits. */
#define TPROF_VSOCK_BUFFERS     16u
#define TPROF_VSOCK_BUFFER_SIZE 256u

/* Packets on their way to the host: each has two descriptors, for its header
 * and its data. */
#define TPROF_VSOCK_PACKETS (TPROF_VIRTQUEUE_MAX / 2)

/* Fewer places than these make no sense, whatever the device offers. */
#define TPROF_VSOCK_PACKETS_MIN 4u

#define TPROF_VSOCK_EVENTS 4u

/* A packet's header, as the device has it; little-endian. */
struct tprof_vsock_header {
    uint64_t from_cid, to_cid;
    uint32_t from_port, to_port;
    uint32_t size;     /* bytes of data behind it */
    uint16_t type, op; /* VIRTIO_VSOCK_TYPE_*, VIRTIO_VSOCK_OP_* */
    uint32_t flags;    /* of SHUTDOWN */
    uint32_t room;     /* bytes that the sender can keep, taken or not */
    uint32_t taken;    /* of the stream, by the sender, wrapping */
    uint32_t no_part;  /* of the header: what alignment adds to it */
};
_Static_assert(offsetof(struct tprof_vsock_header, from_port) == 16 &&
                   offsetof(struct tprof_vsock_header, type) == 28 &&
                   offsetof(struct tprof_vsock_header, taken) == 40 &&
                   offsetof(struct tprof_vsock_header, no_part) ==
                       VIRTIO_VSOCK_HEADER_SIZE,
               "packed by nature");

struct tprof_vsock_queue {
    struct tprof_virtqueue ring;
    uintptr_t doorbell; /* where to notify */
};

/* Caller-allocated, physically contiguous. The caller sets (physical), and
 * reads (dead). */
struct tprof_virtio_vsock {
    int dead;          /* the error that ended it; 0: alive */
    bool given_back;   /* buffers that the device has not seen yet */
    uint64_t physical; /* what to add to an address for the device */
    struct tprof_virtio bus;

    /* Packets still in use by the device, from (first) to before (next),
     * wrapping; their data's sizes, and the sum of those */
    uint32_t first, next, bytes;
    uint32_t size[TPROF_VSOCK_PACKETS];

    struct tprof_vsock_queue queues[VIRTIO_VSOCK_QUEUES];

    /* What the device reads and writes. No buffer crosses a page. */
    _Alignas(64) uint32_t events[TPROF_VSOCK_EVENTS];
    struct {
        _Alignas(64) struct tprof_vsock_header header;
    } packets[TPROF_VSOCK_PACKETS];
    _Alignas(
        1024) uint8_t buffers[TPROF_VSOCK_BUFFERS][TPROF_VSOCK_BUFFER_SIZE];
    struct tprof_virtqueue_memory rings[VIRTIO_VSOCK_QUEUES];
};

/*
 * Reset the device at (d->bus) and set up its queues; then it is to be started
 * by tprof_virtio_vsock_go(). Returns whether it can be used at all.
 */
bool tprof_virtio_vsock_begin(struct tprof_virtio_vsock *d);
void tprof_virtio_vsock_go(struct tprof_virtio_vsock *d);

/* It is gone, or another's: touched no more. Returns d->dead. */
int tprof_virtio_vsock_die(struct tprof_virtio_vsock *d);

/* Have it interrupt, or not, when a packet or an event has come. */
void tprof_virtio_vsock_interrupt(struct tprof_virtio_vsock *d, bool on);

/* Is there a packet or an event? */
bool tprof_virtio_vsock_waiting(const struct tprof_virtio_vsock *d);

/* --- Out ------------------------------------------------------------------ */

/* Can more than (reserved) packets be put? */
bool tprof_virtio_vsock_has_place(struct tprof_virtio_vsock *d,
                                  uint32_t reserved);

/* Send a packet: there is a place for it. (header->size) bytes of (data) stay
 * where they are; the header is copied. */
void tprof_virtio_vsock_put(struct tprof_virtio_vsock *d,
                            const struct tprof_vsock_header *header,
                            const void *data);

/* Bytes of data that the device may still read, the oldest freed first. */
uint32_t tprof_virtio_vsock_in_use(struct tprof_virtio_vsock *d);

/* --- In ------------------------------------------------------------------- */

/*
 * Take the next packet: its header into (header); (header->size) bytes of data
 * are at the address returned by tprof_virtio_vsock_data() until the buffer is
 * given back. Returns the buffer; negative: none, or the device is dead.
 */
int tprof_virtio_vsock_take(struct tprof_virtio_vsock *d,
                            struct tprof_vsock_header *header);

static inline const uint8_t *
tprof_virtio_vsock_data(const struct tprof_virtio_vsock *d, uint32_t buffer)
{
    return d->buffers[buffer] + VIRTIO_VSOCK_HEADER_SIZE;
}

/* The device may fill (buffer) again; it hears of it by the next
 * tprof_virtio_vsock_refill(). */
void tprof_virtio_vsock_give_back(struct tprof_virtio_vsock *d,
                                  uint32_t buffer);
void tprof_virtio_vsock_refill(struct tprof_virtio_vsock *d);

/* Take the events that wait. Returns whether one said that all connections are
 * gone, as after a migration. */
bool tprof_virtio_vsock_was_reset(struct tprof_virtio_vsock *d);

#endif
