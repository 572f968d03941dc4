/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bus offers the driver of a device: registers by name, a place to
 * notify each queue, and finding. Above that, a device's life on any bus. Bus
 * files know no device. Nothing here waits or allocates; all of it may run in
 * an interrupt, except finding, which belongs into tprof_init().
 */
#ifndef TPROF_VIRTIO_H
#define TPROF_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"

/* Registers that every bus has, if in different places. */
enum tprof_virtio_reg {
    VIRTIO_STATUS,
    VIRTIO_DEVICE_FEATURES_SEL, /* 0: bits 0-31 are there, 1: bits 32-63 */
    VIRTIO_DEVICE_FEATURES,
    VIRTIO_DRIVER_FEATURES_SEL,
    VIRTIO_DRIVER_FEATURES,
    VIRTIO_QUEUE_SEL, /* which queue the following mean */
    VIRTIO_QUEUE_SIZE_MAX,
    VIRTIO_QUEUE_SIZE,
    VIRTIO_QUEUE_DESC, /* addresses: low half, high half */
    VIRTIO_QUEUE_DESC_HIGH,
    VIRTIO_QUEUE_AVAIL,
    VIRTIO_QUEUE_AVAIL_HIGH,
    VIRTIO_QUEUE_USED,
    VIRTIO_QUEUE_USED_HIGH,
    VIRTIO_QUEUE_READY,
    VIRTIO_QUEUE_NOTIFY_OFF,
    VIRTIO_GUEST_PAGE_SIZE, /* these three: legacy only */
    VIRTIO_QUEUE_ALIGN,
    VIRTIO_QUEUE_PFN,
    VIRTIO_REGS
};

/* A register's offset, below 256, and its width: 1, 2 or 4 bytes. */
#define TPROF_VIRTIO_AT(offset, width) ((uint16_t)((width) << 8 | (offset)))

/* A device on its bus. */
struct tprof_virtio {
    const uint16_t *map;    /* TPROF_VIRTIO_AT(), by enum tprof_virtio_reg */
    uintptr_t registers;    /* their address */
    uintptr_t doorbells;    /* where to notify queue n: at this, */
    uint32_t doorbell_step; /* plus this times n's VIRTIO_QUEUE_NOTIFY_OFF */
    uint32_t function;      /* on PCI: its place; elsewhere left alone: 0 */
    bool legacy;            /* from before virtio 1.0 */
};

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg);
void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val);

/* Queue (index), whose place is (where), has something new. A VM exit. */
void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index);

/* --- Finding: virtio_find.c, and each bus its part ------------------------ */

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
bool tprof_virtio_mmio_find(const struct tprof_virtio_search *s, bool scan);
bool tprof_virtio_pci_find(const struct tprof_virtio_search *s);
bool tprof_virtio_pci_exists(void);

/* Offer (s->dev), unless it has a driver and nobody told us of it. Returns
 * whether it was taken; else it is reset, if it was offered. */
bool tprof_virtio_offer(const struct tprof_virtio_search *s);

/* --- A device's life: virtio.c -------------------------------------------- */

/*
 * Reset (dev) and agree on features: (needed), and virtio 1.x on a device that
 * is not legacy. What follows is queues, then tprof_virtio_go().
 * Returns TPROF_OK, or TPROF_ERR_DEVICE: it offers less, or refuses.
 */
int tprof_virtio_begin(const struct tprof_virtio *dev, uint64_t needed);

/* Selects queue (index) and returns its greatest size; 0: no such queue. */
uint32_t tprof_virtio_select(const struct tprof_virtio *dev, uint32_t index);

/*
 * Enable the selected queue, its memory at physical (address) laid out as
 * virtqueue.h says. Returns where to notify.
 */
uintptr_t tprof_virtio_enable(const struct tprof_virtio *dev, uint32_t size,
                              uint64_t address);

/* Queues are set up: (dev) may work. */
void tprof_virtio_go(const struct tprof_virtio *dev);

/* Is (dev) as tprof_virtio_go() left it? Not so when it failed or vanished. */
bool tprof_virtio_works(const struct tprof_virtio *dev);

/* Have (dev) forget all memory it was told of, and tell it that we failed. */
void tprof_virtio_give_up(const struct tprof_virtio *dev);

#endif
