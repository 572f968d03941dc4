/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/transport_vsock.h"

#include "arch/arch.h"
#include "transport/transport.h"
#include "virtio/virtio_regs.h"

/* Ports below this one are for privileged processes of the caller's machine. */
#define PRIVILEGED_END 1024u

/* Packets that one call handles: as many as fit into the ring */
#define PACKETS_A_CALL TPROF_VSOCK_BUFFERS

/* Places that packets with data leave free, for an answer and for a credit
 * update */
#define RESERVED 2u
_Static_assert(RESERVED < TPROF_VSOCK_PACKETS_MIN, "data must get through");

/* --- To the host ---------------------------------------------------------- */

/* Sends (op), with (size) bytes of (data), to the host of the session. */
static void send_packet(struct tprof_vsock_link *v, uint16_t op,
                        const void *data, uint32_t size)
{
    const struct tprof_vsock_header h = {
        .from_cid = v->own_cid,
        .to_cid = v->host_cid,
        .from_port = TPROF_VSOCK_PORT,
        .to_port = v->host_port,
        .size = size,
        .type = VIRTIO_VSOCK_TYPE_STREAM,
        .op = op,
        .room = TPROF_VSOCK_CREDIT,
        .taken = v->taken,
    };

    v->told = v->taken;
    tprof_virtio_vsock_put(&v->device, &h, data);
}

/* Answers the packet (h) with a RST as soon as there is a place. A RST refuses
 * a caller, or ends a stream. A RST itself is not answered. */
static void owe_reset(struct tprof_vsock_link *v,
                      const struct tprof_vsock_header *h)
{
    if (h->op == VIRTIO_VSOCK_OP_RST)
        return;
    v->answer = (struct tprof_vsock_header){
        .from_cid = h->to_cid,
        .to_cid = h->from_cid,
        .from_port = h->to_port,
        .to_port = h->from_port,
        .type = h->type,
        .op = VIRTIO_VSOCK_OP_RST,
    };
    v->owe_answer = true;
}

static bool has_place(struct tprof_vsock_link *v)
{
    return tprof_virtio_vsock_has_place(&v->device, 0);
}

/* Sends the packets that are owed, as far as there are places. */
static void send_owed(struct tprof_vsock_link *v)
{
    if (v->owe_answer && has_place(v)) {
        v->owe_answer = false;
        tprof_virtio_vsock_put(&v->device, &v->answer, NULL);
    }
    if (v->state != TPROF_VSOCK_THERE)
        return;
    if (v->owe_request && has_place(v)) {
        v->owe_request = false;
        send_packet(v, VIRTIO_VSOCK_OP_CREDIT_REQUEST, NULL, 0);
    }
    if ((v->owe_update || v->taken - v->told >= TPROF_VSOCK_CREDIT / 2) &&
        has_place(v)) {
        v->owe_update = false;
        send_packet(v, VIRTIO_VSOCK_OP_CREDIT_UPDATE, NULL, 0);
    }
}

/* --- The session ---------------------------------------------------------- */

/* Ends the session of a host that is gone. Received bytes that were not taken
 * are void. */
static void end_session(struct tprof_vsock_link *v)
{
    v->state = TPROF_VSOCK_NOBODY;
    if (v->receive_left > 0)
        tprof_virtio_vsock_give_back(&v->device, v->receive_id);
    v->receive_left = 0;
}

/* Notes the connection request (h): open() will accept it. */
static void note_caller(struct tprof_vsock_link *v,
                        const struct tprof_vsock_header *h)
{
    v->state = TPROF_VSOCK_CALLS;
    v->own_cid = h->to_cid;
    v->host_cid = h->from_cid;
    v->host_port = h->from_port;
    v->host_room = h->room;
    v->host_taken = 0;
    v->sent = 0;
    v->taken = 0;
    v->told = 0;
    v->asked = false;
    v->owe_update = false;
    v->owe_request = false;
    v->probed = false;
}

/* Another host calls: asks whether the connected one is alive. */
static void begin_probe(struct tprof_vsock_link *v)
{
    if (v->probed)
        return;
    v->probed = true;
    v->probe_time = tprof_arch_now();
    v->owe_request = true;
}

/* Ends the session. Sends a RST to its host, unless (h), which the host sent,
 * is one. */
static void reset_session(struct tprof_vsock_link *v,
                          const struct tprof_vsock_header *h)
{
    owe_reset(v, h);
    end_session(v);
}

/* Ends the session because the probe was not answered in time. */
static void drop_host(struct tprof_vsock_link *v)
{
    const struct tprof_vsock_header h = {
        .from_cid = v->host_cid,
        .to_cid = v->own_cid,
        .from_port = v->host_port,
        .to_port = TPROF_VSOCK_PORT,
        .type = VIRTIO_VSOCK_TYPE_STREAM,
    };

    reset_session(v, &h);
}

/* --- From the host -------------------------------------------------------- */

static bool is_ours(const struct tprof_vsock_link *v,
                    const struct tprof_vsock_header *h)
{
    return v->state == TPROF_VSOCK_THERE && h->from_cid == v->host_cid &&
           h->from_port == v->host_port && h->to_cid == v->own_cid &&
           h->to_port == TPROF_VSOCK_PORT &&
           h->type == VIRTIO_VSOCK_TYPE_STREAM;
}

/* May the caller that sent (h) attach? Both numbers in (h) are reliable: the
 * host's kernel or the VMM fills them in. */
static bool may_attach(const struct tprof_vsock_link *v,
                       const struct tprof_vsock_header *h)
{
    const struct tprof_config *c = v->config;
    uint32_t flags = v->where->flags;

    return (h->from_cid == VIRTIO_VSOCK_CID_HOST ||
            flags & TPROF_DEVICE_ANY_CID) &&
           (h->from_port < PRIVILEGED_END ||
            !(flags & TPROF_DEVICE_PRIVILEGED)) &&
           (!c->accept || c->accept(c->context, h->from_cid, h->from_port));
}

/* Handles a packet that belongs to no session. */
static void hear_stranger(struct tprof_vsock_link *v,
                          const struct tprof_vsock_header *h)
{
    bool calls = h->op == VIRTIO_VSOCK_OP_REQUEST &&
                 h->to_port == TPROF_VSOCK_PORT &&
                 h->type == VIRTIO_VSOCK_TYPE_STREAM;

    if (calls && !may_attach(v, h)) {
        (*v->turned_away)++;
        calls = false;
    }
    if (calls && v->state == TPROF_VSOCK_NOBODY) {
        note_caller(v, h);
        return;
    }
    if (calls)
        begin_probe(v);
    v->refused |= h->op == VIRTIO_VSOCK_OP_REQUEST;
    owe_reset(v, h);
}

/* Handles a packet of the session. Returns the bytes of data in it. */
static uint32_t hear_host(struct tprof_vsock_link *v,
                          const struct tprof_vsock_header *h)
{
    v->probed = false;
    v->asked = false;
    v->host_room = h->room;
    v->host_taken = h->taken;
    /* Has the host taken no more than was sent? Both counters wrap; bytes on
     * their way are always fewer than half of all numbers. */
    bool sane = v->sent - h->taken <= INT32_MAX;

    switch (h->op) {
    case VIRTIO_VSOCK_OP_RW:
        if (sane)
            return h->size;
        break;
    case VIRTIO_VSOCK_OP_CREDIT_REQUEST:
        v->owe_update = true;
        /* fall through */
    case VIRTIO_VSOCK_OP_CREDIT_UPDATE:
        if (sane)
            return 0;
        break;
    case VIRTIO_VSOCK_OP_SHUTDOWN:
        if (!(h->flags & VIRTIO_VSOCK_SHUTDOWN_RECEIVE))
            return 0; /* the host sends no more, but still reads */
        break;
    case VIRTIO_VSOCK_OP_REQUEST:
        note_caller(v, h); /* the host does not know the session any more */
        return 0;
    default: /* RST, or a packet that makes no sense */
        break;
    }
    reset_session(v, h);
    return 0;
}

/* May the next packet be read? No, until the current packet is finished. */
static bool may_hear_more(const struct tprof_vsock_link *v)
{
    return !v->owe_answer && v->state != TPROF_VSOCK_CALLS &&
           v->receive_left == 0;
}

/* Takes packets, until a packet has data, comes from a caller, or must be
 * answered later. */
static void hear_packets(struct tprof_vsock_link *v)
{
    struct tprof_vsock_header h;
    int id;

    for (uint32_t i = 0; i < PACKETS_A_CALL && may_hear_more(v); i++) {
        if ((id = tprof_virtio_vsock_take(&v->device, &h)) < 0)
            break;
        if (is_ours(v, &h))
            v->receive_left = hear_host(v, &h);
        else
            hear_stranger(v, &h);
        if (v->receive_left > 0) {
            v->receive_id = (uint32_t)id;
            v->receive_from = tprof_virtio_vsock_data(&v->device, (uint32_t)id);
        } else {
            tprof_virtio_vsock_give_back(&v->device, (uint32_t)id);
        }
        send_owed(v);
    }
}

/* Handles all news. Returns 0, or the error that made the device dead. */
static int hear_device(struct tprof_vsock_link *v)
{
    if (tprof_virtio_vsock_was_reset(&v->device)) {
        v->owe_answer = false; /* the guest was moved to another host */
        end_session(v);
    }
    send_owed(v);
    hear_packets(v);
    if (v->state == TPROF_VSOCK_THERE && v->probed && !v->owe_answer &&
        tprof_arch_now() - v->probe_time > v->second) {
        drop_host(v);
        send_owed(v);
    }
    tprof_virtio_vsock_refill(&v->device);
    return v->device.dead;
}

/* --- Notice --------------------------------------------------------------- */

/* Tells the agent whether an interrupt will announce a host. */
static void set_notice(struct tprof_vsock_link *v, bool on)
{
    uint32_t flags = v->channel->flags & ~TPROF_CHANNEL_NOTICE;

    v->channel->flags = on ? flags | TPROF_CHANNEL_NOTICE : flags;
}

/* --- The channel ---------------------------------------------------------- */

/* Accepts a host that calls. Returns whether there was one. */
static bool accept_caller(struct tprof_vsock_link *v)
{
    if (v->state != TPROF_VSOCK_CALLS || !has_place(v))
        return false;
    /* during a session ticks look anyway */
    tprof_virtio_vsock_interrupt(&v->device, false);
    v->state = TPROF_VSOCK_THERE;
    send_packet(v, VIRTIO_VSOCK_OP_RESPONSE, NULL, 0);
    return true;
}

static int vsock_open(void *context)
{
    struct tprof_vsock_link *v = context;
    struct tprof_virtio_vsock *d = &v->device;

    set_notice(v, false); /* set again when everything works */
    if (!d->dead && !tprof_virtio_works(&d->bus))
        tprof_virtio_vsock_die(d); /* gone, or reset by another driver */
    if (d->dead)
        return d->dead;
    if (v->state == TPROF_VSOCK_THERE)
        return 1; /* still */
    bool aimed = tprof_notice_aim(&v->notice);

    v->refused = false;

    /* In this order (switch on, acknowledge, look) all news after the look
     * causes an interrupt. */
    if (aimed)
        tprof_virtio_vsock_interrupt(d, true);
    /* Acknowledge even if nothing is aimed: some backends raise the line
     * unasked when they begin to work, and the kernel may use that pin. */
    tprof_virtio_irq_ack(&d->bus);
    if (hear_device(v) == TPROF_OK && accept_caller(v))
        return 1;
    /* Keep the interrupt off for now: callers that may not attach can come at
     * any rate, and must not interrupt the guest. Until such callers stay away
     * for a while, the agent looks by its timer. */
    if (v->refused)
        tprof_virtio_vsock_interrupt(d, false);
    set_notice(v, aimed && !d->dead && !v->refused && may_hear_more(v) &&
                      !tprof_virtio_vsock_waiting(d));
    return d->dead;
}

/* Returns the bytes for which the host has room. The number may shrink. */
static uint32_t host_credit(const struct tprof_vsock_link *v)
{
    uint32_t on_its_way = v->sent - v->host_taken;

    return on_its_way < v->host_room ? v->host_room - on_its_way : 0;
}

static int vsock_send(void *context, const void *data, uint32_t size)
{
    struct tprof_vsock_link *v = context;
    struct tprof_virtio_vsock *d = &v->device;

    if (d->dead)
        return d->dead;
    if (v->state != TPROF_VSOCK_THERE)
        return TPROF_ERR_CLOSED;
    uint32_t room = host_credit(v);

    if (size > room) {
        size = room;
        v->owe_request |= !v->asked;
        v->asked = true;
        send_owed(v);
    }
    if (size == 0 || !tprof_virtio_vsock_has_place(d, RESERVED))
        return d->dead;
    v->sent += size;
    send_packet(v, VIRTIO_VSOCK_OP_RW, data, size);
    return (int)size;
}

static uint32_t vsock_pending(void *context)
{
    struct tprof_vsock_link *v = context;

    return tprof_virtio_vsock_in_use(&v->device);
}

static int vsock_receive(void *context, void *data, uint32_t size)
{
    struct tprof_vsock_link *v = context;

    if (v->device.dead)
        return v->device.dead;
    if (v->state == TPROF_VSOCK_THERE && hear_device(v) < 0)
        return v->device.dead;
    if (v->state != TPROF_VSOCK_THERE)
        return TPROF_ERR_CLOSED;
    if (size > v->receive_left)
        size = v->receive_left;
    if (size == 0)
        return 0;
    tprof_arch_copy(data, v->receive_from, size);
    v->receive_from += size;
    v->receive_left -= size;
    v->taken += size;
    if (v->receive_left == 0) {
        tprof_virtio_vsock_give_back(&v->device, v->receive_id);
        tprof_virtio_vsock_refill(&v->device);
    }
    return (int)size;
}

/* --- Joining -------------------------------------------------------------- */

/* Called for a device that the search has found: takes it or not. */
static int claim_device(void *context)
{
    struct tprof_vsock_link *v = context;
    int error = tprof_virtio_vsock_begin(&v->device);

    if (error != TPROF_OK)
        return error;
    tprof_notice_init(&v->notice, &v->device.bus, v->where);
    tprof_virtio_vsock_go(&v->device);
    return TPROF_OK;
}

static int vsock_init(const struct tprof_transport_setup *setup,
                      struct tprof_channel *channel)
{
    struct tprof_vsock_link *v = setup->memory;
    struct tprof_virtio_search search = {
        .where = setup->where,
        .type = VIRTIO_TYPE_VSOCK,
        .dev = &v->device.bus,
        .take = claim_device,
        .context = v,
    };

    tprof_arch_zero(v, sizeof *v);
    v->device.physical = setup->physical;
    v->device.bus.second = setup->second;
    v->second = setup->second;
    v->channel = channel;
    v->where = setup->where;
    v->config = setup->config;
    v->turned_away = setup->turned_away;
    int error = tprof_virtio_find(&search);

    if (error != TPROF_OK)
        return error;
    channel->flags = TPROF_CHANNEL_IRQ_SAFE;
    channel->context = v;
    channel->open = vsock_open;
    channel->send = vsock_send;
    channel->pending = vsock_pending;
    channel->receive = vsock_receive;
    return TPROF_OK;
}
_Static_assert(sizeof(struct tprof_vsock_link) <= TPROF_TRANSPORT_MEMORY,
               "it fits");

static void vsock_exit(void *memory)
{
    struct tprof_vsock_link *v = memory;

    if (!v->device.dead)
        tprof_virtio_let_go(&v->device.bus);
    tprof_notice_mask(&v->notice);
}

static void vsock_restart(void *context)
{
    struct tprof_vsock_link *v = context;

    if (v->device.dead)
        return;
    v->state = TPROF_VSOCK_NOBODY;
    v->receive_left = 0;
    v->owe_answer = false;
    if (claim_device(v) != TPROF_OK) {
        tprof_virtio_give_up(&v->device.bus);
        tprof_virtio_vsock_die(&v->device);
    }
}

const struct tprof_transport tprof_vsock = {vsock_init, vsock_exit,
                                            vsock_restart};
