/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device behind virtio-mmio registers, version 1 or 2, written from
 * the specification (virtio 1.2, sections 2.7 and 4.2), not from the driver.
 * What its queues mean is console.c's or vsock.c's.
 */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "sim.h"

#define DEVICE_QUEUES 12u

struct buffer {
    uint32_t id;
    uint8_t *part[2];
    uint32_t size[2]; /* 0: no such part */
    bool writable;
};

struct device_ops {
    uint32_t type;
    uint64_t features;
    uint32_t queues[DEVICE_QUEUES]; /* their greatest sizes */
    void (*act)(void);              /* go on */
    void (*forget)(void);           /* it was reset */
    void (*call)(void);             /* a host wants to connect */
    void (*hang_up)(void);
    void (*resumed)(void); /* elsewhere: hosts are gone */
};
extern const struct device_ops console_device, vsock_device;

/* Is the driver ready for what this queue does? */
bool queue_works(uint32_t queue);
/* The driver's next buffer of (queue). False: none. */
bool queue_pop(uint32_t queue, struct buffer *b);
/* Says that (id) is done, (length) bytes written; sometimes a lie. */
void queue_push(uint32_t queue, uint32_t id, uint32_t length);

/* The device's state that faults.c changes. */
extern struct device_faults {
    uint32_t lie;     /* lies that the next pushes tell */
    bool vanished;    /* all registers read as ones */
    uint64_t stalled; /* until then it does nothing */
    bool half;        /* takes and gives only parts */
    bool nonsense;    /* spontaneous packets and messages */
} device_faults;

uint64_t load_le(const uint8_t *at, size_t size);
void store_le(uint8_t *at, uint64_t value, size_t size);

#endif
