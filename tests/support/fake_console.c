/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side of transport_console.c, written from the specification
 * (virtio 1.2, section 5.3), not from it.
 */
#include "fake_console.h"

#include <string.h>

struct fake_console fake_console;

uint32_t fake_in(uint32_t port)
{
    return port == 0 ? 0 : 2 * port + 2;
}

uint32_t fake_out(uint32_t port)
{
    return fake_in(port) + 1;
}

bool fake_control(uint32_t port, uint16_t event, uint16_t value,
                  const char *name)
{
    struct fake_buffer b;
    uint8_t message[128];
    uint32_t length = 8;

    if (!fake_pop(FAKE_CONTROL_IN, &b))
        return false;
    memcpy(message, &port, 4);
    memcpy(message + 4, &event, 2);
    memcpy(message + 6, &value, 2);
    if (name) {
        length += (uint32_t)strlen(name) + 1;
        memcpy(message + 8, name, length - 8);
    }
    memcpy(b.data, message, length < b.size ? length : b.size);
    fake_push(FAKE_CONTROL_IN, b.id, length); /* QEMU counts what it cut off */
    return true;
}

void fake_host(uint32_t port, bool there)
{
    fake_console.ports[port].host = there;
    fake_control(port, 6, there, NULL);
}

static void answer(uint32_t port, uint16_t event, uint16_t value)
{
    if (event == 0) { /* device ready */
        for (uint32_t i = 0; i < FAKE_PORTS; i++) {
            if (fake_console.ports[i].name)
                fake_control(i, 1, 1, NULL);
        }
    } else if (port < FAKE_PORTS && fake_console.ports[port].name) {
        if (event == 3) { /* port ready */
            if (!fake_console.mute[port])
                fake_control(port, 7, 1, fake_console.ports[port].name);
            if (fake_console.ports[port].host)
                fake_control(port, 6, 1, NULL);
        } else if (event == 6) {
            fake_console.ports[port].guest = value != 0;
        }
    }
}

void fake_forget(void)
{
    for (uint32_t i = 0; i < FAKE_PORTS; i++)
        fake_console.ports[i].guest = false;
}

void fake_act(void)
{
    struct fake_buffer b;

    while ((fake.status & 0x87) == 7 && fake_pop(FAKE_CONTROL_OUT, &b)) {
        answer((uint32_t)fake_load(b.data, 4),
               (uint16_t)fake_load(b.data + 4, 2),
               (uint16_t)fake_load(b.data + 6, 2));
        fake_push(FAKE_CONTROL_OUT, b.id, 0);
    }
}

bool fake_receive(uint32_t port, const void *data, uint32_t size)
{
    struct fake_buffer b;

    if (!fake_pop(fake_in(port), &b) || !b.writable || size > b.size)
        return false;
    memcpy(b.data, data, size);
    fake_push(fake_in(port), b.id, size);
    return true;
}
