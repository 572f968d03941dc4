/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio devices in memory: version 2, and QEMU's default, legacy version 1. */
#include <stddef.h>

#include "virtio/virtio.h"
#include "virtio/virtio_mmio_regs.h"
#include "virtio/virtqueue.h"

static uint32_t mmio_read(const struct tprof_virtio *dev, uint32_t reg)
{
    return *(volatile uint32_t *)(dev->registers + reg);
}

static void mmio_write(const struct tprof_virtio *dev, uint32_t reg,
                       uint32_t val)
{
    *(volatile uint32_t *)(dev->registers + reg) = val;
}

static void mmio_write64(const struct tprof_virtio *dev, uint32_t reg,
                         uint64_t val)
{
    mmio_write(dev, reg, (uint32_t)val);
    mmio_write(dev, reg + 4, (uint32_t)(val >> 32));
}

static uint32_t mmio_status(const struct tprof_virtio *dev)
{
    return mmio_read(dev, VIRTIO_MMIO_STATUS);
}

static void mmio_set_status(const struct tprof_virtio *dev, uint32_t status)
{
    mmio_write(dev, VIRTIO_MMIO_STATUS, status);
}

static uint64_t mmio_features(const struct tprof_virtio *dev)
{
    mmio_write(dev, VIRTIO_MMIO_DEVICE_FEATURES_SEL, 1);
    uint64_t high = mmio_read(dev, VIRTIO_MMIO_DEVICE_FEATURES);

    mmio_write(dev, VIRTIO_MMIO_DEVICE_FEATURES_SEL, 0);
    return high << 32 | mmio_read(dev, VIRTIO_MMIO_DEVICE_FEATURES);
}

static void mmio_accept(const struct tprof_virtio *dev, uint64_t features)
{
    mmio_write(dev, VIRTIO_MMIO_DRIVER_FEATURES_SEL, 1);
    mmio_write(dev, VIRTIO_MMIO_DRIVER_FEATURES, (uint32_t)(features >> 32));
    mmio_write(dev, VIRTIO_MMIO_DRIVER_FEATURES_SEL, 0);
    mmio_write(dev, VIRTIO_MMIO_DRIVER_FEATURES, (uint32_t)features);
    if (dev->legacy)
        mmio_write(dev, VIRTIO_MMIO_GUEST_PAGE_SIZE, TPROF_VIRTQUEUE_BYTES);
}

static uint32_t mmio_select(const struct tprof_virtio *dev, uint32_t index)
{
    mmio_write(dev, VIRTIO_MMIO_QUEUE_SEL, index);
    return mmio_read(dev, VIRTIO_MMIO_QUEUE_SIZE_MAX);
}

static uintptr_t mmio_enable(const struct tprof_virtio *dev, uint32_t size,
                             uint64_t address)
{
    mmio_write(dev, VIRTIO_MMIO_QUEUE_SIZE, size);
    if (dev->legacy) {
        /* It computes the rings' places by itself: a page and an alignment
         * smaller than the usual 4096 save 28 KiB for our four queues. */
        mmio_write(dev, VIRTIO_MMIO_QUEUE_ALIGN, TPROF_VIRTQUEUE_ALIGN);
        mmio_write(dev, VIRTIO_MMIO_QUEUE_PFN,
                   (uint32_t)(address / TPROF_VIRTQUEUE_BYTES));
    } else {
        mmio_write64(dev, VIRTIO_MMIO_QUEUE_DESC, address);
        mmio_write64(dev, VIRTIO_MMIO_QUEUE_AVAIL,
                     address + tprof_virtqueue_avail_offset(size));
        mmio_write64(dev, VIRTIO_MMIO_QUEUE_USED,
                     address + tprof_virtqueue_used_offset(size));
        mmio_write(dev, VIRTIO_MMIO_QUEUE_READY, 1);
    }
    return dev->registers + VIRTIO_MMIO_QUEUE_NOTIFY;
}

static void mmio_notify(uintptr_t where, uint32_t index)
{
    *(volatile uint32_t *)where = index;
}

/* Is there a device of the wanted type at (base)? Then offer it. */
static bool mmio_offer(const struct tprof_virtio_search *s, uint64_t base)
{
    struct tprof_virtio *dev = s->dev;

    dev->registers = (uintptr_t)base;
    if (mmio_read(dev, VIRTIO_MMIO_MAGIC) != VIRTIO_MMIO_MAGIC_VALUE ||
        mmio_read(dev, VIRTIO_MMIO_DEVICE_TYPE) != s->type)
        return false;
    uint32_t version = mmio_read(dev, VIRTIO_MMIO_VERSION);

    if (version != 1 && version != 2)
        return false;
    dev->legacy = version == 1;
    dev->status = mmio_status;
    dev->set_status = mmio_set_status;
    dev->features = mmio_features;
    dev->accept = mmio_accept;
    dev->select = mmio_select;
    dev->enable = mmio_enable;
    dev->notify = mmio_notify;
    return tprof_virtio_available(s) && tprof_virtio_offer(s);
}

/* The number at (text), 0x and hexadecimal as Linux and QEMU write it. */
static uint64_t parse_hex(const char *text)
{
    uint64_t val = 0;

    if (text[0] != '0' || text[1] != 'x')
        return 0;
    for (text += 2;; text++) {
        char c = *text;
        uint32_t digit = (uint32_t)(c >= 'a' ? c - 'a' + 10 : c - '0');

        if (digit > 15 || (c > '9' && c < 'a'))
            return val;
        val = val << 4 | digit;
    }
}

/* Past the next "virtio_mmio.device=SIZE@" in (text), or NULL. */
static const char *next_entry(const char *text)
{
    static const char key[] = "virtio_mmio.device=";
    uint32_t matched = 0;

    for (; *text != '\0'; text++) {
        if (key[matched] == '\0') {
            if (*text == '@')
                return text + 1;
        } else if (*text == key[matched]) {
            matched++;
        } else {
            matched = *text == key[0]; /* the only v in it is the first */
        }
    }
    return NULL;
}

bool tprof_virtio_mmio_find(const struct tprof_virtio_search *s, bool scan)
{
    const char *entry = s->where->command_line;

    if (s->where->address != 0)
        return mmio_offer(s, s->where->address);
    while (entry != NULL && (entry = next_entry(entry)) != NULL) {
        uint64_t base = parse_hex(entry);

        scan = false; /* the list is complete where there is one */
        if (base != 0 && mmio_offer(s, base))
            return true;
    }
    for (uint64_t base = VIRTIO_MMIO_MICROVM_START;
         scan && base < VIRTIO_MMIO_MICROVM_END;
         base += VIRTIO_MMIO_MICROVM_STEP) {
        if (mmio_offer(s, base))
            return true;
    }
    return false;
}
