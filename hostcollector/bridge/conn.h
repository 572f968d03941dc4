/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections: a Unix socket on one side, a pair of vsock ports on the other,
 * and between them the bytes that the socket does not take yet. What the guest
 * does not take yet stays in the socket.
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

#define CONN_MAX     1024u   /* at a time; more are refused */
#define CONN_HELD    131072u /* bytes that one may hold: our credit */
#define CONN_BUCKETS 256u

struct conn {
    struct watch watch; /* first: epoll's events point to it */
    int fd;             /* the client, or who the guest called; -1: closed */
    enum conn_state {
        CONN_HELLO, /* the client has not said which port; no ports yet */
        CONN_ASKED, /* the guest has not answered our request */
        CONN_OPEN,
        CONN_RESET, /* (fd) is closed, the guest is still to be told */
        CONN_DRAIN, /* the guest has gone, what it sent goes to (fd) */
    } state;
    uint32_t host_port, guest_port;

    bool readable; /* (fd) may have bytes, or an end */
    bool last; /* what (fd) has is all that the client sends: read to the end */
    bool hung_up; /* the client has closed; it may have left bytes */
    bool deaf;    /* the client takes no more: drop what the guest sends */
    bool half;    /* (fd) was told that no more will come */

    uint32_t owed;        /* packets to send, as bits 1 << OP */
    uint32_t told, heard; /* SHUT_ bits, to the guest and from it */

    /* credit, all in bytes since the beginning, wrapping */
    uint32_t guest_alloc, guest_fwd; /* as the guest last said */
    uint32_t sent;                   /* to the guest */
    uint32_t taken, taken_told;      /* from the guest, and its last news of */
    bool begged;                     /* for credit, without an answer yet */

    uint8_t *held; /* a ring of CONN_HELD bytes; NULL until needed */
    uint32_t held_at, held_count;

    uint64_t deadline_ms; /* while in conns.deadlines */
    bool timed;
    enum conn_queue {
        CONN_IDLE,    /* in neither: something has to happen first */
        CONN_READY,   /* in conns.ready: worth a look */
        CONN_STARVED, /* in conns.starved: the guest has no buffers */
    } queue;
    struct conn *next; /* in its bucket */
    TAILQ_ENTRY(conn) queued, timer, all;
};

TAILQ_HEAD(conn_list, conn);

struct conns {
    struct conn *buckets[CONN_BUCKETS];
    struct conn_list ready, starved, deadlines, all;
    unsigned count, limit;
    int epoll;
    uint64_t now_ms;    /* the owner's to keep */
    uint32_t last_port; /* given to a client */
};

/* At most (limit) connections, watched by (epoll). */
void conns_init(struct conns *s, int epoll, unsigned limit);

/* A connection with the socket (fd), which is ours from here on: without
 * ports, and ready. NULL: no more fit, and (fd) is closed. */
struct conn *conn_new(struct conns *s, int fd, enum conn_state state);

/* Close and free (c). */
void conn_free(struct conns *s, struct conn *c);

/* Give (c) its ports, by which conn_find() finds it from now on. */
void conn_name(struct conns *s, struct conn *c, uint32_t host_port,
               uint32_t guest_port);

/* Be found no more. */
void conn_unname(struct conns *s, struct conn *c);

struct conn *conn_find(const struct conns *s, uint32_t host_port,
                       uint32_t guest_port);

/* A port of ours that no connection to (guest_port) has. */
uint32_t conn_free_port(struct conns *s, uint32_t guest_port);

/* Put (c) into a queue, at its end; or into none. */
void conn_queue(struct conns *s, struct conn *c, enum conn_queue queue);

/* Give (c), or no longer, PATIENCE from now until conns_expired() has it. */
void conn_time(struct conns *s, struct conn *c, bool timed);

/* The connection whose time is over, no longer timed; NULL: none. */
struct conn *conns_expired(struct conns *s);

/* Milliseconds until one expires; -1: none will. */
int conns_patience(const struct conns *s);

/* Owe the guest packet (op); at most one of each at a time. */
void conn_owe(struct conns *s, struct conn *c, unsigned op);

/* End it at once: close the socket, and owe the guest a RST. */
void conn_reset(struct conns *s, struct conn *c);

/* Bytes that the guest can take. */
uint32_t conn_credit(const struct conn *c);

/* The guest's bytes (pieces), (size) of them, go to the client or are held;
 * a guest that sends more than it was allowed to is reset. */
void conn_write(struct conns *s, struct conn *c, const struct iovec *pieces,
                unsigned count, uint32_t size);

/* Pass on what is held, as much as the socket takes. */
void conn_flush(struct conns *s, struct conn *c);

#endif
