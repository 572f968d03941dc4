/* SPDX-License-Identifier: BSD-2-Clause */
/* The vsock device: joins the packets in a guest's rings with connections. */
#include "bridge/vsock.h"

#define TURNS 8u /* of both directions, before other events are handled */

bool vsock_is_up(const struct vsock *v)
{
    return vring_runs(v->rx) && vring_runs(v->tx);
}

void vsock_event(struct vsock *v, struct conn *c, uint32_t events)
{
    if (c->state == CONN_RESET)
        return;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        c->readable = true;
    if ((events & EPOLLRDHUP) != 0)
        c->last = true;
    if ((events & (EPOLLHUP | EPOLLERR)) != 0 && !c->hung_up) {
        c->hung_up = true;
        /* so that it expires */
        conn_time(&v->conns, c, true);
    }
    if ((events & EPOLLOUT) != 0)
        conn_flush(&v->conns, c);
    conn_queue(&v->conns, c, CONN_READY);
}

/* Serve the connections that waited for buffers first, because the guest has
 * buffers again. */
static void feed(struct conns *s)
{
    struct conn *c;

    while ((c = TAILQ_LAST(&s->starved, conn_list)) != NULL) {
        TAILQ_REMOVE(&s->starved, c, queued);
        TAILQ_INSERT_HEAD(&s->ready, c, queued);
        c->queue = CONN_READY;
    }
}

/* Ask for kicks on both rings. Returns true if chains are there already. */
static bool listen_again(struct vsock *v)
{
    bool choked = v->refused_count == VSOCK_REFUSALS;
    bool starved = v->refused_count > 0 || !TAILQ_EMPTY(&v->conns.starved);
    bool more = false;

    if (choked)
        vring_mute_kicks(v->tx);
    else
        more = vring_want_kicks(v->tx);
    if (!starved)
        vring_mute_kicks(v->rx);
    else if (vring_want_kicks(v->rx)) {
        feed(&v->conns);
        more = true;
    }
    return more;
}

bool vsock_pump(struct vsock *v)
{
    for (unsigned i = 0; i < TURNS; i++) {
        bool more = from_guest(v);

        more |= to_guest(v);
        vring_interrupt_guest(v->tx);
        vring_interrupt_guest(v->rx);
        if (!more && !listen_again(v))
            return false;
    }
    return true;
}

void vsock_expire(struct vsock *v)
{
    struct conn *c;

    while ((c = conns_expired(&v->conns)) != NULL) {
        if (c->state == CONN_DRAIN || c->state == CONN_HELLO)
            conn_free(&v->conns, c);
        else
            conn_reset(&v->conns, c);
    }
}

void vsock_hang_up(struct vsock *v)
{
    struct conn *c, *next;

    v->refused_count = 0;
    for (c = TAILQ_FIRST(&v->conns.all); c != NULL; c = next) {
        next = TAILQ_NEXT(c, all);
        if (c->state == CONN_DRAIN)
            continue;
        if (c->state != CONN_OPEN || c->held_count == 0) {
            conn_free(&v->conns, c);
            continue;
        }
        c->state = CONN_DRAIN;
        c->owed = 0;
        conn_time(&v->conns, c, false);
        conn_unname(&v->conns, c);
        conn_queue(&v->conns, c, CONN_IDLE);
    }
}
