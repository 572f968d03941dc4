/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device made of memory, for tests of drivers: the bus and the queues.
 * What a kind of device does with its queues is in another file
 * (fake_console.c, fake_vsock.c), which defines fake_act() and fake_forget().
 * There is one device in a process, and tprof_virtio_find() finds it.
 */
#ifndef FAKE_VIRTIO_H
#define FAKE_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_QUEUES 72u

struct fake_queue {
    uint32_t max;      /* entries that the device offers; 0: no such queue */
    uint32_t size;     /* entries that the driver chose; 0: not enabled */
    uint64_t address;  /* where the driver has put the queue */
    uint8_t *memory;   /* the same as a pointer */
    uint16_t seen;     /* entries of the available ring that the device took */
    unsigned notified; /* how often the driver has notified the queue */
};

struct fake_virtio {
    uint64_t features;
    uint32_t status;
    bool legacy;
    bool lazy;      /* the device acts in fake_act(), not when notified */
    bool refuses;   /* the device never sets FEATURES_OK */
    bool platform;  /* so it does unless the driver has ACCESS_PLATFORM */
    unsigned found; /* how often tprof_virtio_find() has offered it */
    unsigned resets;
    uint32_t reset_looks; /* a reset is over after so many looks at it */
    uint32_t looks_left;
    unsigned accesses; /* of the driver to registers, notifications apart */
    struct fake_queue queues[FAKE_QUEUES];
    uint64_t accepted;
    uint32_t feature_half; /* half of the features that registers show */
    uint32_t selected;     /* queue that registers show */
};

extern struct fake_virtio fake;

/* Called by this file. The device handles what the driver has queued by now;
 * the device was reset, and forgets its state. */
void fake_act(void);
void fake_forget(void);

/*
 * Let the device act in a thread of its own until fake_stop(), as QEMU does
 * under KVM. Only the driver's writes to registers wait for the device, and the
 * device for them. Set (lazy) before, and touch nothing of (fake) meanwhile.
 */
void fake_run(void);
void fake_stop(void);

struct fake_buffer {
    uint32_t id;
    uint8_t *data;
    uint32_t size;
    bool writable;
    uint8_t *more; /* the second part, of a chain; else NULL */
    uint32_t more_size;
};

/* Take the driver's next buffer from (queue). Returns false if there is none.
 */
bool fake_pop(uint32_t queue, struct fake_buffer *b);

/* Tell the driver that buffer (id) is used, with (length) bytes written. Both
 * may be lies. */
void fake_push(uint32_t queue, uint32_t id, uint32_t length);

/* The used ring's index: the number of pushes so far, wrapping. */
uint16_t *fake_pushed(uint32_t queue);

/* The used ring's flags: 1 asks the driver for no notifications. */
uint16_t *fake_used_flags(uint32_t queue);

/* The available ring's flags: 1 asks the device for no interrupts. */
uint16_t fake_avail_flags(uint32_t queue);

/* The little-endian number of (size) bytes at (at). */
uint64_t fake_load(const uint8_t *at, size_t size);

#endif
