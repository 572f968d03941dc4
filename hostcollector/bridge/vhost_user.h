/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back-end's side of vhost-user: a front-end (QEMU) tells where the guest's
 * memory and rings are, and which descriptors carry kicks and interrupts.
 */
#ifndef TPROF_BRIDGE_VHOST_USER_H
#define TPROF_BRIDGE_VHOST_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/memory.h"
#include "bridge/vhost_user_msg.h"
#include "bridge/vring.h"
#include "bridge/watch.h"
#include "util/err.h"

enum vhost_user_ring {
    RING_RX,    /* to the guest */
    RING_TX,    /* from it */
    RING_EVENT, /* accepted and left alone: QEMU keeps it to itself */
    RING_COUNT,
};

#define VHOST_USER_FDS MEMORY_REGIONS /* with one message, at most */

struct vhost_user {
    int epoll;
    int fd;        /* the front-end; -1: none */
    uint64_t cid;  /* what the guest reads from the device */
    bool protocol; /* VU_F_PROTOCOL was agreed on: rings wait for ENABLE */
    bool event_idx;
    struct memory memory;
    struct vring rings[RING_COUNT];
    /* What GET_VRING_BASE answered: a ring that goes on there was paused, any
     * other belongs to a driver that begins anew. 0: never asked. */
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
    VHOST_USER_LOST = -1, /* (e) says why; now vhost_user_drop() */
    VHOST_USER_NONE = 0,  /* nothing, or no whole message yet */
    VHOST_USER_MORE,      /* a message that changes nothing for the guest */
    VHOST_USER_ANEW,      /* the guest's driver started: no connection lives */
};

void vhost_user_init(struct vhost_user *u, int epoll, uint64_t cid);

/* Begin with the front-end at (fd), a socket that does not block and is ours
 * from here on. There is none yet. Returns 0; -1 with (e) filled. */
int vhost_user_accept(struct vhost_user *u, int fd, struct err *e);

/*
 * Receive what is there, up to one message, and do as it says. Reading ends
 * with the front-end: VHOST_USER_LOST with an empty (e) is its orderly end.
 */
enum vhost_user_news vhost_user_receive(struct vhost_user *u, struct err *e);

/* Forget the front-end, its memory and rings. */
void vhost_user_drop(struct vhost_user *u);

/* True if both of the guest's rings can be used. */
bool vhost_user_runs(const struct vhost_user *u);

#endif
