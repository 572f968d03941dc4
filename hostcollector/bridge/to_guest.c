/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the guest's buffers: packets of connections, and bytes of sockets. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/uds.h"
#include "bridge/vsock.h"

#define SERVED_A_TURN 64u
#define BYTES_A_TURN  (64u * 1024u) /* limit for one connection */

/* --- Packets -------------------------------------------------------------- */

/* Take a buffer with room for a header and at least one byte. */
static bool take_buffer(struct vsock *v, struct chain *c)
{
    if (!vsock_is_up(v) || !vring_take(v->rx, v->memory, c))
        return false;
    if (c->out_size > PACKET_HEADER)
        return true;
    v->rx->broken = "a buffer too small for a packet";
    return false;
}

/* Fill (c) with the header (k). The data is in (c) already. */
static void give(struct vsock *v, const struct chain *c, const struct packet *k)
{
    uint8_t header[PACKET_HEADER];

    packet_store(k, header);
    (void)pieces_write(c->pieces + c->in_count, c->out_count, 0, header,
                       sizeof header);
    vring_give(v->rx, c->head, PACKET_HEADER + k->length);
}

static struct packet packet_of(const struct vsock *v, struct conn *c,
                               unsigned op, uint32_t length)
{
    c->taken_told = c->taken; /* each packet carries it */
    return (struct packet){
        .src_cid = CID_HOST,
        .dst_cid = v->cid,
        .src_port = c->host_port,
        .dst_port = c->guest_port,
        .length = length,
        .type = TYPE_STREAM,
        .op = (uint16_t)op,
        .flags = op == OP_SHUTDOWN ? c->told : 0,
        .buf_alloc = CONN_HELD,
        .fwd_cnt = c->taken,
    };
}

/* Send the packets that (c) must send, in the order of their numbers. Returns
 * false if there are no buffers. */
static bool pay(struct vsock *v, struct conn *c)
{
    for (unsigned op = OP_REQUEST; c->owed != 0; op++) {
        if ((c->owed & 1u << op) == 0)
            continue;
        if (!take_buffer(v, &v->chain))
            return false;
        struct packet k = packet_of(v, c, op, 0);

        give(v, &v->chain, &k);
        c->owed &= ~(1u << op);
    }
    return true;
}

static bool pay_refusals(struct vsock *v)
{
    while (v->refused_count > 0) {
        const struct packet *k = &v->refused[v->refused_at];
        const struct packet rst = {
            .src_cid = k->dst_cid,
            .dst_cid = v->cid,
            .src_port = k->dst_port,
            .dst_port = k->src_port,
            .type = k->type,
            .op = OP_RST,
        };

        if (!take_buffer(v, &v->chain))
            return false;
        give(v, &v->chain, &rst);
        v->refused_at = (v->refused_at + 1) % VSOCK_REFUSALS;
        v->refused_count--;
    }
    return true;
}

/* --- Bytes ---------------------------------------------------------------- */

/* Take buffers for up to (room) bytes to v->batch, and write their places after
 * the headers to (places). Returns the number of places. Stores the number of
 * buffers in (*taken). */
static unsigned gather(struct vsock *v, size_t room, struct iovec *places,
                       unsigned *taken)
{
    unsigned pieces = 0;

    for (*taken = 0; *taken < VSOCK_BATCH && room > 0; (*taken)++) {
        struct chain *c = &v->batch[*taken];

        if (!take_buffer(v, c))
            break;
        size_t here = c->out_size - PACKET_HEADER;

        here = here < room ? here : room;
        pieces += pieces_cut(c->pieces + c->in_count, c->out_count,
                             PACKET_HEADER, here, places + pieces);
        room -= here;
    }
    return pieces;
}

/* Return the buffers that (size) bytes fill, and put the others back. */
static void scatter(struct vsock *v, struct conn *conn, unsigned taken,
                    size_t size)
{
    unsigned i = 0;

    conn->sent += (uint32_t)size;
    for (; size > 0; i++) {
        struct chain *c = &v->batch[i];
        size_t here = c->out_size - PACKET_HEADER;

        here = here < size ? here : size;
        struct packet k = packet_of(v, conn, OP_RW, (uint32_t)here);
        give(v, c, &k);
        size -= here;
    }
    vring_untake(v->rx, taken - i);
}

/* Send the guest a shutdown: the client will send no more, and takes no more if
 * it has closed. */
static void ended(struct vsock *v, struct conn *c)
{
    c->readable = false;
    c->told |= SHUT_NO_SEND | (c->hung_up ? SHUT_NO_RECEIVE : 0);
    conn_owe(&v->conns, c, OP_SHUTDOWN);
    conn_time(&v->conns, c, c->told == SHUT_BOTH);
}

/* Does (c) have bytes that may be sent to the guest? */
static bool has_bytes(struct vsock *v, struct conn *c)
{
    if (c->state != CONN_OPEN || !c->readable ||
        (c->told & SHUT_NO_SEND) != 0 || (c->heard & SHUT_NO_RECEIVE) != 0)
        return false;
    if (conn_credit(c) > 0) {
        c->begged = false;
        return true;
    }
    /* once: a full guest answers at once that it is full */
    if (!c->begged)
        conn_owe(&v->conns, c, OP_CREDIT_REQUEST);
    c->begged = true;
    return false;
}

/* Has the socket no more bytes? Yes, if the read returned fewer bytes (n) than
 * (asked). No at the client's end, because no further event would report the
 * end. */
static bool was_all(const struct conn *c, size_t n, size_t asked)
{
    return n < asked && !c->last && !c->hung_up;
}

/* Move bytes to the guest. Returns false if there are no buffers for them. */
static bool copy(struct vsock *v, struct conn *c)
{
    struct iovec places[VSOCK_BATCH * CHAIN_PIECES];
    uint32_t credit = conn_credit(c);
    size_t room = credit < BYTES_A_TURN ? credit : BYTES_A_TURN;
    unsigned taken;
    unsigned count = gather(v, room, places, &taken);

    if (taken == 0)
        return false;
    size_t asked = 0;
    for (unsigned i = 0; i < count; i++)
        asked += places[i].iov_len;

    ssize_t n = readv(c->fd, places, (int)count);
    int error = n < 0 ? errno : 0;

    scatter(v, c, taken, n > 0 ? (size_t)n : 0);
    if (n == 0)
        ended(v, c);
    else if (n < 0 && error != EAGAIN && error != EINTR)
        conn_reset(&v->conns, c);
    else if (error == EAGAIN || (n > 0 && was_all(c, (size_t)n, asked)))
        c->readable = false; /* an event will report more */
    if (n > 0 && c->hung_up)
        /* let it expire if the guest does not take the rest */
        conn_time(&v->conns, c, true);
    return true;
}

/* --- Connections ---------------------------------------------------------- */

/* Read the client's line "CONNECT port". */
static void read_client_line(struct vsock *v, struct conn *c)
{
    uint32_t port;
    int got = uds_hello(c->fd, &port);

    c->readable = false;
    if (got == 0)
        return;
    if (got < 0 || !vsock_is_up(v)) {
        conn_free(&v->conns, c);
        return;
    }
    conn_name(&v->conns, c, conn_free_port(&v->conns, port), port);
    c->state = CONN_ASKED;
    conn_time(&v->conns, c, true);
    conn_owe(&v->conns, c, OP_REQUEST);
}

/* If the guest has ended the connection, shut down the socket once the stored
 * bytes are written. Returns false if (c) was freed. */
static bool settle_conn(struct vsock *v, struct conn *c)
{
    if (c->held_count > 0)
        return true;
    if (c->state == CONN_DRAIN) {
        conn_free(&v->conns, c);
        return false;
    }
    if (c->state != CONN_OPEN)
        return true;
    if (c->heard == SHUT_BOTH) {
        conn_reset(&v->conns, c);
    } else if ((c->heard & SHUT_NO_SEND) != 0 && !c->half) {
        c->half = true;
        (void)shutdown(c->fd, SHUT_WR);
    }
    /* the client is gone, and no bytes of it are left */
    if (c->state == CONN_OPEN && c->hung_up && c->told != SHUT_BOTH &&
        ((c->told & SHUT_NO_SEND) != 0 || (c->heard & SHUT_NO_RECEIVE) != 0))
        ended(v, c);
    return true;
}

/* Serve (c), which is in no queue. This may put it into one. */
static void serve(struct vsock *v, struct conn *c)
{
    struct conns *s = &v->conns;

    if (c->state == CONN_HELLO) {
        read_client_line(v, c); /* puts it into a queue again, or frees it */
        return;
    }
    if (!settle_conn(v, c) || c->state == CONN_DRAIN)
        return;
    /* the client left before the guest answered */
    if (c->state == CONN_ASKED && c->hung_up)
        conn_reset(s, c);
    bool bytes = has_bytes(v, c);
    if (!pay(v, c) || (bytes && !copy(v, c))) {
        conn_queue(s, c, CONN_STARVED);
        return;
    }
    if (c->state == CONN_RESET && c->owed == 0) {
        conn_free(s, c);
        return;
    }
    conn_queue(s, c, has_bytes(v, c) || c->owed != 0 ? CONN_READY : CONN_IDLE);
}

bool to_guest(struct vsock *v)
{
    struct conns *s = &v->conns;

    if (!pay_refusals(v))
        return false;
    for (unsigned i = 0; i < SERVED_A_TURN; i++) {
        struct conn *c = TAILQ_FIRST(&s->ready);

        if (c == NULL)
            return false;
        conn_queue(s, c, CONN_IDLE);
        serve(v, c);
    }
    return true;
}
