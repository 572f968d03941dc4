/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back-end's side of vhost-user: a front-end (QEMU) tells where the guest's
 * memory and rings are, and which descriptors carry kicks and interrupts.
 */
#ifndef TPROF_BRIDGE_VHOST_USER_H
#define TPROF_BRIDGE_VHOST_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/bridge_memory.h"
#include "bridge/vhost_user_msg.h"
#include "bridge/vring.h"
#include "bridge/watch.h"
#include "util/err.h"

enum vhost_user_ring {
    RING_RX,    /* to the guest */
    RING_TX,    /* from it */
    RING_EVENT, /* accepted but not used: QEMU serves it */
    RING_COUNT,
};

#define VHOST_USER_FDS BRIDGE_MEMORY_REGIONS /* with one message, at most */

struct vhost_user {
    int epoll;
    int fd;        /* the front-end; -1: none */
    uint64_t cid;  /* what the guest reads from the device */
    bool protocol; /* VU_F_PROTOCOL was agreed on: rings wait for ENABLE */
    bool event_idx;
    struct bridge_memory memory;
    struct vring rings[RING_COUNT];
    /* The answers to GET_VRING_BASE; 0: never asked. A ring that goes on from
     * there was paused. Any other ring belongs to a driver that starts anew. */
    uint16_t paused_at[RING_COUNT];
    struct watch front, kick; /* where epoll's events point */

    /* the message that is being received */
    uint8_t message[VU_HEADER + VU_PAYLOAD_MAX];
    uint32_t have; /* bytes of it */
    int fds[VHOST_USER_FDS];
    unsigned fd_count;
};

/* What a message led to. */
enum vhost_user_news {
    VHOST_USER_LOST = -1, /* (e) says why; call vhost_user_drop() */
    VHOST_USER_NONE = 0,  /* nothing, or no whole message yet */
    VHOST_USER_MORE,      /* a message that changes nothing for the guest */
    VHOST_USER_ANEW,      /* the driver started: all connections are dead */
};

void vhost_user_init(struct vhost_user *u, int epoll, uint64_t cid);

/* Begin with the front-end at (fd), a socket that does not block and belongs to
 * (u) from here on. There must be no front-end. Returns 0; -1 with (e) filled.
 */
int vhost_user_accept(struct vhost_user *u, int fd, struct err *e);

/*
 * Receive up to one message, and do what it says. VHOST_USER_LOST with an empty
 * (e): the front-end has closed in order.
 */
enum vhost_user_news vhost_user_receive(struct vhost_user *u, struct err *e);

/* Forget the front-end, its memory and rings. */
void vhost_user_drop(struct vhost_user *u);

/* True if both of the guest's rings can be used. */
bool vhost_user_runs(const struct vhost_user *u);

#endif
