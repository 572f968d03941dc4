/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel over virtio-serial: the port named "tprof.0" of a console device
 * with multiple ports (virtio 1.2, section 5.3).
 *
 * A device's ports are known only once it runs, and queues are set up before:
 * so the device is started twice, first with the control queues alone, to
 * learn the port's number, then with that port's queues too. It is started
 * again after each host that leaves. A host that has just come must therefore
 * let the guest speak first: what it sends before may be lost.
 *
 * The search waits, some seconds at worst, for each device that it has found by
 * itself to tell whether our port is there. A device at an address given is
 * taken in any case; its port may be plugged in later. Another search by the
 * same (struct tprof_console) begins anew, also with a dead device.
 *
 * The table is tprof_transport_console, declared in transport.h.
 */
#ifndef TPROF_TRANSPORT_CONSOLE_H
#define TPROF_TRANSPORT_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"
#include "virtio/virtio.h"
#include "virtio/virtqueue.h"

/* Ports 0 to 30 are all that QEMU gives a device by default. */
#define TPROF_CONSOLE_PORTS   32u
#define TPROF_CONSOLE_NO_PORT TPROF_CONSOLE_PORTS

/*
 * Buffers for what is received, control messages and data. A device drops a
 * control message that finds no buffer, and one that is started announces all
 * its ports at once: so there are as many as a queue takes. Data wait.
 */
#define TPROF_CONSOLE_BUFFERS     TPROF_VIRTQUEUE_MAX
#define TPROF_CONSOLE_BUFFER_SIZE 64u

/* What is received has an even number. */
enum {
    TPROF_CONSOLE_CONTROL_IN,
    TPROF_CONSOLE_CONTROL_OUT,
    TPROF_CONSOLE_DATA_IN, /* this one and the next: the port's own */
    TPROF_CONSOLE_DATA_OUT,
    TPROF_CONSOLE_QUEUES
};

/* One of the device's queues. */
struct tprof_console_queue {
    struct tprof_virtqueue ring;
    uint32_t index;     /* the device's number of it */
    uintptr_t doorbell; /* where to notify */
    /* What the device fills, one for each descriptor; NULL: it reads */
    uint8_t (*buffers)[TPROF_CONSOLE_BUFFER_SIZE];
};

/* Caller-allocated, physically contiguous, nobody else's from init on. */
struct tprof_console {
    /* First what is used most, where instructions reach it with one byte. */
    int dead;       /* the error that ended it; 0: alive */
    bool told;      /* where the device is: it is ours whatever it has */
    bool named;     /* (port) has said since start that it is ours */
    bool told_open; /* the device knows that we listen */
    bool lost;      /* open() has not said since start that a host is there */
    bool restart;   /* the device, for what a control message told */

    /* A bit per port: announced; asked for name and state; host attached */
    uint32_t ports, asked, attached;
    uint32_t port; /* ours, as far as we know, or TPROF_CONSOLE_NO_PORT */

    /* The received buffer that is being copied out, if (left) is not 0 */
    uint32_t receive_id, receive_left;
    const uint8_t *receive_from;

    /* Sent descriptors still in use, from (first) to before (next), wrapping,
     * and the sum of their sizes */
    uint32_t sent_first, sent_next, sent_bytes;

    uint64_t physical; /* what to add to an address for the device */
    struct tprof_virtio device;
    struct tprof_console_queue queues[TPROF_CONSOLE_QUEUES];
    uint32_t sent_size[TPROF_VIRTQUEUE_MAX];

    /* What the device reads and writes. No buffer crosses a page. */
    _Alignas(1024) uint64_t replies[TPROF_VIRTQUEUE_MAX];
    _Alignas(1024)
        uint8_t buffers[2][TPROF_CONSOLE_BUFFERS][TPROF_CONSOLE_BUFFER_SIZE];
    struct tprof_virtqueue_memory rings[TPROF_CONSOLE_QUEUES];
};

#endif
