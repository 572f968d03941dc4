/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio-console device on fake_virtio.h's bus. It behaves as QEMU's does,
 * at once or when told, until the test makes it lie.
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
        bool host, guest; /* each side is there */
    } ports[FAKE_PORTS];
    bool mute[FAKE_PORTS]; /* does not say its name */
};

extern struct fake_console fake_console;

/* A control message to the driver; (name) may be NULL. False: no buffer. */
bool fake_control(uint32_t port, uint16_t event, uint16_t value,
                  const char *name);

/* The host comes or goes at (port). */
void fake_host(uint32_t port, bool there);

/* The queue with what the driver sends at (port), and receives. */
uint32_t fake_out(uint32_t port);
uint32_t fake_in(uint32_t port);

/* Bytes from the host to the driver. False: no buffer, or it is too small. */
bool fake_receive(uint32_t port, const void *data, uint32_t size);

#endif
