/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back-end's side of vhost-user. A front-end (QEMU) sends the places of the
 * guest's memory and rings, and descriptors for kicks and interrupts.
 */
#ifndef TPROF_BRIDGE_VHOST_USER_H
#define TPROF_BRIDGE_VHOST_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/bridge_memory.h"
#include "bridge/epoll_watch.h"
#include "bridge/vhost_user_msg.h"
#include "bridge/vring.h"
#include "util/err.h"

enum vhost_user_ring {
    RING_RX,    /* to the guest */
    RING_TX,    /* from the guest */
    RING_EVENT, /* accepted but not used: QEMU serves it */
    RING_COUNT,
};

/* descriptors with one message, at most */
#define VHOST_USER_FDS BRIDGE_MEMORY_REGIONS

struct vhost_user {
    int epoll;
    int fd;        /* socket of the front-end; -1: none */
    uint64_t cid;  /* the device's configuration */
    bool protocol; /* VU_F_PROTOCOL was agreed on: rings wait for ENABLE */
    bool event_idx;
    struct bridge_memory memory;
    struct vring rings[RING_COUNT];
    /* The last answers to GET_VRING_BASE; 0: none. A ring that continues from
     * its answer was paused. Any other ring belongs to a driver that has just
     * started. */
    uint16_t paused_at[RING_COUNT];
    struct watch front, kick; /* targets of epoll's events */

    /* the message being received */
    uint8_t message[VU_HEADER + VU_PAYLOAD_MAX];
    uint32_t have; /* bytes received of it */
    int fds[VHOST_USER_FDS];
    unsigned fd_count;
};

/* Result of receiving a message. */
enum vhost_user_news {
    VHOST_USER_LOST = -1, /* the front-end is lost; call vhost_user_drop() */
    VHOST_USER_NONE = 0,  /* nothing came, or only a part of a message */
    VHOST_USER_MORE,      /* a message that changes nothing for the guest */
    VHOST_USER_ANEW,      /* the driver started: all connections are invalid */
};

void vhost_user_init(struct vhost_user *u, int epoll, uint64_t cid);

/* Begin with the front-end at (fd), a socket that does not block. (u) owns (fd)
 * from now on. There must be no front-end. Returns 0; -1 with (e) filled. */
int vhost_user_accept(struct vhost_user *u, int fd, struct err *e);

/*
 * Receive at most one message, and handle it. VHOST_USER_LOST with (e) filled:
 * an error. VHOST_USER_LOST with an empty (e): the front-end has closed
 * normally.
 */
enum vhost_user_news vhost_user_receive(struct vhost_user *u, struct err *e);

/* Drop the front-end, its memory and its rings. */
void vhost_user_drop(struct vhost_user *u);

/* Are both of the guest's rings ready? */
bool vhost_user_runs(const struct vhost_user *u);

#endif
