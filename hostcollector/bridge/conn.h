/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections. Each joins a Unix socket with a pair of vsock ports, and holds
 * the guest's bytes that the socket does not take yet. The client's bytes that
 * the guest does not take yet stay in the socket.
 */
#ifndef TPROF_BRIDGE_CONN_H
#define TPROF_BRIDGE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include "bridge/packet.h"
#include "bridge/vring.h"
#include "bridge/watch.h"

#define CONN_MAX         1024u   /* at a time; more are refused */
#define CONN_HELD        131072u /* bytes that one may hold: the guest's credit */
#define CONN_BUCKETS     256u
#define CONN_KEPT        16u /* one in so many is kept for each side */
/* for an answer of the guest's, as Linux has it, and for who says nothing */
#define CONN_PATIENCE_MS 8000u

struct conn {
    struct watch watch; /* first: epoll's events point to it */
    int fd;             /* socket of the client or server; -1: closed */
    enum conn_state {
        CONN_HELLO, /* the client has not named a port; there are no ports */
        CONN_ASKED, /* the guest has not answered the bridge's request */
        CONN_OPEN,
        CONN_RESET, /* (fd) is closed, but the guest was not told yet */
        CONN_DRAIN, /* the guest has gone; its last bytes go to (fd) */
    } state;
    uint32_t host_port, guest_port;

    bool call;     /* the guest began it */
    bool readable; /* (fd) may have bytes, or an end */
    bool last;     /* the client sends no more than what (fd) has now */
    bool hung_up;  /* the client has closed; (fd) may still have bytes */
    bool deaf;     /* the client takes no bytes: drop those of the guest */
    bool half;     /* the bridge has shut down writing to (fd) */

    uint32_t owed;        /* packets to send, as bits 1 << OP */
    uint32_t told, heard; /* SHUT_ bits, to the guest and from it */

    /* credit, all in bytes since the beginning, wrapping */
    uint32_t guest_alloc, guest_fwd; /* from the guest's last packet */
    uint32_t sent;                   /* to the guest */
    uint32_t taken, taken_told; /* from the guest; (taken) when last told */
    bool begged;                /* asked for credit, and got no answer yet */

    uint8_t *held; /* a ring of CONN_HELD bytes; NULL until needed */
    uint32_t held_at, held_count;

    uint64_t deadline_ms; /* while in conns.deadlines */
    bool timed;
    enum conn_queue {
        CONN_IDLE,    /* in no queue: waits for an event */
        CONN_READY,   /* in conns.ready: has something to do */
        CONN_STARVED, /* in conns.starved: waits for buffers of the guest */
    } queue;
    struct conn *next; /* in its bucket */
    TAILQ_ENTRY(conn) queued, timer, all;
};

TAILQ_HEAD(conn_list, conn);

struct conns {
    struct conn *buckets[CONN_BUCKETS];
    struct conn_list ready, starved, deadlines, all;
    unsigned count, calls, limit; /* (calls): those that the guest began */
    int epoll;
    uint64_t now_ms;    /* the owner keeps it up to date */
    uint32_t last_port; /* that was given to a client */
};

/* At most (limit) connections, watched by (epoll). */
void conns_init(struct conns *s, int epoll, unsigned limit);

/* Has the guest, or have clients, as many connections as they may? */
bool conns_full(const struct conns *s, bool guest);

/* Free the oldest client that has not named a port, if there is one. */
void conns_drop_silent(struct conns *s);

/* A connection with the socket (fd), which it owns; without ports, and in
 * conns.ready. CONN_OPEN: the guest began it. NULL if there are too many, and
 * (fd) is closed. */
struct conn *conn_new(struct conns *s, int fd, enum conn_state state);

/* Close and free (c). */
void conn_free(struct conns *s, struct conn *c);

/* Give (c) its ports. conn_find() finds it by them from now on. */
void conn_name(struct conns *s, struct conn *c, uint32_t host_port,
               uint32_t guest_port);

/* Take the ports from (c), which conn_find() finds no more. */
void conn_unname(struct conns *s, struct conn *c);

struct conn *conn_find(const struct conns *s, uint32_t host_port,
                       uint32_t guest_port);

/* A port of the host that no connection to (guest_port) uses. */
uint32_t conn_free_port(struct conns *s, uint32_t guest_port);

/* Put (c) at the end of (queue), or into no queue for CONN_IDLE. */
void conn_queue(struct conns *s, struct conn *c, enum conn_queue queue);

/* If (timed), let (c) expire CONN_PATIENCE_MS from now; else let it not expire.
 */
void conn_time(struct conns *s, struct conn *c, bool timed);

/* A connection that has expired, and is not timed any more; NULL: none. */
struct conn *conns_expired(struct conns *s);

/* Milliseconds until one expires; -1: none will. */
int conns_patience(const struct conns *s);

/* Note that a packet (op) must be sent to the guest; one of each at a time. */
void conn_owe(struct conns *s, struct conn *c, unsigned op);

/* End (c) at once: close its socket, and send the guest a RST. */
void conn_reset(struct conns *s, struct conn *c);

/* Bytes that the guest can take. */
uint32_t conn_credit(const struct conn *c);

/* Pass (size) bytes of the guest, in (pieces), to the client, or hold them. If
 * the guest sends more than its credit, reset the connection. */
void conn_write(struct conns *s, struct conn *c, const struct iovec *pieces,
                unsigned count, uint32_t size);

/* Pass on held bytes, as many as the socket takes. */
void conn_flush(struct conns *s, struct conn *c);

#endif
