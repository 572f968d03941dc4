/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel over virtio-serial: the port named "tprof.0" of a console device
 * with multiple ports (virtio 1.2, section 5.3).
 *
 * A device announces its ports only after it runs, but its queues must be set
 * up before it runs. So the driver starts the device twice: first with the
 * control queues alone, to learn the port's number, then with that port's
 * queues, too.
 *
 * The driver starts the device again after each host that leaves, for two
 * reasons. QEMU drops a buffer of which it has sent a part to that host, and
 * never gives its descriptor back. And the last host's bytes, in both
 * directions, must not mix with the next host's. A host that has just come must
 * therefore let the guest speak first: bytes that the host sends before may be
 * lost.
 *
 * A start accesses some 60 registers, and each access may be a VM exit. In
 * interrupts the start is therefore divided: each open() takes one step, of at
 * most 13 accesses, and TPROF_CHANNEL_SOON asks for the next call.
 *
 * The search waits for each device that it has found by itself until the device
 * has announced whether our port is there, at worst for some seconds. A device
 * at a given address is taken in any case, because its port may be plugged in
 * later. Another search with the same (struct tprof_console) begins anew, also
 * with a dead device.
 *
 * Its functions tprof_console_init(), _exit() and _restart() are declared in
 * transport.h.
 */
#ifndef TPROF_TRANSPORT_CONSOLE_H
#define TPROF_TRANSPORT_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"
#include "virtio/virtio.h"
#include "virtio/virtqueue.h"

/* QEMU gives a device ports 0 to 30 by default. */
#define TPROF_CONSOLE_PORTS   32u
#define TPROF_CONSOLE_NO_PORT TPROF_CONSOLE_PORTS

/*
 * Buffers for control messages and data from the device: as many as a queue can
 * have. A device drops a control message for which there is no buffer, and
 * announces all its ports at once when it is started. Data are never dropped.
 */
#define TPROF_CONSOLE_BUFFERS     TPROF_VIRTQUEUE_MAX
#define TPROF_CONSOLE_BUFFER_SIZE 64u

/* The device fills the queues with even numbers, and reads the others. */
enum {
    TPROF_CONSOLE_CONTROL_IN,
    TPROF_CONSOLE_CONTROL_OUT,
    TPROF_CONSOLE_DATA_IN, /* this queue and the next are the port's */
    TPROF_CONSOLE_DATA_OUT,
    TPROF_CONSOLE_QUEUES
};

/* Steps of the device's start. From _ENABLE on there is a step for each queue.
 */
enum {
    TPROF_CONSOLE_RUNS,
    TPROF_CONSOLE_RESET, /* the reset has begun, and has to end */
    TPROF_CONSOLE_ENABLE,
};

/* One of the device's queues. */
struct tprof_console_queue {
    struct tprof_virtqueue ring;
    uint32_t index;     /* its number, as the device counts */
    uintptr_t doorbell; /* address that notifies the device */
    /* Buffers that the device fills, one for each descriptor. NULL: the device
     * only reads this queue. */
    uint8_t (*buffers)[TPROF_CONSOLE_BUFFER_SIZE];
};

/* A console device. Allocated by the caller, physically contiguous, and used by
 * this driver alone from init on. */
struct tprof_console {
    int dead; /* the error that ended it; 0: alive */
    /* The kernel has given the device's address, so the device is taken even if
     * it does not have our port. */
    bool given;
    uint32_t step; /* TPROF_CONSOLE_RUNS, or the next step of the start */
    uint32_t soon; /* times to set TPROF_CHANNEL_SOON after it */

    /* Since the device was started: */
    bool named;     /* (port) has our name */
    bool told_open; /* the device knows that the guest listens */
    bool lost;      /* open() has not reported a host yet */
    bool restart;   /* a control message requires another start */

    /* A bit for each port: announced; asked for its name and state; a host is
     * attached */
    uint32_t ports, asked, attached;
    uint32_t port; /* our port, if known, or TPROF_CONSOLE_NO_PORT */

    /* The received buffer that is being copied out, if (receive_left) is not 0
     */
    uint32_t receive_id, receive_left;
    const uint8_t *receive_from;

    /* The device still reads the descriptors from (sent_first) to before
     * (sent_next), which wrap. (sent) is the sum of their sizes. */
    uint32_t sent_first, sent_next, sent_bytes;

    uint64_t physical; /* added to an address, gives the physical one */
    struct tprof_channel *channel;
    struct tprof_virtio device;
    struct tprof_console_queue queues[TPROF_CONSOLE_QUEUES];
    uint32_t sent_size[TPROF_VIRTQUEUE_MAX];

    /* Memory that the device reads and writes. No buffer crosses a page. */
    _Alignas(1024) uint64_t replies[TPROF_VIRTQUEUE_MAX];
    _Alignas(1024)
        uint8_t buffers[2][TPROF_CONSOLE_BUFFERS][TPROF_CONSOLE_BUFFER_SIZE];
    struct tprof_virtqueue_memory rings[TPROF_CONSOLE_QUEUES];
};

#endif
