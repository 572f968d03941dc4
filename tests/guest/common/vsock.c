/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections and their credit (virtio 1.2, section 5.10.6). Each side tells
 * in every packet how large its buffer is and how much was ever taken from it,
 * so that the other never sends what does not fit.
 */
#include "vsock.h"

#include "mem.h"
#include "vsock_device.h"

#define BUFFER_MASK (VSOCK_BUFFER_BYTES - 1)
_Static_assert((VSOCK_BUFFER_BYTES & BUFFER_MASK) == 0, "a power of two");

/* The peer hears of room once this much of it is news. */
#define CREDIT_STEP (VSOCK_BUFFER_BYTES / 4)

#define POLL_PACKETS    16
#define FIRST_FREE_PORT 49152u

enum state {
    FREE,
    CONNECTING, /* we asked */
    OPEN,
    GONE,    /* by the peer; the user has not closed it yet */
    CLOSING, /* by the user; the peer has not confirmed it yet */
};

static struct socket {
    enum state state;
    bool accepted; /* the user knows of it */
    uint32_t port;
    uint32_t peer_port;
    uint64_t peer_cid;
    unsigned owed;       /* packets to be sent, a bit for each enum vsock_op */
    uint32_t ended;      /* VSOCK_NO_SEND: we said so */
    uint32_t peer_ended; /* VSOCK_NO_*: the peer said so */
    /* all counted in bytes since the beginning, wrapping */
    uint32_t sent, peer_taken, peer_room;
    uint32_t received, taken, told; /* (told): of (taken), to the peer */
} sockets[VSOCK_SOCKETS];

static _Alignas(64) uint8_t buffers[VSOCK_SOCKETS][VSOCK_BUFFER_BYTES];

static struct {
    uint32_t port;
    unsigned most;
} listeners[VSOCK_LISTENERS];
static unsigned listener_count;

static uint64_t cid;
static uint32_t next_port = FIRST_FREE_PORT;

/* --- Sending ---------------------------------------------------------------
 */

/* (packet) leaves for the other end of (s), its data already in it. */
static void send_packet(struct socket *s, struct vsock_packet *packet,
                        enum vsock_op op, uint32_t length)
{
    packet->header = (struct vsock_header){
        .from_cid = cid,
        .to_cid = s->peer_cid,
        .from_port = s->port,
        .to_port = s->peer_port,
        .length = length,
        .type = VSOCK_TYPE_STREAM,
        .op = (uint16_t)op,
        .flags = op != VSOCK_OP_SHUTDOWN ? 0
                 : s->state == CLOSING   ? VSOCK_NO_SEND | VSOCK_NO_RECEIVE
                                         : VSOCK_NO_SEND,
        .room = VSOCK_BUFFER_BYTES,
        .taken = s->taken,
    };
    s->told = s->taken;
    vsock_device_send(packet);
}

/* The answer to a packet that belongs to no socket; there is room for it. */
static void refuse(const struct vsock_header *h)
{
    struct socket nobody = {
        .port = h->to_port,
        .peer_cid = h->from_cid,
        .peer_port = h->from_port,
    };

    if (h->op != VSOCK_OP_RST) /* or both sides would never stop */
        send_packet(&nobody, vsock_device_next(), VSOCK_OP_RST, 0);
}

static void owe(struct socket *s, enum vsock_op op)
{
    s->owed |= 1u << op;
}

/* Send what (s) owes, the smallest op first: a connection begins with a
 * REQUEST or RESPONSE, and its credit can be told of at any time. */
static void settle(struct socket *s)
{
    while (s->owed != 0) {
        struct vsock_packet *packet = vsock_device_next();
        enum vsock_op op = (enum vsock_op)__builtin_ctz(s->owed);

        if (packet == NULL)
            return;
        s->owed &= s->owed - 1;
        send_packet(s, packet, op, 0);
    }
}

/* How much more the peer takes now. */
static uint32_t credit(const struct socket *s)
{
    uint32_t under_way = s->sent - s->peer_taken;

    /* a peer may make its room smaller at any time */
    return under_way < s->peer_room ? s->peer_room - under_way : 0;
}

int vsock_send(int socket, const void *data, size_t size)
{
    struct socket *s = &sockets[socket];
    const uint8_t *bytes = data;
    size_t done = 0;

    if (s->state == CONNECTING)
        return 0;
    if (s->state != OPEN || s->ended & VSOCK_NO_SEND ||
        s->peer_ended & VSOCK_NO_RECEIVE)
        return VSOCK_END;
    settle(s);
    while (done < size && credit(s) > 0 && s->owed == 0) {
        struct vsock_packet *packet = vsock_device_next();
        uint32_t length = credit(s);

        if (packet == NULL)
            break;
        if (length > size - done)
            length = (uint32_t)(size - done);
        if (length > sizeof packet->data)
            length = sizeof packet->data;
        memcpy(packet->data, bytes + done, length);
        s->sent += length;
        done += length;
        send_packet(s, packet, VSOCK_OP_RW, length);
    }
    vsock_device_kick();
    return (int)done;
}

/* --- Receiving -------------------------------------------------------------
 */

int vsock_peek(int socket, const void **data)
{
    struct socket *s = &sockets[socket];
    uint32_t at = s->taken & BUFFER_MASK;
    uint32_t length = s->received - s->taken;

    *data = &buffers[socket][at];
    if (length == 0 && (s->state == GONE || s->peer_ended & VSOCK_NO_SEND))
        return VSOCK_END;
    return (int)(length < VSOCK_BUFFER_BYTES - at ? length
                                                  : VSOCK_BUFFER_BYTES - at);
}

void vsock_taken(int socket, size_t size)
{
    struct socket *s = &sockets[socket];

    s->taken += (uint32_t)size;
    if (s->state == OPEN && s->taken - s->told >= CREDIT_STEP) {
        owe(s, VSOCK_OP_CREDIT_UPDATE);
        settle(s);
        vsock_device_kick();
    }
}

int vsock_receive(int socket, void *data, size_t size)
{
    const void *from;
    int length = vsock_peek(socket, &from);

    if (length <= 0)
        return length;
    if ((size_t)length > size)
        length = (int)size;
    memcpy(data, from, (size_t)length);
    vsock_taken(socket, (size_t)length);
    return length;
}

/* Data has come. False: more than there was room for. */
static bool store(struct socket *s, const uint8_t *data, uint32_t length)
{
    uint8_t *buffer = buffers[s - sockets];
    uint32_t at = s->received & BUFFER_MASK;
    uint32_t first = VSOCK_BUFFER_BYTES - at;

    if (length > VSOCK_BUFFER_BYTES - (s->received - s->taken))
        return false;
    if (first > length)
        first = length;
    memcpy(buffer + at, data, first);
    memcpy(buffer, data + first, length - first);
    s->received += length;
    return true;
}

/* --- The life of a connection ----------------------------------------------
 */

static struct socket *find(const struct vsock_header *h)
{
    for (struct socket *s = sockets; s < sockets + VSOCK_SOCKETS; s++) {
        if (s->state != FREE && s->port == h->to_port &&
            s->peer_port == h->from_port && s->peer_cid == h->from_cid)
            return s;
    }
    return NULL;
}

/* A socket to be used anew. One that waits for its peer's last word is taken
 * when there is no other: that word is then answered by refuse(). */
static struct socket *find_free(void)
{
    struct socket *closing = NULL;

    for (struct socket *s = sockets; s < sockets + VSOCK_SOCKETS; s++) {
        if (s->state == FREE)
            return s;
        if (s->state == CLOSING)
            closing = s;
    }
    return closing;
}

/* Does a listener take one more on (port)? */
static bool has_room(uint32_t port)
{
    unsigned most = 0;
    unsigned there = 0;

    for (unsigned i = 0; i < listener_count; i++)
        most = listeners[i].port == port ? listeners[i].most : most;
    for (unsigned i = 0; i < VSOCK_SOCKETS; i++)
        there += sockets[i].port == port &&
                 (sockets[i].state == OPEN || sockets[i].state == GONE);
    return there < most;
}

/* Somebody wants to come in. */
static void welcome(const struct vsock_header *h)
{
    struct socket *s = find_free();

    if (s == NULL || !has_room(h->to_port)) {
        refuse(h);
        return;
    }
    *s = (struct socket){
        .state = OPEN,
        .port = h->to_port,
        .peer_cid = h->from_cid,
        .peer_port = h->from_port,
        .peer_room = h->room,
        .peer_taken = h->taken,
    };
    owe(s, VSOCK_OP_RESPONSE);
}

/* The peer is gone, or must be: what came before may still be read. */
static void lose(struct socket *s)
{
    s->state = s->state == FREE || s->state == CLOSING ? FREE : GONE;
    s->owed = 0;
}

/* What (h), with (data) behind it, says to (s). */
static void hear(struct socket *s, const struct vsock_header *h,
                 const uint8_t *data)
{
    bool is_fine = s->state != GONE;

    s->peer_room = h->room;
    s->peer_taken = h->taken;
    switch (h->op) {
    case VSOCK_OP_RESPONSE:
        is_fine = s->state == CONNECTING;
        s->state = is_fine ? OPEN : s->state;
        break;
    case VSOCK_OP_RW:
        /* to a closed socket it is no mistake, and of no use */
        is_fine = s->state == CLOSING ||
                  (s->state == OPEN && store(s, data, h->length));
        break;
    case VSOCK_OP_SHUTDOWN:
        s->peer_ended |= h->flags;
        /* both directions: it wants to hear a RST, and is gone */
        is_fine = s->peer_ended != (VSOCK_NO_SEND | VSOCK_NO_RECEIVE);
        break;
    case VSOCK_OP_CREDIT_REQUEST:
        owe(s, VSOCK_OP_CREDIT_UPDATE);
        break;
    case VSOCK_OP_CREDIT_UPDATE:
        break;
    default: /* RST, or nonsense */
        is_fine = false;
        break;
    }
    if (!is_fine) {
        refuse(h);
        lose(s);
    }
}

static void take_in(const struct vsock_packet *packet)
{
    const struct vsock_header *h = &packet->header;
    struct socket *s = find(h);

    if (s != NULL)
        hear(s, h, packet->data);
    else if (h->op == VSOCK_OP_REQUEST && h->type == VSOCK_TYPE_STREAM)
        welcome(h);
    else
        refuse(h);
}

void vsock_poll(void)
{
    if (vsock_device_was_reset()) { /* the machine has moved, say */
        cid = vsock_device_cid();
        for (unsigned i = 0; i < VSOCK_SOCKETS; i++)
            lose(&sockets[i]);
    }
    /* a packet is looked at when there is one to answer it with */
    for (int i = 0; i < POLL_PACKETS && vsock_device_next() != NULL; i++) {
        struct vsock_packet *packet = vsock_device_receive();

        if (packet == NULL)
            break;
        take_in(packet);
        vsock_device_give(packet);
    }
    for (unsigned i = 0; i < VSOCK_SOCKETS; i++)
        settle(&sockets[i]);
    vsock_device_kick();
}

/* --- What users ask for ----------------------------------------------------
 */

bool vsock_init(void)
{
    if (!vsock_device_init())
        return false;
    cid = vsock_device_cid();
    return true;
}

uint64_t vsock_cid(void)
{
    return cid;
}

bool vsock_listen(uint32_t port, unsigned most)
{
    if (listener_count == VSOCK_LISTENERS)
        return false;
    listeners[listener_count].port = port;
    listeners[listener_count++].most = most;
    return true;
}

int vsock_accept(uint32_t port)
{
    for (int i = 0; i < VSOCK_SOCKETS; i++) {
        struct socket *s = &sockets[i];

        if ((s->state == OPEN || s->state == GONE) && !s->accepted &&
            s->port == port) {
            s->accepted = true;
            return i;
        }
    }
    return VSOCK_NONE;
}

int vsock_connect(uint64_t to_cid, uint32_t port)
{
    struct socket *s = find_free();

    if (s == NULL)
        return VSOCK_NONE;
    *s = (struct socket){
        .state = CONNECTING,
        .accepted = true,
        .port = next_port++,
        .peer_cid = to_cid,
        .peer_port = port,
    };
    owe(s, VSOCK_OP_REQUEST);
    return (int)(s - sockets);
}

void vsock_shutdown(int socket)
{
    struct socket *s = &sockets[socket];

    if (s->state != OPEN || s->ended & VSOCK_NO_SEND)
        return;
    s->ended = VSOCK_NO_SEND;
    owe(s, VSOCK_OP_SHUTDOWN);
}

void vsock_close(int socket)
{
    struct socket *s = &sockets[socket];

    if (s->state == GONE) {
        s->state = FREE;
        return;
    }
    s->state = CLOSING;
    s->taken = s->received; /* nobody will read it */
    owe(s, VSOCK_OP_SHUTDOWN);
}
