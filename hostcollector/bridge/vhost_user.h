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
#include "bridge/vring.h"
#include "util/err.h"

/* vhost-user messages (QEMU docs/interop/vhost-user.rst): numbers and offsets.
 * Native byte order, which is little-endian here. */

/* Header, followed by the payload. */
#define VU_REQUEST         0u /* u32 */
#define VU_FLAGS           4u /* u32 */
#define VU_FLAG_VERSION    0x3u
#define VU_VERSION         0x1u
#define VU_FLAG_REPLY      0x4u
#define VU_FLAG_NEED_REPLY 0x8u
#define VU_SIZE            8u /* u32 size of the payload */
#define VU_HEADER          12u
#define VU_PAYLOAD_MAX     512u /* larger than any of these messages */

#define VU_GET_FEATURES          1u
#define VU_SET_FEATURES          2u
#define VU_SET_OWNER             3u
#define VU_RESET_OWNER           4u
#define VU_SET_MEM_TABLE         5u
#define VU_SET_VRING_NUM         8u
#define VU_SET_VRING_ADDR        9u
#define VU_SET_VRING_BASE        10u
#define VU_GET_VRING_BASE        11u
#define VU_SET_VRING_KICK        12u
#define VU_SET_VRING_CALL        13u
#define VU_SET_VRING_ERR         14u
#define VU_GET_PROTOCOL_FEATURES 15u
#define VU_SET_PROTOCOL_FEATURES 16u
#define VU_GET_QUEUE_NUM         17u
#define VU_SET_VRING_ENABLE      18u
#define VU_SET_BACKEND_REQ_FD    21u
#define VU_GET_CONFIG            24u
#define VU_SET_CONFIG            25u

/* Features; the first two are virtio's. */
#define VU_F_EVENT_IDX (1ull << 29)
#define VU_F_VERSION_1 (1ull << 32)
#define VU_F_PROTOCOL  (1ull << 30)

#define VU_P_REPLY_ACK (1ull << 3)
#define VU_P_CONFIG    (1ull << 9)

/* Payload of most messages: one u64. In KICK, CALL and ERR its low byte is the
 * number of the ring. */
#define VU_FD_RING 0xffull
#define VU_FD_NONE 0x100ull /* no descriptor is attached */

/* Payload of SET_MEM_TABLE */
#define VU_MEM_COUNT   0u /* u32 */
#define VU_MEM_REGIONS 8u
#define VU_MEM_GUEST   0u /* u64; this and the next three within a region */
#define VU_MEM_SIZE    8u
#define VU_MEM_USER    16u
#define VU_MEM_OFFSET  24u
#define VU_MEM_REGION  32u /* bytes of one region */

/* Payload of SET_VRING_NUM, _BASE, _ENABLE and GET_VRING_BASE */
#define VU_STATE_RING  0u /* u32 */
#define VU_STATE_VALUE 4u /* u32 */
#define VU_STATE       8u /* bytes of this payload */

/* Payload of SET_VRING_ADDR */
#define VU_ADDR_RING  0u  /* u32 */
#define VU_ADDR_FLAGS 4u  /* u32 */
#define VU_ADDR_DESC  8u  /* u64 */
#define VU_ADDR_USED  16u /* u64 */
#define VU_ADDR_AVAIL 24u /* u64 */
#define VU_ADDR       40u /* bytes, with the address of the log */

/* Payload of GET_CONFIG and SET_CONFIG */
#define VU_CONFIG_OFFSET 0u /* u32 */
#define VU_CONFIG_SIZE   4u /* u32 */
#define VU_CONFIG_BYTES  12u

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
    bool protocol; /* VU_F_PROTOCOL was agreed on: each ring waits for ENABLE */
    bool event_idx;
    struct bridge_memory memory;
    struct vring rings[RING_COUNT];
    /* The last answers to GET_VRING_BASE; 0: none. If a ring continues at its
     * last answer, it was paused. Otherwise a driver has just started. */
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
