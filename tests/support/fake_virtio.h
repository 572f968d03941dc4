/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device made of memory, for tests of drivers: its bus and its queues.
 * What it does with them is another file's, which also has fake_act() and
 * fake_forget(). One per process; it is what tprof_virtio_find() finds.
 */
#ifndef FAKE_VIRTIO_H
#define FAKE_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_QUEUES 72u

struct fake_queue {
    uint32_t max;  /* what it offers; 0: no such queue */
    uint32_t size; /* what the driver chose; 0: not enabled */
    uint64_t address;
    uint8_t *memory;   /* there */
    uint16_t seen;     /* of the available ring */
    unsigned notified; /* times */
};

struct fake_virtio {
    uint64_t features;
    uint32_t status;
    bool legacy;
    bool lazy;      /* acts only in fake_act(), not when notified */
    bool refuses;   /* never sets FEATURES_OK */
    unsigned found; /* times offered */
    unsigned resets;
    struct fake_queue queues[FAKE_QUEUES];
    uint64_t accepted;
    uint32_t feature_half; /* that the driver looks at, or writes */
    uint32_t selected;
};

extern struct fake_virtio fake;

/* The device: what the driver has told it by now; it was reset. */
void fake_act(void);
void fake_forget(void);

/*
 * Act from a thread of its own until fake_stop(), as QEMU does under KVM: the
 * driver's writes to registers and the device's deeds exclude each other, and
 * nothing else. (lazy) is to be set, and nothing of (fake) touched.
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

/* The driver's next buffer in (queue). False: there is none. */
bool fake_pop(uint32_t queue, struct fake_buffer *b);

/* Say that (id) is done, (length) bytes of it written: any lie will do. */
void fake_push(uint32_t queue, uint32_t id, uint32_t length);

/* The index of the used ring: how much was ever pushed, wrapping. */
uint16_t *fake_pushed(uint32_t queue);

/* The flags of the used ring: 1 asks for no notifications. */
uint16_t *fake_used_flags(uint32_t queue);

/* Those of the available ring: 1 asks for no interrupts. */
uint16_t fake_avail_flags(uint32_t queue);

/* The little-endian number of (size) bytes at (at). */
uint64_t fake_load(const uint8_t *at, size_t size);

#endif
