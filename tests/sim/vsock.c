/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket device, and the host's side of its streams. Virtio 1.2, 5.10. */
#include <string.h>

#include "device.h"

#define RX     0u
#define TX     1u
#define EVENTS 2u
#define HEADER 44u
#define HOST   2u     /* its CID */
#define ROOM   60000u /* that the host grants: less than struct link has */

enum op {
    REQUEST = 1,
    RESPONSE,
    RST,
    SHUTDOWN,
    RW,
    CREDIT_UPDATE,
    CREDIT_REQUEST
};

static uint32_t port = 50000;                  /* of the host's connection */
static uint32_t guest_room, guest_taken, sent; /* towards the guest */
static uint32_t received, told; /* from the guest; what it knows was taken */
static bool owes_credit;

/* What the host has read of what came. */
static uint32_t taken(void)
{
    return received - (uint32_t)link_now.to_host_size;
}

/* A packet to the guest. False: it has left no buffer. */
static bool give_from(uint64_t cid, enum op op, uint32_t from_port,
                      const void *data, uint32_t size)
{
    struct buffer b;

    if (!queue_pop(RX, &b))
        return false;
    if (b.size[0] != HEADER || b.size[1] == 0)
        fail("vsock: a buffer of %u + %u bytes, which devices of "
             "before 2024 refuse",
             b.size[0], b.size[1]);
    uint8_t header[HEADER] = {0};

    if (size > b.size[1])
        size = b.size[1];
    store_le(header, cid, 8);
    store_le(header + 8, 3, 8);
    store_le(header + 16, from_port, 4);
    store_le(header + 20, 7077, 4);
    store_le(header + 24, size, 4);
    store_le(header + 28, 1, 2);
    store_le(header + 30, op, 2);
    store_le(header + 32, op == SHUTDOWN ? 3 : 0, 4);
    store_le(header + 36, ROOM, 4);
    told = taken();
    store_le(header + 40, told, 4);
    memcpy(b.part[0], header, HEADER);
    if (size > 0)
        memcpy(b.part[1], data, size);
    queue_push(RX, b.id, HEADER + size);
    return true;
}

static bool give(enum op op, uint32_t from_port, const void *data,
                 uint32_t size)
{
    return give_from(HOST, op, from_port, data, size);
}

static void end(void)
{
    if (link_now.state != LINK_NONE)
        link_now.state = LINK_CLOSED;
}

static void hear(const uint8_t *header, const uint8_t *data, uint32_t size)
{
    struct link *l = &link_now;

    if (load_le(header + 30, 2) != RST && load_le(header + 8, 8) != HOST)
        fail("vsock: packet %lu goes to CID %lu, not the host",
             load_le(header + 30, 2), load_le(header + 8, 8));
    if (load_le(header + 8, 8) != HOST || load_le(header + 20, 4) != port ||
        l->state == LINK_CLOSED || l->state == LINK_NONE)
        return; /* of a connection that is no more */
    guest_room = (uint32_t)load_le(header + 36, 4);
    guest_taken = (uint32_t)load_le(header + 40, 4);
    switch (load_le(header + 30, 2)) {
    case RESPONSE:
        l->state = LINK_OPEN;
        break;
    case RW:
        if (size > sizeof l->to_host - l->to_host_size)
            fail("vsock: %u bytes more than the host has room for", size);
        memcpy(l->to_host + l->to_host_size, data, size);
        l->to_host_size += size;
        received += size;
        break;
    case CREDIT_REQUEST:
        owes_credit = true;
        break;
    case SHUTDOWN:
    case RST:
        end();
        break;
    default:
        break;
    }
}

static void take(void)
{
    struct buffer b;

    for (uint32_t i = 0; i < 8 && queue_pop(TX, &b); i++) {
        uint32_t size = (uint32_t)load_le(b.part[0] + 24, 4);

        if (b.size[0] != HEADER || size != b.size[1])
            fail("vsock: a packet of %u + %u bytes says %u", b.size[0],
                 b.size[1], size);
        hear(b.part[0], b.part[1], size);
        queue_push(TX, b.id, 0);
    }
}

static void talk(void)
{
    struct link *l = &link_now;

    if (l->state != LINK_OPEN)
        return;
    if ((owes_credit || taken() - told > ROOM / 4) &&
        give(CREDIT_UPDATE, port, NULL, 0))
        owes_credit = false;
    uint32_t credit = guest_room - (sent - guest_taken);
    size_t some = l->to_guest_size < credit ? l->to_guest_size : credit;

    if (device_faults.half && some > 1)
        some = 1 + below((uint32_t)some);
    if (some > 200)
        some = 200;
    if (some > 0 && give(RW, port, l->to_guest, (uint32_t)some)) {
        sent += (uint32_t)some;
        l->to_guest_size -= some;
        memmove(l->to_guest, l->to_guest + some, l->to_guest_size);
    }
}

static void act(void)
{
    take();
    if (device_faults.nonsense && chance(100))
        give_from(chance(700) ? HOST : below(6), below(10),
                  chance(300) ? port : below(60000), NULL, 0);
    talk();
}

static void forget(void)
{
}

static void call(void)
{
    port++;
    sent = received = told = guest_taken = guest_room = 0;
    owes_credit = false;
    if (!give(REQUEST, port, NULL, 0))
        link_now.state = LINK_CLOSED; /* try again */
}

static void hang_up(void)
{
    /* A host may die without a word; then samples go on for a second, so not
     * when they are many. */
    bool is_slow = tprof_agent.orders.period > SIM_SECOND / 2000;

    if (!is_slow || chance(800))
        give(chance(500) ? RST : SHUTDOWN, port, NULL, 0);
}

static void resumed(void)
{
    struct buffer b;

    end();
    if (queue_pop(EVENTS, &b)) {
        store_le(b.part[0], 0, 4); /* transport reset */
        queue_push(EVENTS, b.id, 4);
    }
}

const struct device_ops vsock_device = {
    .type = 19,
    .queues = {128, 128, 16},
    .act = act,
    .forget = forget,
    .call = call,
    .hang_up = hang_up,
    .resumed = resumed,
};
