/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side of virtqueue.c and transport_console.c, written from the
 * specification (virtio 1.2, sections 2.7 and 5.3), not from them.
 */
#include "fake_console.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtio/virtio.h"

struct fake_console fake;

/* --- The split ring, from the device's side ------------------------------- */

static uint8_t *avail_ring(const struct fake_queue *q)
{
    return q->memory + 16 * (size_t)q->size;
}

static uint8_t *used_ring(const struct fake_queue *q)
{
    size_t end = 16 * (size_t)q->size + 6 + 2 * (size_t)q->size;

    return q->memory + (end + 63) / 64 * 64;
}

static uint64_t load(const uint8_t *at, size_t size)
{
    uint64_t val = 0;

    memcpy(&val, at, size);
    return val;
}

bool fake_pop(uint32_t queue, struct fake_buffer *b)
{
    struct fake_queue *q = &fake.queues[queue];

    if (q->size == 0)
        return false;
    const uint8_t *avail = avail_ring(q);

    if (load(avail + 2, 2) == q->seen)
        return false;
    b->id = (uint32_t)load(avail + 4 + 2 * (size_t)(q->seen++ % q->size), 2);
    const uint8_t *desc = q->memory + 16 * (size_t)b->id;

    b->data = (uint8_t *)(uintptr_t)load(desc, 8);
    b->size = (uint32_t)load(desc + 8, 4);
    b->writable = load(desc + 12, 2) == 2;
    return true;
}

uint16_t *fake_pushed(uint32_t queue)
{
    return (void *)(used_ring(&fake.queues[queue]) + 2);
}

uint16_t *fake_used_flags(uint32_t queue)
{
    return (void *)used_ring(&fake.queues[queue]);
}

void fake_push(uint32_t queue, uint32_t id, uint32_t length)
{
    struct fake_queue *q = &fake.queues[queue];
    uint16_t *pushed = fake_pushed(queue);
    uint8_t *entry = used_ring(q) + 4 + 8 * (size_t)(*pushed % q->size);

    memcpy(entry, &id, 4);
    memcpy(entry + 4, &length, 4);
    ++*pushed;
}

/* --- The console ---------------------------------------------------------- */

uint32_t fake_in(uint32_t port)
{
    return port == 0 ? 0 : 2 * port + 2;
}

uint32_t fake_out(uint32_t port)
{
    return fake_in(port) + 1;
}

bool fake_control(uint32_t port, uint16_t event, uint16_t value,
                  const char *name)
{
    struct fake_buffer b;
    uint8_t message[128];
    uint32_t length = 8;

    if (!fake_pop(FAKE_CONTROL_IN, &b))
        return false;
    memcpy(message, &port, 4);
    memcpy(message + 4, &event, 2);
    memcpy(message + 6, &value, 2);
    if (name) {
        length += (uint32_t)strlen(name) + 1;
        memcpy(message + 8, name, length - 8);
    }
    memcpy(b.data, message, length < b.size ? length : b.size);
    fake_push(FAKE_CONTROL_IN, b.id, length); /* QEMU counts what it cut off */
    return true;
}

void fake_host(uint32_t port, bool there)
{
    fake.ports[port].host = there;
    fake_control(port, 6, there, NULL);
}

static void answer(uint32_t port, uint16_t event, uint16_t value)
{
    if (event == 0) { /* device ready */
        for (uint32_t i = 0; i < FAKE_PORTS; i++) {
            if (fake.ports[i].name)
                fake_control(i, 1, 1, NULL);
        }
    } else if (port < FAKE_PORTS && fake.ports[port].name) {
        if (event == 3) { /* port ready */
            if (!fake.mute[port])
                fake_control(port, 7, 1, fake.ports[port].name);
            if (fake.ports[port].host)
                fake_control(port, 6, 1, NULL);
        } else if (event == 6) {
            fake.ports[port].guest = value != 0;
        }
    }
}

void fake_act(void)
{
    struct fake_buffer b;

    while ((fake.status & 0x87) == 7 && fake_pop(FAKE_CONTROL_OUT, &b)) {
        answer((uint32_t)load(b.data, 4), (uint16_t)load(b.data + 4, 2),
               (uint16_t)load(b.data + 6, 2));
        fake_push(FAKE_CONTROL_OUT, b.id, 0);
    }
}

bool fake_receive(uint32_t port, const void *data, uint32_t size)
{
    struct fake_buffer b;

    if (!fake_pop(fake_in(port), &b) || !b.writable || size > b.size)
        return false;
    memcpy(b.data, data, size);
    fake_push(fake_in(port), b.id, size);
    return true;
}

/* --- A thread of its own -------------------------------------------------- */

static pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t runner;
static atomic_bool running;

static void *run(void *unused)
{
    while (running) {
        pthread_mutex_lock(&big_lock);
        fake_act();
        pthread_mutex_unlock(&big_lock);
        sched_yield();
    }
    return unused;
}

void fake_run(void)
{
    running = true;
    pthread_create(&runner, NULL, run, NULL);
}

void fake_stop(void)
{
    running = false;
    pthread_join(runner, NULL);
}

/* --- The bus -------------------------------------------------------------- */

static void set_status(uint32_t status)
{
    if (status == 0) {
        fake.resets++;
        for (uint32_t i = 0; i < FAKE_QUEUES; i++) {
            fake.queues[i].size = 0;
            fake.queues[i].seen = 0;
        }
        for (uint32_t i = 0; i < FAKE_PORTS; i++)
            fake.ports[i].guest = false;
    }
    fake.status = fake.refuses ? status & ~8u : status;
}

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg)
{
    (void)dev;
    switch (reg) {
    case VIRTIO_STATUS:
        return fake.status;
    case VIRTIO_DEVICE_FEATURES:
        return (uint32_t)(fake.features >> (fake.feature_half ? 32 : 0));
    case VIRTIO_QUEUE_SIZE_MAX:
        return fake.selected < FAKE_QUEUES ? fake.queues[fake.selected].max : 0;
    case VIRTIO_QUEUE_NOTIFY_OFF:
        return fake.selected;
    default:
        abort();
    }
}

static void write_register(enum tprof_virtio_reg reg, uint32_t val)
{
    struct fake_queue *q = &fake.queues[fake.selected % FAKE_QUEUES];

    switch (reg) {
    case VIRTIO_STATUS:
        set_status(val);
        break;
    case VIRTIO_DEVICE_FEATURES_SEL:
    case VIRTIO_DRIVER_FEATURES_SEL:
        fake.feature_half = val;
        break;
    case VIRTIO_DRIVER_FEATURES:
        fake.accepted &= fake.feature_half ? UINT32_MAX : ~(uint64_t)UINT32_MAX;
        fake.accepted |= (uint64_t)val << (fake.feature_half ? 32 : 0);
        break;
    case VIRTIO_QUEUE_SEL:
        fake.selected = val;
        break;
    case VIRTIO_QUEUE_SIZE:
        q->size = val;
        break;
    case VIRTIO_QUEUE_DESC:
        q->address = val;
        break;
    case VIRTIO_QUEUE_DESC_HIGH:
        q->address |= (uint64_t)val << 32;
        break;
    case VIRTIO_QUEUE_PFN:
        /* our own addresses are longer than a legacy device can be told */
        q->address = (uint64_t)val << 10 | ((uintptr_t)&fake >> 42 << 42);
        break;
    default: /* where the other rings are: as in virtqueue.h, or ignored */
        break;
    }
    q->memory = (uint8_t *)(uintptr_t)q->address;
}

void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val)
{
    (void)dev;
    pthread_mutex_lock(&big_lock);
    write_register(reg, val);
    pthread_mutex_unlock(&big_lock);
}

void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index)
{
    (void)dev;
    if (where != 1000 + 4 * index)
        return;
    fake.queues[index].notified++;
    if (!fake.lazy)
        fake_act();
}

bool tprof_virtio_mmio_find(const struct tprof_virtio_search *s, bool scan)
{
    (void)scan;
    fake.found++;
    s->dev->doorbells = 1000;
    s->dev->doorbell_step = 4;
    s->dev->legacy = fake.legacy;
    return tprof_virtio_offer(s);
}

bool tprof_virtio_pci_find(const struct tprof_virtio_search *s)
{
    (void)s;
    return false;
}

bool tprof_virtio_pci_exists(void)
{
    return false;
}
