/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of a virtio socket device (virtio 1.2, section 5.10): packets out,
 * packets and events in. Connections are in transport_vsock.c. One caller at a
 * time. Every function is bounded and never waits. Every value that the device
 * writes is checked. After a false value (dead) is set, and every later call
 * returns an error.
 */
#ifndef TPROF_VIRTIO_VSOCK_H
#define TPROF_VIRTIO_VSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtio/virtio.h"
#include "virtio/virtio_vsock_regs.h"
#include "virtio/virtqueue.h"

/* Buffers for received packets. They are small, because a host sends little,
 * and the device splits longer data. Each buffer has one descriptor for the
 * header and one for the data, because Firecracker before 1.6 and Cloud
 * Hypervisor before 36 refuse a single descriptor for both. */
#define TPROF_VSOCK_BUFFERS     16u
#define TPROF_VSOCK_BUFFER_SIZE 256u

/* Packets on their way to the host. Each has two descriptors, for header and
 * data. */
#define TPROF_VSOCK_PACKETS (TPROF_VIRTQUEUE_MAX / 2)

/* A device with fewer places than these is refused. */
#define TPROF_VSOCK_PACKETS_MIN 4u

#define TPROF_VSOCK_EVENTS 4u

/* A packet's header in the device's layout; little-endian */
struct tprof_vsock_header {
    uint64_t from_cid, to_cid;
    uint32_t from_port, to_port;
    uint32_t size;     /* bytes of data after the header */
    uint16_t type, op; /* VIRTIO_VSOCK_TYPE_*, VIRTIO_VSOCK_OP_* */
    uint32_t flags;    /* of SHUTDOWN */
    uint32_t room;     /* bytes that the packet's sender can buffer */
    uint32_t taken;    /* bytes of the stream that it took, wrapping */
    uint32_t padding;  /* not part of the packet */
};
_Static_assert(offsetof(struct tprof_vsock_header, from_port) == 16 &&
                   offsetof(struct tprof_vsock_header, type) == 28 &&
                   offsetof(struct tprof_vsock_header, taken) == 40 &&
                   offsetof(struct tprof_vsock_header, padding) ==
                       VIRTIO_VSOCK_HEADER_SIZE,
               "packed by nature");

struct tprof_vsock_queue {
    struct tprof_virtqueue ring;
    uintptr_t doorbell; /* address that notifies the device */
};

/* The device's driver. Allocated by the caller, physically contiguous. The
 * caller sets (physical), and reads (dead). */
struct tprof_virtio_vsock {
    int dead;          /* the error that ended it; 0: alive */
    bool given_back;   /* some buffers were not shown to the device */
    uint64_t physical; /* added to an address, gives the physical one */
    struct tprof_virtio bus;

    /* The device still uses the packets from (first) to before (next), which
     * wrap. (size) has the bytes of data of each packet, (bytes) is their sum.
     */
    uint32_t first, next, bytes;
    uint32_t size[TPROF_VSOCK_PACKETS];

    struct tprof_vsock_queue queues[VIRTIO_VSOCK_QUEUES];

    /* Memory that the device reads and writes. No buffer crosses a page. */
    _Alignas(64) uint32_t events[TPROF_VSOCK_EVENTS];
    struct {
        _Alignas(64) struct tprof_vsock_header header;
    } packets[TPROF_VSOCK_PACKETS];
    _Alignas(
        1024) uint8_t buffers[TPROF_VSOCK_BUFFERS][TPROF_VSOCK_BUFFER_SIZE];
    struct tprof_virtqueue_memory rings[VIRTIO_VSOCK_QUEUES];
};

/*
 * Resets the device at (d->bus) and sets up its queues. tprof_virtio_vsock_go()
 * then starts the device.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_DEVICE or TPROF_ERR_DEVICE_PLATFORM: it cannot be used.
 */
int tprof_virtio_vsock_begin(struct tprof_virtio_vsock *d);
void tprof_virtio_vsock_go(struct tprof_virtio_vsock *d);

/* Marks the device as dead, because it is gone or has another driver. No
 * function touches it any more. Returns (d->dead). */
int tprof_virtio_vsock_die(struct tprof_virtio_vsock *d);

/* Asks the device to interrupt for each packet and event, or not to. */
void tprof_virtio_vsock_interrupt(struct tprof_virtio_vsock *d, bool on);

/* Is there a packet or an event to take? */
bool tprof_virtio_vsock_waiting(const struct tprof_virtio_vsock *d);

/* --- Out ------------------------------------------------------------------ */

/* Is there room for more than (reserved) packets? */
bool tprof_virtio_vsock_has_place(struct tprof_virtio_vsock *d,
                                  uint32_t reserved);

/* Sends a packet; there must be room for it. The header is copied. The
 * (header->size) bytes at (data) are not: the device reads them in place. */
void tprof_virtio_vsock_put(struct tprof_virtio_vsock *d,
                            const struct tprof_vsock_header *header,
                            const void *data);

/* Returns the bytes of data that the device may still read. It finishes with
 * the oldest first. */
uint32_t tprof_virtio_vsock_in_use(struct tprof_virtio_vsock *d);

/* --- In ------------------------------------------------------------------- */

/*
 * Takes the next packet and copies its header into (header). The packet's
 * (header->size) bytes of data are at tprof_virtio_vsock_data() until its
 * buffer is given back.
 *
 * Returns the buffer. Negative: there is no packet, or the device is dead.
 */
int tprof_virtio_vsock_take(struct tprof_virtio_vsock *d,
                            struct tprof_vsock_header *header);

static inline const uint8_t *
tprof_virtio_vsock_data(const struct tprof_virtio_vsock *d, uint32_t buffer)
{
    return d->buffers[buffer] + VIRTIO_VSOCK_HEADER_SIZE;
}

/* Lets the device fill (buffer) again. The next tprof_virtio_vsock_refill()
 * shows it the buffers that were given back. */
void tprof_virtio_vsock_give_back(struct tprof_virtio_vsock *d,
                                  uint32_t buffer);
void tprof_virtio_vsock_refill(struct tprof_virtio_vsock *d);

/* Takes all pending events. Returns true if an event says that all connections
 * are gone, as after a migration or a restored snapshot. In this case it has
 * also notified the device of all pending buffers. */
bool tprof_virtio_vsock_was_reset(struct tprof_virtio_vsock *d);

#endif
