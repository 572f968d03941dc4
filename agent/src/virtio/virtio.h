/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bus offers the driver of a device: registers by name, a place to
 * notify each queue, and the search. Above that: what every driver does with
 * its device, on any bus. Files of a bus know no device. No function waits or
 * allocates. All may run in an interrupt, except the search, which belongs into
 * tprof_init().
 */
#ifndef TPROF_VIRTIO_H
#define TPROF_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"

/* Registers that every bus has, each bus in other places. */
enum tprof_virtio_reg {
    VIRTIO_STATUS,
    VIRTIO_DEVICE_FEATURES_SEL, /* 0: bits 0-31 are there, 1: bits 32-63 */
    VIRTIO_DEVICE_FEATURES,
    VIRTIO_DRIVER_FEATURES_SEL,
    VIRTIO_DRIVER_FEATURES,
    VIRTIO_QUEUE_SEL, /* the queue that the next registers are of */
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
    VIRTIO_GUEST_PAGE_SIZE, /* this and the next two: legacy only */
    VIRTIO_QUEUE_ALIGN,
    VIRTIO_QUEUE_PFN,
    VIRTIO_REGS
};

/* A register's offset, below 256, and its width: 1, 2 or 4 bytes. */
#define TPROF_VIRTIO_AT(offset, width) ((uint16_t)((width) << 8 | (offset)))

/* A device on its bus. */
struct tprof_virtio {
    const uint16_t *map; /* TPROF_VIRTIO_AT(), by enum tprof_virtio_reg */
    uintptr_t registers; /* their address */
    uint64_t physical;   /* in memory: their physical address */
    /* A queue is notified at (doorbells) + (doorbell_step) times its
     * VIRTIO_QUEUE_NOTIFY_OFF. */
    uintptr_t doorbells;
    uint32_t doorbell_step;
    uint32_t doorbell_bytes; /* that belong to the device from there on */
    uint32_t function;       /* its place on PCI; 0: it is on another bus */
    bool legacy;             /* from before virtio 1.0 */
    /* Clock ticks that a reset may take, which the driver sets, and the time at
     * which the last one began */
    uint64_t second, reset_time;
};

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg);
void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val);

/* Tells the device that queue (index), whose doorbell is (where), has something
 * new. A VM exit. */
void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index);

/* --- Finding: virtio_find.c, and each bus its part ------------------------ */

/* A search for a device of one type. */
struct tprof_virtio_search {
    const struct tprof_device *where;
    uint32_t type;            /* VIRTIO_TYPE_* */
    struct tprof_virtio *dev; /* filled in before each call of (take) */
    /* Is (dev) the device? TPROF_OK: yes. An error: no, and the search resets
     * (dev) and goes on. */
    int (*take)(void *context);
    void *context;
    int why; /* what the search has to tell, if no device is taken */
};

/*
 * Offers every device of the wanted type to (take), until one is taken. A
 * device at an address given is offered whatever its state; of the others those
 * are left alone that have a driver already.
 *
 * Command line and scan come before PCI. Where there is a PCI bus no addresses
 * are scanned, since they may be those of some device's registers.
 *
 * Returns TPROF_OK: a device was taken; TPROF_ERR_DEVICE: none was found;
 * TPROF_ERR_DEVICE_TAKEN or _UNMAPPED: one was found, which has a driver, or
 * whose registers are not mapped; or what (take) returned.
 */
int tprof_virtio_find(struct tprof_virtio_search *s);
bool tprof_virtio_mmio_find(struct tprof_virtio_search *s, bool scan);
bool tprof_virtio_pci_find(struct tprof_virtio_search *s);
bool tprof_virtio_pci_exists(void);

/* For the buses: offers (s->dev), unless that has a driver and no address was
 * given. Returns whether it was taken. A device that was offered and not taken
 * is reset. */
bool tprof_virtio_offer(struct tprof_virtio_search *s);

/* --- A device's life: virtio.c -------------------------------------------- */

/* Begins a reset of (dev), which may take hardware some milliseconds. */
void tprof_virtio_reset(struct tprof_virtio *dev);

/* Is the reset done? 1: yes, and (dev) uses no memory any more. 0: not yet.
 * TPROF_ERR_DEVICE: it takes too long. */
int tprof_virtio_is_reset(const struct tprof_virtio *dev);

/*
 * Agrees with (dev), which is reset, on features: (needed), and virtio 1.x on a
 * device that is not legacy. Next come its queues, then tprof_virtio_go().
 * Returns TPROF_OK; TPROF_ERR_DEVICE: (dev) offers less, or refuses; or
 * TPROF_ERR_DEVICE_PLATFORM: it refuses whoever has no ACCESS_PLATFORM.
 */
int tprof_virtio_agree(const struct tprof_virtio *dev, uint64_t needed);

/* Has (dev) stayed as tprof_virtio_agree() left it? */
bool tprof_virtio_has_agreed(const struct tprof_virtio *dev);

/* Resets (dev), waits for the end of that, and agrees. In tprof_init() only.
 * Returns as tprof_virtio_agree() does, or TPROF_ERR_DEVICE. */
int tprof_virtio_begin(struct tprof_virtio *dev, uint64_t needed);

/* Selects queue (index) and returns its greatest size; 0: no such queue. */
uint32_t tprof_virtio_select(const struct tprof_virtio *dev, uint32_t index);

/*
 * Enables the selected queue with (size) descriptors and its memory, laid out
 * as virtqueue.h says, at physical (address). Returns the queue's doorbell; 0:
 * (dev) tells of one that lies outside its registers.
 */
uintptr_t tprof_virtio_enable(const struct tprof_virtio *dev, uint32_t size,
                              uint64_t address);

/* All queues are set up: (dev) may work. */
void tprof_virtio_go(const struct tprof_virtio *dev);

/* Is (dev) still at work? Not if it failed, vanished, or was reset. */
bool tprof_virtio_works(const struct tprof_virtio *dev);

/* Resets (dev) and waits for the end of that, a second at most: (dev) has
 * forgotten all memory, and is anybody's. Not in an interrupt. */
void tprof_virtio_let_go(struct tprof_virtio *dev);

/* Resets (dev), so that it forgets all memory that it was told of, and tells it
 * that its driver failed. */
void tprof_virtio_give_up(const struct tprof_virtio *dev);

#endif
