/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of a bus to the driver of a device: registers by name, a place
 * to notify each queue, and the search. Also the steps that every driver takes
 * with its device, on any bus. A file of a bus names no device. No function
 * waits or allocates. All functions but the search may run in an interrupt. The
 * search may run in tprof_init() only.
 */
#ifndef TPROF_VIRTIO_H
#define TPROF_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"

/* Registers that every bus has, at different offsets */
enum tprof_virtio_reg {
    VIRTIO_STATUS,
    VIRTIO_DEVICE_FEATURES_SEL, /* 0: selects bits 0-31, 1: bits 32-63 */
    VIRTIO_DEVICE_FEATURES,
    VIRTIO_DRIVER_FEATURES_SEL,
    VIRTIO_DRIVER_FEATURES,
    VIRTIO_QUEUE_SEL, /* the queue to which the next registers belong */
    VIRTIO_QUEUE_SIZE_MAX,
    VIRTIO_QUEUE_SIZE,
    VIRTIO_QUEUE_DESC, /* addresses: low half, then high half */
    VIRTIO_QUEUE_DESC_HIGH,
    VIRTIO_QUEUE_AVAIL,
    VIRTIO_QUEUE_AVAIL_HIGH,
    VIRTIO_QUEUE_USED,
    VIRTIO_QUEUE_USED_HIGH,
    VIRTIO_QUEUE_READY,
    VIRTIO_QUEUE_NOTIFY_OFF,
    VIRTIO_GUEST_PAGE_SIZE, /* this one and the next two: legacy only */
    VIRTIO_QUEUE_ALIGN,
    VIRTIO_QUEUE_PFN,
    VIRTIO_REGS
};

/* A register's offset, below 256, and its width: 1, 2 or 4 bytes. */
#define TPROF_VIRTIO_AT(offset, width) ((uint16_t)((width) << 8 | (offset)))

/* A device on its bus */
struct tprof_virtio {
    const uint16_t *map; /* TPROF_VIRTIO_AT(), by enum tprof_virtio_reg */
    uintptr_t registers; /* their address */
    uint64_t physical;   /* in memory: their physical address */
    /* A queue is notified at (doorbells) + (doorbell_step) times its
     * VIRTIO_QUEUE_NOTIFY_OFF. */
    uintptr_t doorbells;
    uint32_t doorbell_step;
    uint32_t doorbell_bytes; /* bytes of the device from (doorbells) on */
    uint32_t function;       /* its place on PCI; 0: it is on another bus */
    bool legacy;             /* from before virtio 1.0 */
    /* Clock ticks that a reset may take, set by the driver, and the time at
     * which the last reset began */
    uint64_t second, reset_time;
};

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg);
void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val);

/* Notifies the device of news in queue (index), whose doorbell is (where). A VM
 * exit. */
void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index);

/* --- Search: virtio_find.c, and a part for each bus ----------------------- */

/* A search for a device of one type */
struct tprof_virtio_search {
    const struct tprof_device *where;
    uint32_t type;            /* VIRTIO_TYPE_* */
    struct tprof_virtio *dev; /* filled in before each call of (take) */
    /* Called for each device (dev). Returns TPROF_OK to take it. After an error
     * the search resets (dev) and continues. */
    int (*take)(void *context);
    void *context;
    int why; /* result of the search if no device is taken */
};

/*
 * Offers every device of the wanted type to (take), until one is taken. A
 * device at a given address is offered in any state. Other devices are offered
 * unless they have a driver already.
 *
 * Command line and scan come before PCI. If there is a PCI bus, no addresses
 * are scanned, because they may be another device's registers.
 *
 * Returns TPROF_OK: a device was taken;
 * TPROF_ERR_DEVICE: there is none;
 * TPROF_ERR_DEVICE_TAKEN: there is one, and it has a driver;
 * TPROF_ERR_DEVICE_UNMAPPED: there is one whose registers are not mapped;
 * or the result of (take).
 */
int tprof_virtio_find(struct tprof_virtio_search *s);
bool tprof_virtio_mmio_find(struct tprof_virtio_search *s, bool scan);
bool tprof_virtio_pci_find(struct tprof_virtio_search *s);
bool tprof_virtio_pci_exists(void);

/* For the buses: offers (s->dev), unless it has a driver and no address was
 * given. Returns whether it was taken. A device that was offered and not taken
 * is reset. */
bool tprof_virtio_offer(struct tprof_virtio_search *s);

/* --- A device's life: virtio.c -------------------------------------------- */

/* Begins a reset of (dev), which may take hardware some milliseconds. */
void tprof_virtio_reset(struct tprof_virtio *dev);

/*
 * Is the reset of (dev) finished?
 *
 * Returns 1: (dev) no longer uses memory;
 * 0: not yet;
 * TPROF_ERR_DEVICE: it takes too long.
 */
int tprof_virtio_is_reset(const struct tprof_virtio *dev);

/*
 * Agrees on features with (dev), which is reset: (needed), and virtio 1.x
 * unless the device is legacy. Next the driver sets up the queues, then calls
 * tprof_virtio_go().
 *
 * Returns TPROF_OK;
 * TPROF_ERR_DEVICE: (dev) lacks a feature, or refuses;
 * TPROF_ERR_DEVICE_PLATFORM: (dev) refuses drivers without ACCESS_PLATFORM.
 */
int tprof_virtio_agree(const struct tprof_virtio *dev, uint64_t needed);

/* Is (dev) still in the state that tprof_virtio_agree() left? */
bool tprof_virtio_has_agreed(const struct tprof_virtio *dev);

/* Resets (dev), waits until the reset is finished, and agrees. In tprof_init()
 * only. Returns the result of tprof_virtio_agree(), or TPROF_ERR_DEVICE. */
int tprof_virtio_begin(struct tprof_virtio *dev, uint64_t needed);

/* Selects queue (index). Returns its greatest size; 0 if there is no such
 * queue. */
uint32_t tprof_virtio_select(const struct tprof_virtio *dev, uint32_t index);

/*
 * Enables the selected queue with (size) descriptors. Its memory, at physical
 * (address), is laid out as in virtqueue.h. Returns the queue's doorbell; 0 if
 * (dev) names one outside its registers.
 */
uintptr_t tprof_virtio_enable(const struct tprof_virtio *dev, uint32_t size,
                              uint64_t address);

/* Lets (dev) work, after all queues are set up. */
void tprof_virtio_go(const struct tprof_virtio *dev);

/* Does (dev) still work? False if it failed, vanished, or was reset. */
bool tprof_virtio_works(const struct tprof_virtio *dev);

/* Resets (dev) and waits until the reset is finished, at most a second. (dev)
 * then uses no memory, and may get another driver. Not in an interrupt. */
void tprof_virtio_let_go(struct tprof_virtio *dev);

/* Resets (dev), so that it forgets all memory, and then sets the status bit for
 * a driver that failed. */
void tprof_virtio_give_up(const struct tprof_virtio *dev);

#endif
