/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio-console device made of memory, for tests of the driver. It behaves
 * as QEMU's does, at once or when told, until the test makes it lie. One per
 * process; it is what tprof_virtio_find() finds.
 */
#ifndef FAKE_CONSOLE_H
#define FAKE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_QUEUES 72u
#define FAKE_PORTS  34u

enum { FAKE_CONTROL_IN = 2, FAKE_CONTROL_OUT = 3 };

struct fake_queue {
    uint32_t max;  /* what it offers; 0: no such queue */
    uint32_t size; /* what the driver chose; 0: not enabled */
    uint64_t address;
    uint8_t *memory;   /* there */
    uint16_t seen;     /* of the available ring */
    unsigned notified; /* times */
};

struct fake_console {
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
    struct {
        const char *name; /* NULL: no such port */
        bool host, guest; /* each side is there */
    } ports[FAKE_PORTS];
    bool mute[FAKE_PORTS]; /* does not say its name */
};

extern struct fake_console fake;

/* Answers what the driver has told it by now. */
void fake_act(void);

/*
 * Do so from a thread of its own until fake_stop(), as QEMU does under KVM:
 * the driver's writes to registers and the device's deeds exclude each other,
 * and nothing else. (lazy) is to be set, and nothing of (fake) touched.
 */
void fake_run(void);
void fake_stop(void);

/* A control message to the driver; (name) may be NULL. False: no buffer. */
bool fake_control(uint32_t port, uint16_t event, uint16_t value,
                  const char *name);

/* The host comes or goes at (port). */
void fake_host(uint32_t port, bool there);

/* The queue with what the driver sends at (port), and receives. */
uint32_t fake_out(uint32_t port);
uint32_t fake_in(uint32_t port);

struct fake_buffer {
    uint32_t id;
    uint8_t *data;
    uint32_t size;
    bool writable;
};

/* The driver's next buffer in (queue). False: there is none. */
bool fake_pop(uint32_t queue, struct fake_buffer *b);

/* Say that (id) is done, (length) bytes of it written: any lie will do. */
void fake_push(uint32_t queue, uint32_t id, uint32_t length);

/* The index of the used ring: how much was ever pushed, wrapping. */
uint16_t *fake_pushed(uint32_t queue);

/* The flags of the used ring: 1 asks for no notifications. */
uint16_t *fake_used_flags(uint32_t queue);

/* Bytes from the host to the driver. False: no buffer, or it is too small. */
bool fake_receive(uint32_t port, const void *data, uint32_t size);

#endif
