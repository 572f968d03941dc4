/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's three split queues (virtio 1.2, section 2.7). Each descriptor
 * has its buffer for good, so a descriptor's number says which packet it is.
 */
#include "vsock_device.h"

#include <stdatomic.h>
#include <stddef.h>

#include "vsock_bus.h"

#define DEVICE_TYPE 19u

/* Virtio 1.2, sections 2.1 and 6 */
#define STATUS_ACKNOWLEDGE 0x01u
#define STATUS_DRIVER      0x02u
#define STATUS_DRIVER_OK   0x04u
#define STATUS_FEATURES_OK 0x08u
#define FEATURES_HIGH      1u /* VERSION_1, and nothing else */

#define DESC_WRITABLE      2u /* for the device */
#define AVAIL_NO_INTERRUPT 1u
#define USED_NO_NOTIFY     1u

enum { RECEIVE, SEND, EVENT, QUEUES };

#define SIZE      16u /* of each queue; a power of two */
#define SIZE_MASK (SIZE - 1)

/* Shared with the device. Indices count up and wrap. */
struct ring {
    _Alignas(16) struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags;
        uint16_t next;
    } desc[SIZE];
    struct {
        uint16_t flags;
        _Atomic uint16_t index; /* ours */
        uint16_t ids[SIZE];
    } avail;
    _Alignas(4) struct {
        _Atomic uint16_t flags;
        _Atomic uint16_t index; /* the device's */
        struct {
            uint32_t id;
            uint32_t length;
        } entries[SIZE];
    } used;
};

static struct queue {
    struct ring ring;
    uintptr_t doorbell;
    uint16_t reaped; /* of used.index */
    bool fresh;      /* the device has not been told */
} queues[QUEUES];

static struct bus_device device;
static struct vsock_packet received[SIZE], sending[SIZE];
static uint32_t events[SIZE];
static uint16_t free_packets[SIZE]; /* of (sending), a stack */
static unsigned free_count;

/* Descriptor (id), and with it its buffer, goes to the device. */
static void publish(struct queue *q, uint16_t id)
{
    uint16_t index =
        atomic_load_explicit(&q->ring.avail.index, memory_order_relaxed);

    q->ring.avail.ids[index & SIZE_MASK] = id;
    /* release: whoever sees the index sees descriptor and buffer */
    atomic_store_explicit(&q->ring.avail.index, (uint16_t)(index + 1),
                          memory_order_release);
    q->fresh = true;
}

/* A descriptor that comes back, and how much was written; -1: none. */
static int reap(struct queue *q, uint32_t *length)
{
    /* acquire: pairs with the device's release of what it has done */
    if (atomic_load_explicit(&q->ring.used.index, memory_order_acquire) ==
        q->reaped)
        return -1;
    unsigned slot = q->reaped++ & SIZE_MASK;

    *length = q->ring.used.entries[slot].length;
    return (int)(q->ring.used.entries[slot].id & SIZE_MASK);
}

void vsock_device_kick(void)
{
    /* seq_cst: a device that goes to sleep, and then looks at our indices for
     * a last time, sees what we published, or we see that it wants a call */
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t i = 0; i < QUEUES; i++) {
        struct queue *q = &queues[i];

        if (q->fresh &&
            !(atomic_load_explicit(&q->ring.used.flags, memory_order_relaxed) &
              USED_NO_NOTIFY))
            bus_notify(&device, q->doorbell, i);
        q->fresh = false;
    }
}

/* Set up queue (index): (size) bytes for each descriptor, from (buffers) on. */
static void queue_init(uint32_t index, void *buffers, uint32_t size)
{
    struct queue *q = &queues[index];

    for (uint16_t i = 0; i < SIZE; i++) {
        q->ring.desc[i].address = (uintptr_t)buffers + (uintptr_t)i * size;
        q->ring.desc[i].length = size;
        q->ring.desc[i].flags = index == SEND ? 0 : DESC_WRITABLE;
    }
    q->ring.avail.flags = AVAIL_NO_INTERRUPT;
    bus_write(&device, BUS_QUEUE_SEL, index);
    bus_write(&device, BUS_QUEUE_SIZE, SIZE);
    bus_write_address(&device, BUS_QUEUE_DESC, q->ring.desc);
    bus_write_address(&device, BUS_QUEUE_AVAIL, &q->ring.avail);
    bus_write_address(&device, BUS_QUEUE_USED, &q->ring.used);
    bus_write(&device, BUS_QUEUE_READY, 1);
    q->doorbell = bus_doorbell(&device);
}

/* Virtio 1.2, section 3.1.1. */
bool vsock_device_init(void)
{
    uint32_t agreed = STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK;

    if (!bus_find(&device, DEVICE_TYPE))
        return false;
    /* 1 to 3. Reset; we see it and know it. */
    bus_write(&device, BUS_STATUS, 0);
    bus_write(&device, BUS_STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER);
    /* 4 to 6. Features. */
    bus_write(&device, BUS_FEATURES_SEL, 0);
    bus_write(&device, BUS_FEATURES, 0);
    bus_write(&device, BUS_FEATURES_SEL, 1);
    bus_write(&device, BUS_FEATURES, FEATURES_HIGH);
    bus_write(&device, BUS_STATUS, agreed);
    if (bus_read(&device, BUS_STATUS) != agreed)
        return false;
    /* 7. Queues. */
    queue_init(RECEIVE, received, sizeof received[0]);
    queue_init(SEND, sending, sizeof sending[0]);
    queue_init(EVENT, events, sizeof events[0]);
    /* 8. Go. */
    bus_write(&device, BUS_STATUS, agreed | STATUS_DRIVER_OK);
    for (uint16_t i = 0; i < SIZE; i++) {
        publish(&queues[RECEIVE], i);
        publish(&queues[EVENT], i);
        free_packets[free_count++] = i;
    }
    vsock_device_kick();
    return true;
}

uint64_t vsock_device_cid(void)
{
    const volatile uint32_t *config = (volatile uint32_t *)device.config;

    return (uint64_t)config[1] << 32 | config[0];
}

bool vsock_device_was_reset(void)
{
    uint32_t length;
    bool was = false;

    /* there is one kind of event */
    for (int id; (id = reap(&queues[EVENT], &length)) >= 0; was = true)
        publish(&queues[EVENT], (uint16_t)id);
    return was;
}

struct vsock_packet *vsock_device_receive(void)
{
    uint32_t length;

    for (int id; (id = reap(&queues[RECEIVE], &length)) >= 0;) {
        struct vsock_packet *packet = &received[id];

        if (length >= sizeof packet->header &&
            packet->header.length <= length - sizeof packet->header)
            return packet;
        vsock_device_give(packet); /* a torn one is nobody's */
    }
    return NULL;
}

void vsock_device_give(struct vsock_packet *packet)
{
    publish(&queues[RECEIVE], (uint16_t)(packet - received));
}

struct vsock_packet *vsock_device_next(void)
{
    uint32_t length;

    for (int id; (id = reap(&queues[SEND], &length)) >= 0;)
        free_packets[free_count++] = (uint16_t)id;
    return free_count > 0 ? &sending[free_packets[free_count - 1]] : NULL;
}

void vsock_device_send(struct vsock_packet *packet)
{
    uint16_t id = (uint16_t)(packet - sending);

    free_count--; /* it was on top: vsock_device_next() */
    queues[SEND].ring.desc[id].length =
        (uint32_t)sizeof packet->header + packet->header.length;
    publish(&queues[SEND], id);
}
