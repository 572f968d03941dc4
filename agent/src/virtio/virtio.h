/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bus offers the driver of a device: status, features, queues,
 * notification. virtio_mmio.c and virtio_pci.c implement it and know no
 * device. Nothing here waits or allocates; all of it may run in an interrupt,
 * except finding, which belongs into tprof_init().
 */
#ifndef TPROF_VIRTIO_H
#define TPROF_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"

/*
 * A device on its bus. The bus stores its functions here one by one: a const
 * table of pointers would need relocation in an image that moves at load.
 */
struct tprof_virtio {
    uint32_t (*status)(const struct tprof_virtio *dev);
    void (*set_status)(const struct tprof_virtio *dev, uint32_t status);
    uint64_t (*features)(const struct tprof_virtio *dev); /* that it offers */
    void (*accept)(const struct tprof_virtio *dev, uint64_t features);

    /* Selects queue (index) and returns its greatest size; 0: no such queue */
    uint32_t (*select)(const struct tprof_virtio *dev, uint32_t index);
    /* Enables the selected queue, its memory at physical (address) laid out
     * as virtqueue.h says. Returns where to notify, for (notify). */
    uintptr_t (*enable)(const struct tprof_virtio *dev, uint32_t size,
                        uint64_t address);
    /* Queue (index), whose place is (where), has something new. A VM exit. */
    void (*notify)(uintptr_t where, uint32_t index);

    /* The bus's own */
    uintptr_t registers;    /* mmio: all; pci: the common configuration */
    uintptr_t doorbells;    /* pci: the notification area */
    uint32_t doorbell_step; /* pci: bytes for each notification offset */
    bool legacy;            /* mmio version 1 */
};

/* Looking for a device of one type. */
struct tprof_virtio_search {
    const struct tprof_device *where;
    uint32_t type;            /* VIRTIO_TYPE_* */
    struct tprof_virtio *dev; /* filled before each (take) */
    /* Is (dev) the one? If not, it is reset, whatever was begun with it. */
    bool (*take)(void *context);
    void *context;
};

/*
 * Offer every device of the wanted type to (take), until one is taken. One at
 * a given address is offered whatever its state; of the others those are left
 * alone that have a driver already.
 *
 * Command line and scan come before PCI; where there is a PCI bus nothing is
 * scanned, since the addresses may be those of some device's registers.
 * Returns whether one was taken.
 */
bool tprof_virtio_find(const struct tprof_virtio_search *s);

/* The parts of it; each bus tries its own. */
bool tprof_virtio_mmio_find(const struct tprof_virtio_search *s, bool scan);
bool tprof_virtio_pci_find(const struct tprof_virtio_search *s);
bool tprof_virtio_pci_exists(void);

/* May (s->dev) be offered? Not if it has a driver and nobody told us of it. */
bool tprof_virtio_available(const struct tprof_virtio_search *s);

/* Offer (s->dev) and, if it is not taken, reset it. Returns whether it was. */
bool tprof_virtio_offer(const struct tprof_virtio_search *s);

/*
 * Reset (dev) and agree on features: (needed), and virtio 1.x on a device that
 * is not legacy. What follows is queues, then tprof_virtio_go().
 * Returns TPROF_OK, or TPROF_ERR_DEVICE: it offers less, or refuses.
 */
int tprof_virtio_begin(const struct tprof_virtio *dev, uint64_t needed);

/* Queues are set up: (dev) may work. */
void tprof_virtio_go(const struct tprof_virtio *dev);

/* Is (dev) as tprof_virtio_go() left it? Not so when it failed or vanished. */
bool tprof_virtio_works(const struct tprof_virtio *dev);

/* Have (dev) forget all memory it was told of, and tell it that we failed. */
void tprof_virtio_give_up(const struct tprof_virtio *dev);

#endif
