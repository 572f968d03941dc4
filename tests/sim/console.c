/* SPDX-License-Identifier: BSD-2-Clause */
/* A console device with several ports, as QEMU's behaves. Virtio 1.2, 5.3. */
#include <string.h>

#include "device.h"

#define PORTS       4u
#define OUR_PORT    2u
#define CONTROL_IN  2u
#define CONTROL_OUT 3u
#define DATA_IN     (2 * OUR_PORT + 2)
#define DATA_OUT    (2 * OUR_PORT + 3)

enum event {
    DEVICE_READY,
    PORT_ADD,
    PORT_REMOVE,
    PORT_READY,
    CONSOLE_PORT,
    RESIZE,
    PORT_OPEN,
    PORT_NAME
};

static bool guest_open; /* the guest has opened our port */
static bool is_host;    /* somebody is at our port */
static bool is_known;   /* the guest has asked for our port */
static struct buffer held;
static uint32_t held_at; /* bytes of it that were taken */

static void tell(uint32_t port, enum event event, uint16_t value,
                 const char *name)
{
    struct buffer b;
    uint8_t message[32];
    uint32_t size = 8;

    if (!queue_pop(CONTROL_IN, &b))
        return; /* as QEMU does: dropped */
    store_le(message, port, 4);
    store_le(message + 4, event, 2);
    store_le(message + 6, value, 2);
    if (name) {
        size += (uint32_t)strlen(name) + (chance(500) ? 1 : 0);
        memcpy(message + 8, name, strlen(name) + 1);
    }
    memcpy(b.part[0], message, size < b.size[0] ? size : b.size[0]);
    queue_push(CONTROL_IN, b.id, size);
}

static void answer(uint32_t port, uint32_t event, uint32_t value)
{
    static const char *const names[PORTS] = {"console", "agent.0", "tprof.0",
                                             "tprof.1"};

    if (event == DEVICE_READY) {
        for (uint32_t i = 0; i < PORTS; i++)
            tell(i, PORT_ADD, 1, NULL);
    } else if (event == PORT_READY && port < PORTS) {
        tell(port, PORT_NAME, 1, names[port]);
        is_known |= port == OUR_PORT;
        if (port == OUR_PORT && is_host)
            tell(port, PORT_OPEN, 1, NULL);
    } else if (event == PORT_OPEN && port == OUR_PORT) {
        guest_open = value != 0;
    }
}

/* What the guest sends: to the host, or nowhere when there is none. */
static void take_data(void)
{
    struct link *l = &link_now;

    for (uint32_t i = 0; i < 4; i++) {
        if (held.size[0] == 0 && !queue_pop(DATA_OUT, &held))
            return;
        uint32_t some = held.size[0] - held_at;
        size_t room = sizeof l->to_host - l->to_host_size;

        if (device_faults.half)
            some = some > 1 ? some / 2 : some;
        if (l->state == LINK_OPEN) {
            if (some > room)
                some = (uint32_t)room;
            memcpy(l->to_host + l->to_host_size, held.part[0] + held_at, some);
            l->to_host_size += some;
        }
        held_at += some;
        if (held_at < held.size[0])
            return;
        queue_push(DATA_OUT, held.id, 0);
        memset(&held, 0, sizeof held);
        held_at = 0;
    }
}

static void give_data(void)
{
    struct link *l = &link_now;
    struct buffer b;

    while (l->state == LINK_OPEN && guest_open && l->to_guest_size > 0 &&
           queue_pop(DATA_IN, &b)) {
        size_t some =
            l->to_guest_size < b.size[0] ? l->to_guest_size : b.size[0];

        if (device_faults.half)
            some = 1 + below((uint32_t)some);
        memcpy(b.part[0], l->to_guest, some);
        l->to_guest_size -= some;
        memmove(l->to_guest, l->to_guest + some, l->to_guest_size);
        queue_push(DATA_IN, b.id, (uint32_t)some);
    }
}

static void act(void)
{
    struct buffer b;

    while (queue_pop(CONTROL_OUT, &b)) {
        uint32_t port = (uint32_t)load_le(b.part[0], 4);
        uint32_t event = (uint32_t)load_le(b.part[0] + 4, 2);
        uint32_t value = (uint32_t)load_le(b.part[0] + 6, 2);

        queue_push(CONTROL_OUT, b.id, 0);
        answer(port, event, value);
    }
    if (device_faults.nonsense && chance(100))
        tell(below(40), below(9), (uint16_t)draw(), chance(500) ? "x" : NULL);
    take_data();
    give_data();
}

static void forget(void)
{
    guest_open = is_known = false;
    memset(&held, 0, sizeof held);
    held_at = 0;
}

static void call(void)
{
    is_host = true;
    link_now.state = LINK_OPEN; /* whether the guest is there or not */
    if (is_known)
        tell(OUR_PORT, PORT_OPEN, 1, NULL);
}

static void hang_up(void)
{
    is_host = false;
    if (is_known)
        tell(OUR_PORT, PORT_OPEN, 0, NULL);
}

const struct device_ops console_device = {
    .type = 3,
    .features = 1u << 1, /* MULTIPORT */
    .queues = {32, 32, 32, 32, 64, 64, 64, 64, 128, 128, 128, 128},
    .act = act,
    .forget = forget,
    .call = call,
    .hang_up = hang_up,
    .resumed = link_hang_up,
};
