/* SPDX-License-Identifier: BSD-2-Clause */
/* The test as front-end, guest and client of the bridge. */
#include "fake_front.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "util/bytes.h"

/* The memory: each ring's three parts on pages of their own, then buffers. */
#define RING_AT(ring) ((ring)*0x3000u)
#define RX_AT         0x10000u
#define RX_EACH       4096u
#define TX_AT         0x40000u
#define TX_EACH       FRONT_TX_MAX

struct fake_front front = {.fd = -1, .memfd = -1};
uint32_t front_alloc = 256 * 1024, front_fwd;
unsigned front_turns = 8;

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        abort();
    }
}

/* --- The bridge ----------------------------------------------------------- */

struct peer_rule front_peers;

static void heard(void *context, const char *line)
{
    (void)context;
    snprintf(front.said, sizeof front.said, "%s", line);
    front.said_count++;
}

void front_bridge(void)
{
    struct err e = {""};

    memset(&front, 0, sizeof front);
    front.fd = -1;
    front.memfd = memfd_create("guest", MFD_CLOEXEC);
    must(front.memfd >= 0 && ftruncate(front.memfd, FRONT_MEMORY) == 0,
         "memfd");
    front.memory = mmap(NULL, FRONT_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED,
                        front.memfd, 0);
    must(front.memory != MAP_FAILED && pipe(front.stop) == 0, "mmap");
    for (unsigned i = 0; i < 2; i++) {
        front.kick[i] = eventfd(0, EFD_NONBLOCK);
        front.call[i] = eventfd(0, EFD_NONBLOCK);
    }
    front.rx_size = FRONT_RX_SIZE;
    front_alloc = 256 * 1024;
    front_fwd = 0;
    strcpy(front.dir, "/tmp/tprof-bridge-XXXXXX");
    must(mkdtemp(front.dir) != NULL, front.dir);
    snprintf(front.vhost, sizeof front.vhost, "%s/vhost", front.dir);
    snprintf(front.uds, sizeof front.uds, "%s/uds", front.dir);

    struct bridge_config config = {.vhost_user = front.vhost,
                                   .uds = front.uds,
                                   .cid = 3,
                                   .peers = front_peers,
                                   .stop_fd = front.stop[0],
                                   .say = heard};

    front.bridge = bridge_open(&config, &e);
    if (front.bridge == NULL)
        fprintf(stderr, "%s\n", e.text);
    must(front.bridge != NULL, "bridge_open");
}

void front_turn(void)
{
    struct err e;

    for (unsigned i = 0; i < front_turns; i++)
        must(bridge_turn(front.bridge, 0, &e) == 0, "bridge_turn");
}

void front_leave(void)
{
    if (front.fd >= 0)
        close(front.fd);
    front.fd = -1;
    front_turn();
}

void front_end(void)
{
    bridge_close(front.bridge);
    if (front.fd >= 0)
        close(front.fd);
    for (unsigned i = 0; i < 2; i++) {
        close(front.kick[i]);
        close(front.call[i]);
        close(front.stop[i]);
    }
    munmap(front.memory, FRONT_MEMORY);
    close(front.memfd);
    rmdir(front.dir);
}

/* --- vhost-user ----------------------------------------------------------- */

int front_dial(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        close(fd);
        return -1;
    }
    front_turn();
    return fd;
}

void front_message(uint32_t request, const void *payload, uint32_t size,
                   const int *fds, unsigned fd_count)
{
    uint8_t bytes[VU_HEADER + 1024];
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(16 * sizeof(int))];
    } control = {0};
    struct iovec piece = {bytes, VU_HEADER + size};
    struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1};

    store_u32(bytes + VU_REQUEST, request);
    store_u32(bytes + VU_FLAGS, VU_VERSION);
    store_u32(bytes + VU_SIZE, size);
    if (size > 0)
        memcpy(bytes + VU_HEADER, payload, size);
    if (fd_count > 0) {
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), fds, fd_count * sizeof(int));
    }
    (void)sendmsg(front.fd, &m, MSG_NOSIGNAL);
    front_turn();
}

void front_ring_message(uint32_t request, uint32_t ring, uint32_t value)
{
    uint8_t payload[VU_STATE];

    store_u32(payload + VU_STATE_RING, ring);
    store_u32(payload + VU_STATE_VALUE, value);
    front_message(request, payload, sizeof payload, NULL, 0);
}

uint64_t front_answer(void)
{
    uint8_t bytes[VU_HEADER + VU_PAYLOAD_MAX] = {0};
    ssize_t n = recv(front.fd, bytes, sizeof bytes, 0);

    CHECK(n >= (ssize_t)VU_HEADER);
    CHECK_EQ(load_u32(bytes + VU_FLAGS), VU_VERSION | VU_FLAG_REPLY);
    CHECK_EQ(load_u32(bytes + VU_SIZE), n - VU_HEADER);
    return load_u64(bytes + VU_HEADER);
}

bool front_dropped(void)
{
    front_turn();
    return front_is_closed(front.fd);
}

void front_connect(void)
{
    uint8_t features[8];

    front.fd = front_dial(front.vhost);
    must(front.fd >= 0, "connect to the bridge");
    front_message(VU_GET_FEATURES, NULL, 0, NULL, 0);
    store_u64(features, front_answer());
    front_message(VU_SET_FEATURES, features, 8, NULL, 0);
}

void front_share(void)
{
    uint8_t payload[VU_MEM_REGIONS + VU_MEM_REGION] = {0};
    uint8_t *region = payload + VU_MEM_REGIONS;

    store_u32(payload + VU_MEM_COUNT, 1);
    store_u64(region + VU_MEM_GUEST, FRONT_GUEST);
    store_u64(region + VU_MEM_SIZE, FRONT_MEMORY);
    store_u64(region + VU_MEM_USER, FRONT_USER);
    front_message(VU_SET_MEM_TABLE, payload, sizeof payload, &front.memfd, 1);
}

void front_start(uint16_t rx_base, uint16_t tx_base)
{
    for (unsigned ring = 0; ring < 2; ring++) {
        uint8_t address[VU_ADDR] = {0}, number[8];

        front_ring_message(VU_SET_VRING_NUM, ring, FRONT_ENTRIES);
        front_ring_message(VU_SET_VRING_BASE, ring, ring ? tx_base : rx_base);
        store_u32(address + VU_ADDR_RING, ring);
        store_u64(address + VU_ADDR_DESC, FRONT_USER + RING_AT(ring));
        store_u64(address + VU_ADDR_AVAIL, FRONT_USER + RING_AT(ring) + 0x1000);
        store_u64(address + VU_ADDR_USED, FRONT_USER + RING_AT(ring) + 0x2000);
        front_message(VU_SET_VRING_ADDR, address, sizeof address, NULL, 0);
        store_u64(number, ring);
        front_message(VU_SET_VRING_KICK, number, 8, &front.kick[ring], 1);
        front_message(VU_SET_VRING_CALL, number, 8, &front.call[ring], 1);
        front_ring_message(VU_SET_VRING_ENABLE, ring, 1);
    }
}

void front_begin(unsigned buffers)
{
    front_bridge();
    front_connect();
    front_share();
    front_start(0, 0);
    front_post_rx(buffers);
}

/* --- The driver ----------------------------------------------------------- */

uint8_t *front_desc(unsigned ring, unsigned i)
{
    return front.memory + RING_AT(ring) + (size_t)16 * i;
}

uint8_t *front_avail(unsigned ring)
{
    return front.memory + RING_AT(ring) + 0x1000;
}

uint8_t *front_used(unsigned ring)
{
    return front.memory + RING_AT(ring) + 0x2000;
}

uint64_t front_guest(const uint8_t *at)
{
    return FRONT_GUEST + (uint64_t)(at - front.memory);
}

void front_set_desc(unsigned ring, unsigned i, uint64_t guest, uint32_t size,
                    uint16_t flags, uint16_t next)
{
    uint8_t *d = front_desc(ring, i);

    store_u64(d, guest);
    store_u32(d + 8, size);
    store_u16(d + 12, flags);
    store_u16(d + 14, next);
}

void front_post(unsigned ring, uint16_t head)
{
    uint8_t *avail = front_avail(ring);
    unsigned slot = front.posted[ring]++ % FRONT_ENTRIES;

    store_u16(avail + 4 + (size_t)2 * slot, head);
    store_u16(avail + 2, front.posted[ring]);
}

void front_kick(unsigned ring)
{
    eventfd_write(front.kick[ring], 1);
    front_turn();
}

/* Descriptors 2i and 2i+1 are buffer i, of 8. */
static uint8_t *rx_buffer(unsigned i)
{
    return front.memory + RX_AT + (size_t)i * RX_EACH;
}

static void post_rx(unsigned i)
{
    uint64_t at = front_guest(rx_buffer(i));

    front_set_desc(FRONT_RX, 2 * i, at, 20, 3, (uint16_t)(2 * i + 1));
    front_set_desc(FRONT_RX, 2 * i + 1, at + 20, front.rx_size - 20, 2, 0);
    front_post(FRONT_RX, (uint16_t)(2 * i));
}

void front_post_rx(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        post_rx(i);
    front_kick(FRONT_RX);
}

void front_send(const struct packet *k, const void *data)
{
    unsigned i = front.posted[FRONT_TX] % FRONT_ENTRIES;
    uint8_t *at = front.memory + TX_AT + (size_t)i * TX_EACH;

    packet_store(k, at);
    if (data != NULL)
        memcpy(at + PACKET_HEADER, data, k->length);
    front_set_desc(FRONT_TX, i, front_guest(at),
                   PACKET_HEADER + (data ? k->length : 0), 0, 0);
    front_post(FRONT_TX, (uint16_t)i);
    front_kick(FRONT_TX);
}

void front_say(uint32_t guest_port, uint32_t host_port, unsigned op,
               uint32_t flags, const void *data, uint32_t size)
{
    struct packet k = {.src_cid = 3,
                       .dst_cid = CID_HOST,
                       .src_port = guest_port,
                       .dst_port = host_port,
                       .length = size,
                       .type = TYPE_STREAM,
                       .op = (uint16_t)op,
                       .flags = flags,
                       .buf_alloc = front_alloc,
                       .fwd_cnt = front_fwd};

    front_send(&k, data);
}

bool front_receive(struct packet *k, uint8_t *data, bool keep)
{
    uint8_t *used = front_used(FRONT_RX);

    if (load_u16(used + 2) == front.seen[FRONT_RX])
        return false;
    unsigned slot = front.seen[FRONT_RX]++ % FRONT_ENTRIES;
    uint32_t head = load_u32(used + 4 + (size_t)8 * slot);
    uint32_t size = load_u32(used + 8 + (size_t)8 * slot);

    *k = packet_load(rx_buffer(head / 2));
    CHECK_EQ(size, PACKET_HEADER + k->length);
    if (data != NULL)
        memcpy(data, rx_buffer(head / 2) + PACKET_HEADER, k->length);
    if (!keep) {
        post_rx(head / 2);
        front_kick(FRONT_RX);
    }
    return true;
}

struct packet front_expect(unsigned op)
{
    struct packet k;

    CHECK(front_receive(&k, NULL, false));
    CHECK_EQ(k.op, op);
    CHECK_EQ(k.src_cid, CID_HOST);
    CHECK_EQ(k.dst_cid, 3);
    return k;
}

/* --- Clients -------------------------------------------------------------- */

int front_client(void)
{
    return front_dial(front.uds);
}

int front_open(uint32_t guest_port, uint32_t *host_port)
{
    char line[40];
    int fd = front_client(), len;

    len = snprintf(line, sizeof line, "CONNECT %u\n", guest_port);
    CHECK_EQ(write(fd, line, (size_t)len), len);
    front_turn();
    struct packet k = front_expect(OP_REQUEST);

    CHECK_EQ(k.dst_port, guest_port);
    *host_port = k.src_port;
    front_say(guest_port, k.src_port, OP_RESPONSE, 0, NULL, 0);
    len = snprintf(line, sizeof line, "OK %u\n", k.src_port);
    char got[40] = "";
    CHECK_EQ(read(fd, got, sizeof got - 1), len);
    CHECK_STR(got, line);
    return fd;
}

int front_listen(uint32_t port)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s_%u", front.uds, port);
    must(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 4) == 0,
         "listen");
    return fd;
}

bool front_is_closed(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return n == 0 || (n < 0 && errno != EAGAIN);
}
