/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives vhost-user messages and handles them, within bounds. */
#include "bridge/vhost_user.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/uds_words.h"

/* Size of a device's config space in vhost-user. */
#define CONFIG_SIZE 256u

static uint8_t *payload(struct vhost_user *u)
{
    return u->message + VU_HEADER;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_fds(struct vhost_user *u)
{
    while (u->fd_count > 0)
        close_fd(&u->fds[--u->fd_count]);
}

static void close_ring(struct vhost_user *u, struct vring *r)
{
    if (r->kick >= 0)
        watch_remove(u->epoll, r->kick);
    close_fd(&r->kick);
    close_fd(&r->call);
    vring_init(r);
}

/* --- The connection ------------------------------------------------------- */

void vhost_user_init(struct vhost_user *u, int epoll, uint64_t cid)
{
    memset(u, 0, sizeof *u);
    u->epoll = epoll;
    u->fd = -1;
    u->cid = cid;
    u->front.kind = WATCH_FRONT;
    u->kick.kind = WATCH_KICK;
    for (unsigned i = 0; i < RING_COUNT; i++)
        vring_init(&u->rings[i]);
}

int vhost_user_accept(struct vhost_user *u, int fd, struct err *e)
{
    if (watch_add(u->epoll, fd, EPOLLIN, &u->front) < 0) {
        err_sys(e, "vhost-user: epoll");
        close(fd);
        return -1;
    }
    u->fd = fd;
    return 0;
}

void vhost_user_drop(struct vhost_user *u)
{
    int epoll = u->epoll;

    for (unsigned i = 0; i < RING_COUNT; i++)
        close_ring(u, &u->rings[i]);
    close_fds(u);
    bridge_memory_unmap(&u->memory);
    close_fd(&u->fd);
    vhost_user_init(u, epoll, u->cid);
}

bool vhost_user_runs(const struct vhost_user *u)
{
    return vring_runs(&u->rings[RING_RX]) && vring_runs(&u->rings[RING_TX]);
}

/* --- Receiving ------------------------------------------------------------ */

/* Keep the message's descriptors. If there were too many, the kernel has closed
 * some, and the front-end must be dropped. */
static int take_fds(struct vhost_user *u, struct msghdr *m, struct err *e)
{
    bool many = (m->msg_flags & MSG_CTRUNC) != 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (u->fd_count < VHOST_USER_FDS) {
                u->fds[u->fd_count++] = fd;
            } else {
                close(fd);
                many = true;
            }
        }
    }
    return many ? err_set(e, "vhost-user: too many descriptors") : 0;
}

/* Receive up to (want) bytes of the message. Returns 1 when they are complete;
 * 0: not yet; -1: the end, with (e) empty if it is a normal one. */
static int receive_up_to(struct vhost_user *u, uint32_t want, struct err *e)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(VHOST_USER_FDS * sizeof(int))];
    } control;
    struct iovec piece = {u->message + u->have, want - u->have};
    struct msghdr m = {.msg_iov = &piece,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};

    if (u->have >= want)
        return 1;
    ssize_t n = recvmsg(u->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n < 0)
        return err_sys(e, "vhost-user: recvmsg");
    if (take_fds(u, &m, e) < 0)
        return -1;
    if (n == 0)
        return u->have == 0
                   ? -1
                   : err_set(
                         e,
                         "vhost-user: the connection ended inside a message");
    u->have += (uint32_t)n;
    return u->have >= want;
}

/* --- Messages ------------------------------------------------------------- */

/* Result of a handler: the (size) bytes of an answer's payload, which replaces
 * the message, or no answer. */
#define NO_ANSWER (-1)

static int refuse_request(struct vhost_user *u, struct err *e)
{
    (void)err_set(e,
                  "vhost-user: message %u of %u bytes with %u descriptors "
                  "is invalid",
                  load_u32(u->message + VU_REQUEST),
                  load_u32(u->message + VU_SIZE), u->fd_count);
    return -2;
}

static int answer_u64(struct vhost_user *u, uint64_t value)
{
    store_u64(payload(u), value);
    return 8;
}

/* Find all rings in the memory again. Fails if a ring that was mapped is
 * missing. */
static int place_rings(struct vhost_user *u, struct err *e)
{
    for (unsigned i = 0; i < RING_COUNT; i++) {
        struct vring *r = &u->rings[i];

        if (r->desc != NULL && vring_place(r, &u->memory) < 0)
            return err_set(e, "vhost-user: ring %u is not in the memory", i);
    }
    return 0;
}

static int set_memory(struct vhost_user *u, uint32_t size, struct err *e)
{
    const uint8_t *p = payload(u);
    struct bridge_memory_claim claims[BRIDGE_MEMORY_REGIONS] = {{0}};
    uint32_t count = size >= VU_MEM_REGIONS ? load_u32(p + VU_MEM_COUNT) : 0;

    if (size < VU_MEM_REGIONS || count > BRIDGE_MEMORY_REGIONS ||
        size < VU_MEM_REGIONS + count * VU_MEM_REGION || count != u->fd_count)
        return refuse_request(u, e);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *r = p + VU_MEM_REGIONS + (size_t)i * VU_MEM_REGION;

        claims[i] = (struct bridge_memory_claim){
            load_u64(r + VU_MEM_GUEST), load_u64(r + VU_MEM_SIZE),
            load_u64(r + VU_MEM_USER), load_u64(r + VU_MEM_OFFSET)};
    }
    if (bridge_memory_map(&u->memory, claims, u->fds, count, e) < 0 ||
        place_rings(u, e) < 0)
        return -2;
    return NO_ANSWER;
}

/* The ring that a message of (size) bytes names; NULL if there is no such ring.
 */
static struct vring *named_ring(struct vhost_user *u, uint32_t size,
                                uint32_t need)
{
    uint32_t i = size >= need ? load_u32(payload(u)) : RING_COUNT;

    return i < RING_COUNT ? &u->rings[i] : NULL;
}

static int set_ring(struct vhost_user *u, uint32_t request, uint32_t size,
                    struct err *e)
{
    struct vring *r = named_ring(u, size, VU_STATE);
    uint32_t value = r ? load_u32(payload(u) + VU_STATE_VALUE) : 0;

    if (r == NULL)
        return refuse_request(u, e);
    switch (request) {
    case VU_SET_VRING_NUM:
        if (value == 0 || value > VRING_MAX || (value & (value - 1)) != 0 ||
            r->desc != NULL)
            return refuse_request(u, e);
        r->size = value;
        break;
    case VU_SET_VRING_BASE:
        r->next_avail = (uint16_t)value;
        break;
    default:
        r->enabled = value != 0;
        break;
    }
    return NO_ANSWER;
}

static int set_address(struct vhost_user *u, uint32_t size, struct err *e)
{
    const uint8_t *p = payload(u);
    struct vring *r = named_ring(u, size, VU_ADDR);

    if (r == NULL)
        return refuse_request(u, e);
    r->desc_at = load_u64(p + VU_ADDR_DESC);
    r->used_at = load_u64(p + VU_ADDR_USED);
    r->avail_at = load_u64(p + VU_ADDR_AVAIL);
    if (vring_place(r, &u->memory) < 0) {
        (void)err_set(e, "vhost-user: a ring is not in the shared memory");
        return -2;
    }
    /* all chains taken earlier have been returned */
    r->next_used = r->told = load_u16(r->used + 2);
    r->event_idx = u->event_idx;
    r->broken = NULL;
    return NO_ANSWER;
}

/* Set the descriptor (fd), or none if -1, that interrupts the guest when the
 * device has served (r). */
static void set_call(struct vring *r, int fd)
{
    close_fd(&r->call);
    r->call = fd;
    /* earlier interrupts may have reached nobody: QEMU sends the real
     * descriptor only after the ring has begun to run */
    if (fd >= 0 && vring_runs(r))
        (void)eventfd_write(fd, 1);
}

/* Set the descriptor (fd) by which the guest kicks (r). */
static int set_kick(struct vhost_user *u, struct vring *r, int fd,
                    struct err *e)
{
    if (r->kick >= 0)
        watch_remove(u->epoll, r->kick);
    close_fd(&r->kick);
    r->kick = fd;
    /* edge-triggered: a kick need not be read to be seen only once */
    if (watch_add(u->epoll, fd, EPOLLIN | EPOLLET, &u->kick) < 0) {
        (void)err_sys(e, "vhost-user: epoll of a kick");
        return -2;
    }
    if (!u->protocol)
        r->enabled = true;
    return NO_ANSWER;
}

/* Take the descriptor of KICK, CALL or ERR. */
static int set_descriptor(struct vhost_user *u, uint32_t request, uint32_t size,
                          struct err *e)
{
    uint64_t value = size >= 8 ? load_u64(payload(u)) : RING_COUNT;
    uint64_t i = value & VU_FD_RING;
    bool none = (value & VU_FD_NONE) != 0;

    if (i >= RING_COUNT || u->fd_count != (none ? 0 : 1) ||
        (none && request == VU_SET_VRING_KICK))
        return refuse_request(u, e);
    if (request == VU_SET_VRING_ERR)
        return NO_ANSWER; /* ignore an error about which QEMU could do
                           * nothing */

    int fd = none ? -1 : u->fds[0];

    u->fd_count = 0; /* the ring owns the descriptor now */
    /* the device must never block on a descriptor of the front-end */
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    if (request == VU_SET_VRING_KICK)
        return set_kick(u, &u->rings[i], fd, e);
    set_call(&u->rings[i], fd);
    return NO_ANSWER;
}

/* Stop the ring. The answer is the ring's position. */
static int get_base(struct vhost_user *u, uint32_t size, struct err *e)
{
    struct vring *r = named_ring(u, size, VU_STATE);

    if (r == NULL)
        return refuse_request(u, e);
    uint16_t base = r->next_avail;
    u->paused_at[r - u->rings] = base;
    close_ring(u, r);
    store_u32(payload(u) + VU_STATE_VALUE, base);
    return (int)VU_STATE;
}

static int get_config(struct vhost_user *u, uint32_t size, struct err *e)
{
    uint8_t config[CONFIG_SIZE] = {0}; /* virtio_vsock_config: the CID, u64 */
    uint8_t *p = payload(u);

    if (size < VU_CONFIG_BYTES)
        return refuse_request(u, e);
    uint32_t offset = load_u32(p + VU_CONFIG_OFFSET);
    uint32_t count = load_u32(p + VU_CONFIG_SIZE);
    if (count > CONFIG_SIZE || offset > CONFIG_SIZE - count)
        return refuse_request(u, e);
    store_u64(config, u->cid);
    memcpy(p + VU_CONFIG_BYTES, config + offset, count);
    return (int)(VU_CONFIG_BYTES + count);
}

static void agree(struct vhost_user *u, uint64_t features)
{
    u->protocol = (features & VU_F_PROTOCOL) != 0;
    u->event_idx = (features & VU_F_EVENT_IDX) != 0;
    for (unsigned i = 0; i < RING_COUNT; i++)
        u->rings[i].event_idx = u->event_idx;
}

/*
 * Handle the message. Returns the size of the answer that replaces it;
 * NO_ANSWER; or -2 with (e) filled: drop this front-end.
 */
static int obey(struct vhost_user *u, uint32_t request, uint32_t size,
                struct err *e)
{
    switch (request) {
    case VU_GET_FEATURES:
        return answer_u64(u, VU_F_VERSION_1 | VU_F_EVENT_IDX | VU_F_PROTOCOL);
    case VU_GET_PROTOCOL_FEATURES:
        return answer_u64(u, VU_P_REPLY_ACK | VU_P_CONFIG);
    case VU_GET_QUEUE_NUM:
        return answer_u64(u, RING_COUNT);
    case VU_SET_FEATURES:
        if (size < 8)
            return refuse_request(u, e);
        agree(u, load_u64(payload(u)));
        return NO_ANSWER;
    case VU_SET_MEM_TABLE:
        return set_memory(u, size, e);
    case VU_SET_VRING_NUM:
    case VU_SET_VRING_BASE:
    case VU_SET_VRING_ENABLE:
        return set_ring(u, request, size, e);
    case VU_SET_VRING_ADDR:
        return set_address(u, size, e);
    case VU_SET_VRING_KICK:
    case VU_SET_VRING_CALL:
    case VU_SET_VRING_ERR:
        return set_descriptor(u, request, size, e);
    case VU_GET_VRING_BASE:
        return get_base(u, size, e);
    case VU_GET_CONFIG:
        return get_config(u, size, e);
    default:
        /* no effect (SET_OWNER, SET_PROTOCOL_FEATURES), or not agreed on */
        return NO_ANSWER;
    }
}

static int send_answer(struct vhost_user *u, uint32_t size, struct err *e)
{
    store_u32(u->message + VU_FLAGS, VU_VERSION | VU_FLAG_REPLY);
    store_u32(u->message + VU_SIZE, size);

    size_t all = VU_HEADER + size;
    ssize_t n = send(u->fd, u->message, all, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n < 0)
        return err_sys(e, "vhost-user: send");
    return (size_t)n == all
               ? 0
               : err_set(e, "vhost-user: the peer does not read answers");
}

/* Has this message started the guest's driver, for the first time or again? */
static bool starts_anew(const struct vhost_user *u, bool ran)
{
    bool anew = false;

    if (ran || !vhost_user_runs(u))
        return false;
    for (unsigned i = RING_RX; i <= RING_TX; i++) {
        uint16_t base = u->rings[i].next_avail;

        anew = anew || base == 0 || base != u->paused_at[i];
    }
    return anew;
}

/* Refuse a process that is not QEMU. A client that confuses the two sockets
 * sends a client's line and reads one line. */
static void refuse_stranger(const struct vhost_user *u, struct err *e)
{
    if (memcmp(u->message, UDS_ASKS_FOR, strlen(UDS_ASKS_FOR)) != 0) {
        (void)err_set(e,
                      "invalid vhost-user message from the peer: is it QEMU?");
        return;
    }
    (void)send(u->fd, UDS_QEMU_ONLY "\n", sizeof UDS_QEMU_ONLY,
               MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)err_set(e, "a client connected to the socket for QEMU: give the "
                     "client the path of --uds");
}

enum vhost_user_news vhost_user_receive(struct vhost_user *u, struct err *e)
{
    e->text[0] = '\0';
    int got = receive_up_to(u, VU_HEADER, e);
    if (got <= 0)
        return got < 0 ? VHOST_USER_LOST : VHOST_USER_NONE;

    uint32_t request = load_u32(u->message + VU_REQUEST);
    uint32_t flags = load_u32(u->message + VU_FLAGS);
    uint32_t size = load_u32(u->message + VU_SIZE);
    if (size > VU_PAYLOAD_MAX || (flags & VU_FLAG_VERSION) != VU_VERSION) {
        refuse_stranger(u, e);
        return VHOST_USER_LOST;
    }
    got = receive_up_to(u, VU_HEADER + size, e);
    if (got <= 0)
        return got < 0 ? VHOST_USER_LOST : VHOST_USER_NONE;

    bool ran = vhost_user_runs(u);
    int answer = obey(u, request, size, e);
    if (answer == NO_ANSWER && (flags & VU_FLAG_NEED_REPLY) != 0)
        answer = answer_u64(u, 0);
    if (answer < NO_ANSWER ||
        (answer >= 0 && send_answer(u, (uint32_t)answer, e) < 0))
        return VHOST_USER_LOST;
    u->have = 0;
    close_fds(u);
    return starts_anew(u, ran) ? VHOST_USER_ANEW : VHOST_USER_MORE;
}
