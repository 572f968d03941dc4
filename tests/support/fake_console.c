/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side of virtqueue.c and transport_console.c, written from the
 * specification (virtio 1.2, sections 2.7 and 5.3), not from them.
 */
#include "fake_console.h"

#include <string.h>

#include "virtio/virtio.h"

struct fake_console fake;

/* --- The split ring, from the device's side --------------------------------
 */

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
    b->id = (uint32_t)load(avail + 4 + 2 * (q->seen++ % q->size), 2);
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

/* --- The console
 * -------------------------------------------------------------- */

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

/* --- The bus
 * ------------------------------------------------------------------ */

static uint32_t bus_status(const struct tprof_virtio *dev)
{
    (void)dev;
    return fake.status;
}

static void bus_set_status(const struct tprof_virtio *dev, uint32_t status)
{
    (void)dev;
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

static uint64_t bus_features(const struct tprof_virtio *dev)
{
    (void)dev;
    return fake.features;
}

static void bus_accept(const struct tprof_virtio *dev, uint64_t features)
{
    (void)dev;
    fake.accepted = features;
}

static uint32_t bus_select(const struct tprof_virtio *dev, uint32_t index)
{
    (void)dev;
    fake.selected = index;
    return index < FAKE_QUEUES ? fake.queues[index].max : 0;
}

static uintptr_t bus_enable(const struct tprof_virtio *dev, uint32_t size,
                            uint64_t address)
{
    struct fake_queue *q = &fake.queues[fake.selected];

    (void)dev;
    q->size = size;
    q->memory = (uint8_t *)(uintptr_t)address;
    return 1000 + fake.selected;
}

static void bus_notify(uintptr_t where, uint32_t index)
{
    if (where != 1000 + index)
        return;
    fake.queues[index].notified++;
    if (!fake.lazy)
        fake_act();
}

bool tprof_virtio_mmio_find(const struct tprof_virtio_search *s, bool scan)
{
    (void)scan;
    fake.found++;
    s->dev->status = bus_status;
    s->dev->set_status = bus_set_status;
    s->dev->features = bus_features;
    s->dev->accept = bus_accept;
    s->dev->select = bus_select;
    s->dev->enable = bus_enable;
    s->dev->notify = bus_notify;
    s->dev->legacy = fake.legacy;
    return tprof_virtio_available(s) && tprof_virtio_offer(s);
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
