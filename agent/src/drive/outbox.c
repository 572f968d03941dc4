/* SPDX-License-Identifier: BSD-2-Clause */
#include "drive/outbox.h"

#include "state/agent.h"

/* Returns the bytes that were sent and that the device may still read. */
static uint32_t pending_bytes(void)
{
    const struct tprof_channel *c = &tprof_agent.channel;

    return c->pending ? c->pending(c->context) : 0;
}

void tprof_outbox_reclaim(struct tprof_outbox *o)
{
    uint32_t in_use = pending_bytes();

    while (o->oldest != o->sending) {
        uint32_t left = o->taken - o->size[o->oldest % TPROF_BUFFERS];

        if (left < in_use)
            break;
        o->taken = left;
        o->oldest++;
    }
}

int tprof_outbox_send(struct tprof_outbox *o)
{
    const struct tprof_channel *c = &tprof_agent.channel;

    for (uint32_t i = 0; i < TPROF_BUFFERS && o->sending != o->next; i++) {
        uint32_t at = o->sending % TPROF_BUFFERS;
        uint32_t left = o->size[at] - o->sent;
        int n = c->send(c->context, o->data[at] + o->sent, left);

        if (n > (int)left)
            n = TPROF_ERR_DEVICE;
        if (n < 0)
            return n;
        o->sent += (uint32_t)n;
        o->taken += (uint32_t)n;
        if (o->sent < o->size[at])
            return 0; /* busy */
        o->sending++;
        o->sent = 0;
    }
    return 0;
}

bool tprof_outbox_is_sent(const struct tprof_outbox *o)
{
    return o->sending == o->next && pending_bytes() == 0;
}

bool tprof_outbox_clear(struct tprof_outbox *o)
{
    if (pending_bytes() > 0)
        return false;
    o->oldest = o->sending = o->next = 0;
    o->sent = o->taken = 0;
    return true;
}
