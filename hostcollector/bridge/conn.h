/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections. Each joins a Unix socket with a pair of vsock ports, and stores
 * bytes of the guest until the socket takes them. Bytes of the client stay in
 * the socket until the guest takes them.
 */
#ifndef TPROF_BRIDGE_CONN_H
#define TPROF_BRIDGE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include "bridge/epoll_watch.h"
#include "bridge/packet.h"
#include "bridge/vring.h"

#define CONN_MAX         1024u /* at a time; further ones are refused */
/* bytes that one connection stores: the guest's credit */
#define CONN_HELD        131072u
#define CONN_BUCKETS     256u
/* one connection in this many is reserved for each side */
#define CONN_KEPT        16u
/* Time limit for the guest's answers, as in Linux, and for silent clients. */
#define CONN_PATIENCE_MS 8000u

struct conn {
    struct watch watch; /* first member: epoll's events point to it */
    int fd;             /* socket of the client or server; -1: closed */
    enum conn_state {
        CONN_HELLO, /* the client has not named a port yet: no ports */
        CONN_ASKED, /* the guest has not answered the bridge's request */
        CONN_OPEN,
        CONN_RESET, /* (fd) is closed, but the guest does not know yet */
        CONN_DRAIN, /* the guest is gone; its last bytes go to (fd) */
    } state;
    uint32_t host_port, guest_port;

    bool call;     /* the guest started the connection */
    bool readable; /* (fd) may have bytes, or be at its end */
    bool last;     /* the client sends nothing after the bytes that (fd) has */
    bool hung_up;  /* the client has closed; (fd) may still have bytes */
    /* the client takes no bytes: the guest's bytes are dropped */
    bool deaf;
    bool half; /* the bridge has shut down writing to (fd) */

    uint32_t owed; /* packets to send, as bits 1 << OP */
    /* SHUT_ bits sent to the guest, and received from it */
    uint32_t told, heard;

    /* credit: bytes since the connection began, wrapping */
    uint32_t guest_alloc, guest_fwd; /* from the guest's last packet */
    uint32_t sent;                   /* sent to the guest */
    uint32_t taken, taken_told; /* bytes taken from the guest, and their last
                                 * report to it */
    /* credit was requested, and no answer came yet */
    bool begged;

    uint8_t *held; /* ring of CONN_HELD bytes; NULL until needed */
    uint32_t held_at, held_count;

    uint64_t deadline_ms; /* if it is in the list of deadlines */
    bool timed;
    enum conn_queue {
        CONN_IDLE,    /* in no queue: waits for an event */
        CONN_READY,   /* in conns.ready: has work */
        CONN_STARVED, /* in conns.starved: waits for buffers of the guest */
    } queue;
    struct conn *next; /* in its bucket */
    TAILQ_ENTRY(conn) queued, timer, all;
};

TAILQ_HEAD(conn_list, conn);

struct conns {
    struct conn *buckets[CONN_BUCKETS];
    struct conn_list ready, starved, deadlines, all;
    unsigned count, calls, limit; /* (calls): connections that the guest
                                   * started */
    int epoll;
    uint64_t now_ms;    /* the owner keeps this up to date */
    uint32_t last_port; /* the last port given to a client */
};

/* Begin without connections. There will be at most (limit). (epoll) watches
 * them. */
void conns_init(struct conns *s, int epoll, unsigned limit);

/* Has one side reached its number of connections? (guest): the side that the
 * guest starts, otherwise clients. */
bool conns_full(const struct conns *s, bool guest);

/* Free the oldest client that has not named a port, if there is one. */
void conns_drop_silent(struct conns *s);

/* Make a connection of the socket (fd), which the connection owns from now on.
 * The connection has no ports and is in conns.ready. State CONN_OPEN means that
 * the guest started the connection. Returns NULL if there are too many
 * connections; then (fd) is closed. */
struct conn *conn_new(struct conns *s, int fd, enum conn_state state);

/* Close and free (c). */
void conn_free(struct conns *s, struct conn *c);

/* Give (c) its ports, by which conn_find() finds it from now on. */
void conn_name(struct conns *s, struct conn *c, uint32_t host_port,
               uint32_t guest_port);

/* Take the ports from (c). conn_find() does not find it any more. */
void conn_unname(struct conns *s, struct conn *c);

struct conn *conn_find(const struct conns *s, uint32_t host_port,
                       uint32_t guest_port);

/* Returns a port of the host that no connection to (guest_port) uses. */
uint32_t conn_free_port(struct conns *s, uint32_t guest_port);

/* Put (c) at the end of (queue); CONN_IDLE means no queue. */
void conn_queue(struct conns *s, struct conn *c, enum conn_queue queue);

/* If (timed), let (c) expire CONN_PATIENCE_MS from now. Otherwise it never
 * expires. */
void conn_time(struct conns *s, struct conn *c, bool timed);

/* Returns a connection that has expired, and removes its time limit; NULL: none
 * has expired. */
struct conn *conns_expired(struct conns *s);

/* Returns the milliseconds until the next connection expires; -1: none will. */
int conns_patience(const struct conns *s);

/* Note that a packet (op) must be sent to the guest. Each (op) is noted at most
 * once at a time. */
void conn_owe(struct conns *s, struct conn *c, unsigned op);

/* End (c) at once: close its socket, and send RST to the guest. */
void conn_reset(struct conns *s, struct conn *c);

/* Number of bytes that the guest can take. */
uint32_t conn_credit(const struct conn *c);

/* Pass (size) bytes of the guest, in (pieces), to the client, or store them. If
 * the guest sends more than its credit, reset the connection. */
void conn_write(struct conns *s, struct conn *c, const struct iovec *pieces,
                unsigned count, uint32_t size);

/* Pass on stored bytes, as many as the socket takes. */
void conn_flush(struct conns *s, struct conn *c);

#endif
