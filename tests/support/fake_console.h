/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio-console device on the bus of fake_virtio.h. The device behaves as
 * QEMU's does, either at once or when fake_act() is called (fake.lazy), until
 * the test makes it lie.
 */
#ifndef FAKE_CONSOLE_H
#define FAKE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fake_virtio.h"

#define FAKE_PORTS 34u

enum { FAKE_CONTROL_IN = 2, FAKE_CONTROL_OUT = 3 };

struct fake_console {
    struct {
        const char *name; /* NULL: no such port */
        bool host, guest; /* has that side opened the port? */
    } ports[FAKE_PORTS];
    bool mute[FAKE_PORTS]; /* the device does not tell this port's name */
};

extern struct fake_console fake_console;

/* Send a control message to the driver; (name) may be NULL. Returns false if
 * the driver has left no buffer for it. */
bool fake_control(uint32_t port, uint16_t event, uint16_t value,
                  const char *name);

/* A host opens or closes (port). */
void fake_host(uint32_t port, bool there);

/* The indexes of the queues on which the driver sends at (port), and on which
 * it receives there. */
uint32_t fake_out(uint32_t port);
uint32_t fake_in(uint32_t port);

/* Send bytes from the host to the driver. Returns false if the driver has left
 * no buffer, or one that is too small. */
bool fake_receive(uint32_t port, const void *data, uint32_t size);

#endif
