/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side of virtqueue.c, and a bus of one device, written from the
 * specification (virtio 1.2, section 2.7), not from them.
 */
#include "fake_virtio.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtio/virtio.h"

#define NEXT     1u /* flags of a descriptor */
#define WRITABLE 2u

struct fake_virtio fake;

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

uint64_t fake_load(const uint8_t *at, size_t size)
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

    if (fake_load(avail + 2, 2) == q->seen)
        return false;
    b->id =
        (uint32_t)fake_load(avail + 4 + 2 * (size_t)(q->seen++ % q->size), 2);
    const uint8_t *desc = q->memory + 16 * (size_t)b->id;

    b->data = (uint8_t *)(uintptr_t)fake_load(desc, 8);
    b->size = (uint32_t)fake_load(desc + 8, 4);
    b->writable = fake_load(desc + 12, 2) & WRITABLE;
    b->more = NULL;
    b->more_size = 0;
    if (fake_load(desc + 12, 2) & NEXT) {
        desc = q->memory + 16 * (size_t)fake_load(desc + 14, 2);
        if (fake_load(desc + 12, 2) != (b->writable ? WRITABLE : 0))
            abort(); /* two parts at most, both of them read or both written */
        b->more = (uint8_t *)(uintptr_t)fake_load(desc, 8);
        b->more_size = (uint32_t)fake_load(desc + 8, 4);
    }
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

uint16_t fake_avail_flags(uint32_t queue)
{
    return (uint16_t)fake_load(avail_ring(&fake.queues[queue]), 2);
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
    bool refuses =
        fake.refuses || (fake.platform && !(fake.accepted & 1ull << 33));

    if (status == 0) {
        fake.resets++;
        fake.looks_left = fake.reset_looks;
        for (uint32_t i = 0; i < FAKE_QUEUES; i++) {
            fake.queues[i].size = 0;
            fake.queues[i].seen = 0;
        }
        fake_forget();
    }
    fake.status = refuses ? status & ~8u : status;
}

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg)
{
    (void)dev;
    fake.accesses++;
    switch (reg) {
    case VIRTIO_STATUS:
        if (fake.looks_left > 0) {
            fake.looks_left--;
            return 4; /* whatever it was */
        }
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
    fake.accesses++;
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

bool tprof_virtio_mmio_find(struct tprof_virtio_search *s, bool scan)
{
    (void)scan;
    fake.found++;
    s->dev->doorbells = 1000;
    s->dev->doorbell_step = 4;
    s->dev->doorbell_bytes = 4 * FAKE_QUEUES;
    s->dev->legacy = fake.legacy;
    return tprof_virtio_offer(s);
}

bool tprof_virtio_pci_find(struct tprof_virtio_search *s)
{
    (void)s;
    return false;
}

bool tprof_virtio_pci_exists(void)
{
    return false;
}
