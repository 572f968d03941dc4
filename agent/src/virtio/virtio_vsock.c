/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of a virtio socket device: packets out, packets and events in */
#include "virtio/virtio_vsock.h"

#include "arch/arch.h"

int tprof_virtio_vsock_die(struct tprof_virtio_vsock *d)
{
    d->bytes = 0; /* none of them is in use now */
    d->given_back = false;
    d->dead = TPROF_ERR_DEVICE;
    return d->dead;
}

/* Stops using the device, because it has written a false value or lacks a
 * necessary ability. */
static int give_up(struct tprof_virtio_vsock *d)
{
    tprof_virtio_give_up(&d->bus);
    return tprof_virtio_vsock_die(d);
}

/* --- Queues --------------------------------------------------------------- */

/* Shows the device the buffers that were added to queue (which). */
static void publish_queue(struct tprof_virtio_vsock *d, uint32_t which)
{
    struct tprof_vsock_queue *q = &d->queues[which];

    if (tprof_virtqueue_publish(&q->ring))
        tprof_virtio_notify(&d->bus, q->doorbell, which);
}

/* Takes back the next descriptor of queue (which) with which the device is
 * done. Negative: there is none, or the device is dead. */
static int reap_buffer(struct tprof_virtio_vsock *d, uint32_t which,
                       uint32_t *length)
{
    if (d->dead)
        return TPROF_ERR_DEVICE;
    int id = tprof_virtqueue_reap(&d->queues[which].ring, length);

    return id == TPROF_ERR_DEVICE ? give_up(d) : id;
}

/* Gives event (id) to the device, which will fill it. */
static void add_event(struct tprof_virtio_vsock *d, uint32_t id)
{
    tprof_virtqueue_add(&d->queues[VIRTIO_VSOCK_QUEUE_EVENT].ring, id,
                        (uintptr_t)&d->events[id] + d->physical,
                        sizeof d->events[id], true);
}

/* Sets up queue (which) with the greatest size that the device allows, at most
 * (size), a power of two. Returns that size. */
static uint32_t enable_queue(struct tprof_virtio_vsock *d, uint32_t which,
                             uint32_t size)
{
    struct tprof_vsock_queue *q = &d->queues[which];
    uint32_t most = tprof_virtio_select(&d->bus, which);

    while (size > most)
        size /= 2;
    if (size == 0)
        return 0;
    tprof_virtqueue_init(&q->ring, &d->rings[which], size);
    q->doorbell = tprof_virtio_enable(
        &d->bus, size, (uintptr_t)&d->rings[which] + d->physical);
    return q->doorbell ? size : 0;
}

int tprof_virtio_vsock_begin(struct tprof_virtio_vsock *d)
{
    int error = tprof_virtio_begin(&d->bus, 0);

    if (error != TPROF_OK)
        return error;
    d->first = d->next = d->bytes = 0;
    uint32_t buffers =
        enable_queue(d, VIRTIO_VSOCK_QUEUE_RX, 2 * TPROF_VSOCK_BUFFERS) / 2;
    uint32_t packets =
        enable_queue(d, VIRTIO_VSOCK_QUEUE_TX, 2 * TPROF_VSOCK_PACKETS) / 2;
    uint32_t events =
        enable_queue(d, VIRTIO_VSOCK_QUEUE_EVENT, TPROF_VSOCK_EVENTS);

    for (uint32_t id = 0; id < buffers; id++)
        tprof_virtio_vsock_give_back(d, id);
    for (uint32_t id = 0; id < events; id++)
        add_event(d, id);
    return buffers > 0 && packets >= TPROF_VSOCK_PACKETS_MIN && events > 0
               ? TPROF_OK
               : TPROF_ERR_DEVICE;
}

void tprof_virtio_vsock_go(struct tprof_virtio_vsock *d)
{
    tprof_virtio_go(&d->bus);
    publish_queue(d, VIRTIO_VSOCK_QUEUE_EVENT);
    tprof_virtio_vsock_refill(d);
}

void tprof_virtio_vsock_interrupt(struct tprof_virtio_vsock *d, bool on)
{
    tprof_virtqueue_interrupt(&d->queues[VIRTIO_VSOCK_QUEUE_RX].ring, on);
    tprof_virtqueue_interrupt(&d->queues[VIRTIO_VSOCK_QUEUE_EVENT].ring, on);
}

bool tprof_virtio_vsock_waiting(const struct tprof_virtio_vsock *d)
{
    return tprof_virtqueue_waiting(&d->queues[VIRTIO_VSOCK_QUEUE_RX].ring) ||
           tprof_virtqueue_waiting(&d->queues[VIRTIO_VSOCK_QUEUE_EVENT].ring);
}

/* --- Out ------------------------------------------------------------------ */

/* Returns the packets that the queue can take: a power of two. */
static uint32_t packet_places(const struct tprof_virtio_vsock *d)
{
    return d->queues[VIRTIO_VSOCK_QUEUE_TX].ring.size / 2;
}

/* Counts the packets that the device has read, the oldest first. */
static void reap_packets(struct tprof_virtio_vsock *d)
{
    const struct tprof_virtqueue *ring = &d->queues[VIRTIO_VSOCK_QUEUE_TX].ring;
    uint32_t unused;

    /* the device gets no new buffers here, so the loop ends */
    while (reap_buffer(d, VIRTIO_VSOCK_QUEUE_TX, &unused) >= 0)
        ;
    while (!d->dead && d->first != d->next) {
        uint32_t place = d->first & (packet_places(d) - 1);

        if (tprof_virtqueue_busy(ring, 2 * place))
            break;
        d->bytes -= d->size[place];
        d->first++;
    }
}

bool tprof_virtio_vsock_has_place(struct tprof_virtio_vsock *d,
                                  uint32_t reserved)
{
    reap_packets(d);
    return !d->dead && d->next - d->first + reserved < packet_places(d);
}

void tprof_virtio_vsock_put(struct tprof_virtio_vsock *d,
                            const struct tprof_vsock_header *header,
                            const void *data)
{
    struct tprof_virtqueue *ring = &d->queues[VIRTIO_VSOCK_QUEUE_TX].ring;
    uint32_t place = d->next++ & (packet_places(d) - 1);
    const struct tprof_virtqueue_part part[2] = {
        {(uintptr_t)&d->packets[place] + d->physical, VIRTIO_VSOCK_HEADER_SIZE},
        {(uintptr_t)data + d->physical, header->size},
    };

    d->packets[place].header = *header;
    d->size[place] = header->size;
    d->bytes += header->size;
    if (header->size > 0)
        tprof_virtqueue_add_pair(ring, 2 * place, part, false);
    else
        tprof_virtqueue_add(ring, 2 * place, part[0].address, part[0].length,
                            false);
    publish_queue(d, VIRTIO_VSOCK_QUEUE_TX);
}

uint32_t tprof_virtio_vsock_in_use(struct tprof_virtio_vsock *d)
{
    if (d->bytes > 0) /* so the device is alive */
        reap_packets(d);
    return d->bytes;
}

/* --- In ------------------------------------------------------------------- */

int tprof_virtio_vsock_take(struct tprof_virtio_vsock *d,
                            struct tprof_vsock_header *header)
{
    uint32_t length;
    int id = reap_buffer(d, VIRTIO_VSOCK_QUEUE_RX, &length);

    if (id < 0)
        return id;
    id /= 2;
    /* a copy, because the device may change the header meanwhile */
    tprof_arch_copy(header, d->buffers[id], VIRTIO_VSOCK_HEADER_SIZE);
    if (length < VIRTIO_VSOCK_HEADER_SIZE || length > TPROF_VSOCK_BUFFER_SIZE ||
        header->size > length - VIRTIO_VSOCK_HEADER_SIZE)
        return give_up(d);
    return id;
}

void tprof_virtio_vsock_give_back(struct tprof_virtio_vsock *d, uint32_t buffer)
{
    uint64_t address = (uintptr_t)d->buffers[buffer] + d->physical;
    const struct tprof_virtqueue_part part[2] = {
        {address, VIRTIO_VSOCK_HEADER_SIZE},
        {address + VIRTIO_VSOCK_HEADER_SIZE,
         TPROF_VSOCK_BUFFER_SIZE - VIRTIO_VSOCK_HEADER_SIZE},
    };

    tprof_virtqueue_add_pair(&d->queues[VIRTIO_VSOCK_QUEUE_RX].ring, 2 * buffer,
                             part, true);
    d->given_back = true;
}

void tprof_virtio_vsock_refill(struct tprof_virtio_vsock *d)
{
    if (!d->given_back)
        return;
    d->given_back = false;
    publish_queue(d, VIRTIO_VSOCK_QUEUE_RX);
}

bool tprof_virtio_vsock_was_reset(struct tprof_virtio_vsock *d)
{
    bool reset = false;
    uint32_t count = 0;
    uint32_t length;
    int id;

    while (count < TPROF_VSOCK_EVENTS &&
           (id = reap_buffer(d, VIRTIO_VSOCK_QUEUE_EVENT, &length)) >= 0) {
        uint32_t event = *(const volatile uint32_t *)&d->events[id];

        if (length != VIRTIO_VSOCK_EVENT_SIZE) {
            give_up(d);
            return false;
        }
        reset |= event == VIRTIO_VSOCK_EVENT_TRANSPORT_RESET;
        add_event(d, (uint32_t)id);
        count++;
    }
    if (count > 0 && !d->dead)
        publish_queue(d, VIRTIO_VSOCK_QUEUE_EVENT);
    /* after a reset, notify the queues again: the device may have been saved
     * without an earlier notification */
    for (uint32_t i = 0; reset && !d->dead && i < VIRTIO_VSOCK_QUEUE_EVENT; i++)
        tprof_virtio_notify(&d->bus, d->queues[i].doorbell, i);
    return reset;
}
