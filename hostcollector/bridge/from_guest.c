/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the guest's packets. */
#include <stdio.h>
#include <sys/socket.h>

#include "bridge/uds.h"
#include "bridge/vsock.h"

#define PACKETS_A_TURN 64u

/* Answer packet (k) with RST. A RST itself gets no answer, because the two
 * sides would go on without end. */
static void refuse_packet(struct vsock *v, const struct packet *k)
{
    unsigned at = (v->refused_at + v->refused_count) % VSOCK_REFUSALS;

    if (k->op == OP_RST)
        return;
    v->refused[at] = *k;
    /* there is room: the packet was taken only because of it */
    v->refused_count++;
}

/* Handle a request: the guest connects to a port of the host. */
static void call(struct vsock *v, const struct packet *k)
{
    struct conns *s = &v->conns;
    int fd = conns_full(s, true)
                 ? -1
                 : uds_dial(v->path, k->dst_port, v->peers, &v->stranger);
    struct conn *c = fd >= 0 ? conn_new(s, fd, CONN_OPEN) : NULL;

    if (c == NULL) {
        refuse_packet(v, k);
        return;
    }
    conn_name(s, c, k->dst_port, k->src_port);
    c->guest_alloc = k->buf_alloc;
    c->guest_fwd = k->fwd_cnt;
    conn_owe(s, c, OP_RESPONSE);
}

/* Handle a response: the guest accepts a client's connection. */
static void answered(struct vsock *v, struct conn *c)
{
    char line[24];
    int len = snprintf(line, sizeof line, "OK %u\n", c->host_port);

    if (send(c->fd, line, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) != len) {
        conn_reset(&v->conns, c);
        return;
    }
    conn_time(&v->conns, c, false);
    c->state = CONN_OPEN;
    c->readable = true;
}

/* Handle a reset by the guest of connection (c). */
static void gone(struct vsock *v, struct conn *c)
{
    if (c->state != CONN_OPEN || c->held_count == 0) {
        conn_free(&v->conns, c);
        return;
    }
    c->state = CONN_DRAIN;
    c->owed = 0;
    conn_time(&v->conns, c, false);
    conn_unname(&v->conns, c);
}

static void shut(struct conn *c, uint32_t how)
{
    c->heard |= how & SHUT_BOTH;
    /* from now on the client gets EPIPE */
    if ((how & SHUT_NO_RECEIVE) != 0)
        (void)shutdown(c->fd, SHUT_RD);
}

/* Handle a packet of an open connection. Its data is (size) bytes in v->chain.
 */
static void handle_open(struct vsock *v, struct conn *c, const struct packet *k)
{
    struct iovec data[CHAIN_PIECES];
    unsigned count;

    switch (k->op) {
    case OP_RW:
        if ((c->heard & SHUT_NO_SEND) != 0)
            break;
        count = pieces_cut(v->chain.pieces, v->chain.in_count, PACKET_HEADER,
                           k->length, data);
        if (k->length > 0)
            conn_write(&v->conns, c, data, count, k->length);
        return;
    case OP_SHUTDOWN:
        shut(c, k->flags);
        return;
    case OP_CREDIT_REQUEST:
        conn_owe(&v->conns, c, OP_CREDIT_UPDATE);
        return;
    case OP_CREDIT_UPDATE:
        return;
    default:
        break;
    }
    conn_reset(&v->conns, c); /* not valid in this state */
}

static void handle(struct vsock *v, const struct packet *k)
{
    struct conn *c = conn_find(&v->conns, k->dst_port, k->src_port);

    if (k->type != TYPE_STREAM || k->dst_cid != CID_HOST ||
        k->length > v->chain.in_size - PACKET_HEADER ||
        (c == NULL && k->op != OP_REQUEST)) {
        refuse_packet(v, k);
        return;
    }
    if (c == NULL) {
        call(v, k);
        return;
    }
    if (k->op == OP_RST) {
        gone(v, c);
        return;
    }
    if (c->state == CONN_RESET) /* the guest will get its RST soon */
        return;
    c->guest_alloc = k->buf_alloc;
    c->guest_fwd = k->fwd_cnt;
    conn_queue(&v->conns, c, CONN_READY);
    if (c->state == CONN_OPEN)
        handle_open(v, c, k);
    else if (k->op == OP_RESPONSE && (c->owed & 1u << OP_REQUEST) == 0)
        answered(v, c);
    else
        conn_reset(&v->conns, c);
}

bool from_guest(struct vsock *v)
{
    uint8_t header[PACKET_HEADER];

    for (unsigned i = 0; i < PACKETS_A_TURN; i++) {
        struct chain *c = &v->chain;

        if (!vsock_is_up(v) || v->refused_count == VSOCK_REFUSALS ||
            !vring_take(v->tx, v->memory, c))
            return false;
        if (pieces_read(c->pieces, c->in_count, 0, header, sizeof header) ==
            sizeof header) {
            struct packet k = packet_load(header);

            if (k.src_cid == v->cid)
                handle(v, &k);
            else
                v->dropped++; /* an answer would not reach the guest */
        } else {
            v->dropped++;
        }
        vring_give(v->tx, c->head, 0);
    }
    return true;
}
