/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections: each joins a Unix socket with a pair of vsock ports. */
#include "bridge/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT 0x40000000u

/* --- The table ------------------------------------------------------------ */

static unsigned bucket(uint32_t host_port, uint32_t guest_port)
{
    return (host_port * 31 + guest_port) % CONN_BUCKETS;
}

void conns_init(struct conns *s, int epoll, unsigned limit)
{
    memset(s, 0, sizeof *s);
    TAILQ_INIT(&s->ready);
    TAILQ_INIT(&s->starved);
    TAILQ_INIT(&s->deadlines);
    TAILQ_INIT(&s->all);
    s->epoll = epoll;
    s->limit = limit < CONN_MAX ? limit : CONN_MAX;
    s->last_port = FIRST_PORT;
}

bool conns_full(const struct conns *s, bool guest)
{
    unsigned used = guest ? s->calls : s->count - s->calls;

    return s->count >= s->limit || used >= s->limit - s->limit / CONN_KEPT;
}

void conns_drop_silent(struct conns *s)
{
    struct conn *c = TAILQ_FIRST(&s->all);

    while (c != NULL && c->state != CONN_HELLO)
        c = TAILQ_NEXT(c, all);
    if (c != NULL)
        conn_free(s, c);
}

struct conn *conn_new(struct conns *s, int fd, enum conn_state state)
{
    bool call = state == CONN_OPEN;
    struct conn *c = conns_full(s, call) ? NULL : calloc(1, sizeof *c);

    if (c == NULL)
        goto fail;
    c->watch.kind = WATCH_CONN;
    c->fd = fd;
    c->state = state;
    c->readable = true;
    /* edge-triggered: each connection needs one epoll_ctl() in its life */
    if (watch_add(s->epoll, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                  &c->watch) < 0)
        goto fail;
    TAILQ_INSERT_TAIL(&s->all, c, all);
    s->count++;
    c->call = call;
    s->calls += call;
    conn_queue(s, c, CONN_READY);
    return c;

fail:
    free(c);
    close(fd);
    return NULL;
}

static void close_client(struct conn *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    free(c->held);
    c->held = NULL;
    c->held_count = 0;
}

void conn_free(struct conns *s, struct conn *c)
{
    conn_queue(s, c, CONN_IDLE);
    conn_time(s, c, false);
    conn_unname(s, c);
    TAILQ_REMOVE(&s->all, c, all);
    s->count--;
    s->calls -= c->call;
    close_client(c);
    free(c);
}

void conn_name(struct conns *s, struct conn *c, uint32_t host_port,
               uint32_t guest_port)
{
    struct conn **head = &s->buckets[bucket(host_port, guest_port)];

    c->host_port = host_port;
    c->guest_port = guest_port;
    c->next = *head;
    *head = c;
}

void conn_unname(struct conns *s, struct conn *c)
{
    struct conn **at = &s->buckets[bucket(c->host_port, c->guest_port)];

    while (*at != NULL && *at != c)
        at = &(*at)->next;
    if (*at == c)
        *at = c->next;
}

struct conn *conn_find(const struct conns *s, uint32_t host_port,
                       uint32_t guest_port)
{
    struct conn *c = s->buckets[bucket(host_port, guest_port)];

    while (c && (c->host_port != host_port || c->guest_port != guest_port))
        c = c->next;
    return c;
}

uint32_t conn_free_port(struct conns *s, uint32_t guest_port)
{
    do {
        s->last_port =
            s->last_port < UINT32_MAX - 1 ? s->last_port + 1 : FIRST_PORT;
    } while (conn_find(s, s->last_port, guest_port) != NULL);
    return s->last_port;
}

/* --- Queues and time ------------------------------------------------------ */

static struct conn_list *list_of(struct conns *s, enum conn_queue queue)
{
    return queue == CONN_READY ? &s->ready : &s->starved;
}

void conn_queue(struct conns *s, struct conn *c, enum conn_queue queue)
{
    if (c->queue == queue)
        return;
    if (c->queue != CONN_IDLE)
        TAILQ_REMOVE(list_of(s, c->queue), c, queued);
    c->queue = queue;
    if (queue != CONN_IDLE)
        TAILQ_INSERT_TAIL(list_of(s, queue), c, queued);
}

void conn_time(struct conns *s, struct conn *c, bool timed)
{
    if (c->timed)
        TAILQ_REMOVE(&s->deadlines, c, timer);
    c->timed = timed;
    c->deadline_ms = s->now_ms + CONN_PATIENCE_MS;
    /* all have the same time limit, so the list is in order */
    if (timed)
        TAILQ_INSERT_TAIL(&s->deadlines, c, timer);
}

struct conn *conns_expired(struct conns *s)
{
    struct conn *c = TAILQ_FIRST(&s->deadlines);

    if (c == NULL || c->deadline_ms > s->now_ms)
        return NULL;
    conn_time(s, c, false);
    return c;
}

int conns_patience(const struct conns *s)
{
    const struct conn *c = TAILQ_FIRST(&s->deadlines);

    if (c == NULL)
        return -1;
    return c->deadline_ms > s->now_ms ? (int)(c->deadline_ms - s->now_ms) : 0;
}

/* --- The guest's side ----------------------------------------------------- */

void conn_owe(struct conns *s, struct conn *c, unsigned op)
{
    c->owed |= 1u << op;
    conn_queue(s, c, CONN_READY);
}

void conn_reset(struct conns *s, struct conn *c)
{
    close_client(c);
    conn_time(s, c, false);
    c->state = CONN_RESET;
    c->owed = 0;
    conn_owe(s, c, OP_RST);
}

uint32_t conn_credit(const struct conn *c)
{
    uint32_t under_way = c->sent - c->guest_fwd;

    /* the guest may have taken back credit, or sent nonsense */
    return under_way < c->guest_alloc ? c->guest_alloc - under_way : 0;
}

static void took(struct conns *s, struct conn *c, uint32_t size)
{
    c->taken += size;
    if (c->taken - c->taken_told >= CONN_HELD / 4 && c->state == CONN_OPEN)
        conn_owe(s, c, OP_CREDIT_UPDATE);
}

/* --- The socket's side ---------------------------------------------------- */

/* Stop sending to a client that takes no more bytes, and drop the guest's bytes
 * for it. */
static void turn_deaf(struct conns *s, struct conn *c)
{
    struct pollfd p = {.fd = c->fd};

    c->deaf = true;
    took(s, c, c->held_count);
    c->held_count = 0;
    /* Has the client closed its socket altogether? If so, the guest receives a
     * shutdown only after the client's last bytes, because a guest may treat
     * any shutdown as the end. */
    if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)) != 0)
        c->hung_up = true;
    else if (c->state == CONN_OPEN && (c->told & SHUT_NO_RECEIVE) == 0) {
        c->told |= SHUT_NO_RECEIVE;
        conn_owe(s, c, OP_SHUTDOWN);
    }
    conn_queue(s, c, CONN_READY);
}

/* Send pieces. Returns the number of bytes sent; 0 also if the client is gone.
 */
static size_t send_pieces(struct conns *s, struct conn *c, struct iovec *pieces,
                          unsigned count)
{
    struct msghdr m = {.msg_iov = pieces, .msg_iovlen = count};
    ssize_t n = sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n > 0)
        return (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        turn_deaf(s, c);
    return 0;
}

/* Find the (count) bytes of the ring from (at) on, as one or two pieces. */
static unsigned held_pieces(const struct conn *c, uint32_t at, uint32_t count,
                            struct iovec pieces[2])
{
    uint32_t begin = at % CONN_HELD;
    uint32_t first = count < CONN_HELD - begin ? count : CONN_HELD - begin;

    pieces[0] = (struct iovec){c->held + begin, first};
    pieces[1] = (struct iovec){c->held, count - first};
    return first < count ? 2 : 1;
}

void conn_flush(struct conns *s, struct conn *c)
{
    while (c->held_count > 0) {
        struct iovec pieces[2];
        unsigned count = held_pieces(c, c->held_at, c->held_count, pieces);
        size_t n = send_pieces(s, c, pieces, count);

        if (n == 0)
            return;
        c->held_at = (c->held_at + (uint32_t)n) % CONN_HELD;
        c->held_count -= (uint32_t)n;
        took(s, c, (uint32_t)n);
    }
}

/* Store the bytes that the socket did not take, from (skip) on in the pieces.
 */
static int hold(struct conn *c, const struct iovec *pieces, unsigned count,
                size_t skip, uint32_t size)
{
    struct iovec to[2];

    if (size > CONN_HELD - c->held_count)
        return -1;
    if (c->held == NULL && (c->held = malloc(CONN_HELD)) == NULL)
        return -1;
    (void)held_pieces(c, c->held_at + c->held_count, size, to);
    for (unsigned i = 0; i < 2; i++) {
        (void)pieces_read(pieces, count, skip, to[i].iov_base, to[i].iov_len);
        skip += to[i].iov_len;
    }
    c->held_count += size;
    return 0;
}

void conn_write(struct conns *s, struct conn *c, const struct iovec *pieces,
                unsigned count, uint32_t size)
{
    size_t sent = 0;

    if (c->held_count == 0 && !c->deaf) {
        struct iovec all[CHAIN_PIECES];

        memcpy(all, pieces, count * sizeof *pieces);
        sent = send_pieces(s, c, all, count);
        took(s, c, (uint32_t)sent);
    }
    if (c->deaf)
        took(s, c, size - (uint32_t)sent);
    else if (sent < size &&
             hold(c, pieces, count, sent, size - (uint32_t)sent) < 0)
        conn_reset(s, c);
}
