/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/console_queues.h"

#include <stddef.h>

#include "virtio/virtio_console_regs.h"

int tprof_console_mark_dead(struct tprof_console *c)
{
    c->sent_bytes = 0; /* none of them is in use now */
    c->dead = TPROF_ERR_DEVICE;
    return c->dead;
}

int tprof_console_give_up(struct tprof_console *c)
{
    tprof_virtio_give_up(&c->device);
    return tprof_console_mark_dead(c);
}

void tprof_console_publish(struct tprof_console *c,
                           struct tprof_console_queue *q)
{
    if (tprof_virtqueue_publish(&q->ring))
        tprof_virtio_notify(&c->device, q->doorbell, q->index);
}

void tprof_console_add(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t id)
{
    tprof_virtqueue_add(&q->ring, id, (uintptr_t)q->buffers[id] + c->physical,
                        TPROF_CONSOLE_BUFFER_SIZE, true);
}

int tprof_console_reap(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t *length)
{
    int id = tprof_virtqueue_reap(&q->ring, length);

    return id == TPROF_ERR_DEVICE ? tprof_console_give_up(c) : id;
}

void tprof_console_reap_all(struct tprof_console *c,
                            struct tprof_console_queue *q)
{
    uint32_t unused;

    while (tprof_console_reap(c, q, &unused) >= 0)
        ;
}

bool tprof_console_enable(struct tprof_console *c, uint32_t which)
{
    struct tprof_console_queue *q = &c->queues[which];
    uint32_t size = TPROF_VIRTQUEUE_MAX;

    q->index = which + VIRTIO_CONSOLE_QUEUE_CONTROL_IN;
    if (which >= TPROF_CONSOLE_DATA_IN)
        q->index = which - TPROF_CONSOLE_DATA_IN +
                   (c->port == 0 ? 0 : 2 * c->port + 2);
    uint32_t max = tprof_virtio_select(&c->device, q->index);

    while (size > max)
        size /= 2;
    if (size == 0)
        return false;
    tprof_virtqueue_init(&q->ring, &c->rings[which], size);
    q->doorbell = tprof_virtio_enable(
        &c->device, size, (uintptr_t)&c->rings[which] + c->physical);
    if (q->doorbell == 0)
        return false;
    q->buffers = which % 2 ? NULL : c->buffers[which / 2];
    for (uint32_t id = 0; q->buffers && id < size; id++)
        tprof_console_add(c, q, id);
    return true;
}
