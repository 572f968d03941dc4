/* SPDX-License-Identifier: BSD-2-Clause */
/* A split virtqueue: its memory, and the ordering of its indices */
#include "virtio/virtqueue.h"

#include <stdatomic.h>
#include <stddef.h>

#include "tprof/tprof.h"

#define DESC_NEXT          1u /* desc.flags: the buffer continues */
#define DESC_WRITABLE      2u /* desc.flags: for the device to write */
#define AVAIL_NO_INTERRUPT 1u /* avail.flags: to the device */
#define USED_NO_NOTIFY     1u /* used.flags: from it */

struct vring_desc {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

struct vring_avail {
    uint16_t flags;
    _Atomic uint16_t added;
    uint16_t ids[];
};

/* Makes each access atomic, because a device may change each field at any time.
 * A hostile device changes even published fields. So every field is read
 * once. */
struct vring_used {
    _Atomic uint16_t flags;
    _Atomic uint16_t done;
    struct {
        _Atomic uint32_t id;
        _Atomic uint32_t length;
    } entries[];
};

_Static_assert(sizeof(struct vring_desc) == 16, "avail ring's offset");
_Static_assert(offsetof(struct vring_used, entries) == 4, "packed by nature");

static struct vring_desc *ring_desc(const struct tprof_virtqueue *q)
{
    return (void *)q->memory;
}

static struct vring_avail *ring_avail(const struct tprof_virtqueue *q)
{
    return (void *)(q->memory + tprof_virtqueue_avail_offset(q->size));
}

static struct vring_used *ring_used(const struct tprof_virtqueue *q)
{
    return (void *)(q->memory + tprof_virtqueue_used_offset(q->size));
}

void tprof_virtqueue_init(struct tprof_virtqueue *q,
                          struct tprof_virtqueue_memory *memory, uint32_t size)
{
    q->memory = memory->bytes;
    q->size = size;
    q->in_flight = 0;
    q->added = 0;
    q->reaped = 0;

    /* all fields that are read before the driver writes them */
    ring_avail(q)->flags = AVAIL_NO_INTERRUPT;
    atomic_store_explicit(&ring_avail(q)->added, 0, memory_order_relaxed);
    atomic_store_explicit(&ring_used(q)->flags, 0, memory_order_relaxed);
    atomic_store_explicit(&ring_used(q)->done, 0, memory_order_relaxed);
}

void tprof_virtqueue_add(struct tprof_virtqueue *q, uint32_t id,
                         uint64_t address, uint32_t length, bool writable)
{
    struct vring_desc *desc = &ring_desc(q)[id];

    desc->address = address;
    desc->length = length;
    desc->flags = writable ? DESC_WRITABLE : 0;
    ring_avail(q)->ids[q->added++ & (q->size - 1)] = (uint16_t)id;
    q->in_flight |= 1u << id;
}

void tprof_virtqueue_add_pair(struct tprof_virtqueue *q, uint32_t id,
                              const struct tprof_virtqueue_part part[2],
                              bool writable)
{
    struct vring_desc *desc = &ring_desc(q)[id];

    tprof_virtqueue_add(q, id, part[0].address, part[0].length, writable);
    desc[1].address = part[1].address;
    desc[1].length = part[1].length;
    desc[1].flags = desc[0].flags;
    desc[0].flags |= DESC_NEXT;
    desc[0].next = (uint16_t)(id + 1);
}

bool tprof_virtqueue_publish(struct tprof_virtqueue *q)
{
    /* release: a device that reads the count also reads descriptors and ids */
    atomic_store_explicit(&ring_avail(q)->added, q->added,
                          memory_order_release);
    /* The store above and the load below must keep their order. Then the device
     * sees the new count before it sleeps, or its flag says that it sleeps. */
    atomic_thread_fence(memory_order_seq_cst);
    return !(atomic_load_explicit(&ring_used(q)->flags, memory_order_relaxed) &
             USED_NO_NOTIFY);
}

void tprof_virtqueue_interrupt(struct tprof_virtqueue *q, bool on)
{
    *(volatile uint16_t *)&ring_avail(q)->flags =
        (uint16_t)(on ? 0 : AVAIL_NO_INTERRUPT);
    /* The store above and the caller's next look at the queue must keep their
     * order. Then the device sees the flag, or the caller sees the device's
     * work. */
    atomic_thread_fence(memory_order_seq_cst);
}

bool tprof_virtqueue_waiting(const struct tprof_virtqueue *q)
{
    return atomic_load_explicit(&ring_used(q)->done, memory_order_relaxed) !=
           q->reaped;
}

int tprof_virtqueue_reap(struct tprof_virtqueue *q, uint32_t *length)
{
    struct vring_used *used = ring_used(q);
    /* acquire: entry and buffer were written before the count */
    uint16_t done = atomic_load_explicit(&used->done, memory_order_acquire);
    uint32_t slot = q->reaped & (q->size - 1);

    if (done == q->reaped)
        return TPROF_VIRTQUEUE_NONE;
    if ((uint16_t)(done - q->reaped) > (uint16_t)(q->added - q->reaped))
        return TPROF_ERR_DEVICE;
    uint32_t id =
        atomic_load_explicit(&used->entries[slot].id, memory_order_relaxed);

    if (id >= q->size || !tprof_virtqueue_busy(q, id))
        return TPROF_ERR_DEVICE;
    *length =
        atomic_load_explicit(&used->entries[slot].length, memory_order_relaxed);
    q->reaped++;
    q->in_flight &= ~(1u << id);
    return (int)id;
}
