/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bridge against a guest, a QEMU and clients that do whatever the input
 * says: each byte is a deed of one of them. Found would be what a sanitizer
 * sees, a turn that does not end, a descriptor that is never closed or used
 * when it is, and memory that is looked at when QEMU has taken it back. The
 * kernel is in memory (kernel.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/bridge_memory.h"
#include "check.h"
#include "fake_front.h"
#include "kernel.h"
#include "util/bytes.h"

#define CLIENTS  6u
#define LISTENER 99u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_left;
static int listener, clients[CLIENTS];
static unsigned descriptors; /* that are open between two inputs */
static bool cut;             /* the guest's memory, just now */
static uint32_t host_port;   /* of the last request that the guest saw */
static uint32_t guest_port;

/* The kit's checks end a test case; here there is but one. */
void check_failed(const char *file, int line, const char *fmt, ...)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
    abort();
}

void check_eq(const char *file, int line, const char *a_text, long long a,
              const char *b_text, long long b)
{
    if (a != b)
        check_failed(file, line, "%s, %s", a_text, b_text);
}

void check_str(const char *file, int line, const char *a_text, const char *a,
               const char *b_text, const char *b)
{
    if (strcmp(a, b) != 0)
        check_failed(file, line, "%s, %s", a_text, b_text);
}

static uint32_t next(size_t bytes)
{
    uint32_t val = 0;

    for (; bytes > 0 && input_left > 0; bytes--, input_left--)
        val = val << 8 | *input++;
    return val;
}

/* Numbers that are near some limit more often than not. */
static uint32_t next_size(void)
{
    static const uint32_t sizes[] = {
        0,     1,     43,    44,       45,       3776,     4096,
        32768, 65535, 65536, 1u << 17, 1u << 20, 1u << 31, UINT32_MAX};
    uint32_t pick = next(1);

    return pick < sizeof sizes / sizeof sizes[0] ? sizes[pick] : pick;
}

/* --- The guest ------------------------------------------------------------ */

static void read_packets(unsigned count)
{
    static uint8_t data[65536];
    struct packet k;

    /* the used ring is scribbled on: read nothing by what it says */
    for (; count > 0; count--) {
        uint16_t used = load_u16(front_used(FRONT_RX) + 2);
        unsigned slot = front.seen[FRONT_RX] % FRONT_ENTRIES;

        if (used == front.seen[FRONT_RX])
            return;
        front.seen[FRONT_RX]++;
        uint32_t head = load_u32(front_used(FRONT_RX) + 4 + (size_t)8 * slot);

        memcpy(data, front.memory + 0x10000 + (size_t)(head / 2 % 8) * 4096,
               PACKET_HEADER);
        k = packet_load(data);
        if (k.op == OP_REQUEST) {
            host_port = k.src_port;
            guest_port = k.dst_port;
        }
    }
}

static void send_packet(void)
{
    static uint8_t data[FRONT_TX_MAX];
    static const uint32_t ports[] = {0, 5, LISTENER, UINT32_MAX};
    uint32_t how = next(1);
    uint32_t port = next(1);
    struct packet k = {.src_cid = 3, .dst_cid = CID_HOST, .type = TYPE_STREAM};

    k.src_port = how & 4 ? ports[port & 3] : guest_port;
    k.dst_port = how & 8 ? ports[port >> 2 & 3] : host_port;
    k.op = (uint16_t)(next(1) & 0x0f);
    k.flags = next(1);
    if (how & 1)
        k.src_cid = next(1);
    if (how & 2)
        k.dst_cid = next(1);
    if (how & 16)
        k.type = (uint16_t)next(1);
    k.buf_alloc = how & 32 ? next(4) : 200000;
    k.fwd_cnt = how & 64 ? next(4) : 0;
    k.length = how & 128 ? next_size() : next(1) * 120;
    bool fits = k.length <= FRONT_TX_MAX - PACKET_HEADER;
    front_send(&k, fits ? data : NULL);
}

static void scribble(void)
{
    uint32_t at = next(2) % 0x6000;
    uint32_t count = next(1) % 16;

    for (; count > 0; count--)
        front.memory[at++] = (uint8_t)next(1);
}

static void post_chain(void)
{
    unsigned ring = next(1) & 1;
    unsigned i = next(1) % FRONT_ENTRIES;

    for (unsigned count = next(1) % 4 + 1; count > 0; count--) {
        uint64_t guest =
            FRONT_GUEST + (next(1) & 0x80 ? next(4) : next(2) * 16);

        uint32_t size = next_size();
        uint16_t flags = (uint16_t)(next(1) & 7);

        front_set_desc(ring, i, guest, size, flags, (uint16_t)(i + 1));
        i = (i + 1) % FRONT_ENTRIES;
    }
    front_post(ring, (uint16_t)(next(1) % (FRONT_ENTRIES + 1)));
}

/* The file is cut, the bridge looks, the file is back: empty. That the bridge
 * finds an empty page at once stands for the signal that gives it one
 * (unit.bridge_hostile has that). */
static void vanish(void)
{
    CHECK_EQ(ftruncate(front.memfd, next(1) & 1 ? 0 : 0x10000), 0);
    cut = true;
    front_turn();
    cut = false;
    CHECK_EQ(ftruncate(front.memfd, FRONT_MEMORY), 0);
}

bool __wrap_bridge_memory_lost(void);
bool __wrap_bridge_memory_lost(void)
{
    return cut && kernel_mappings() != 0;
}

static void act_as_guest(uint32_t deed)
{
    switch (deed) {
    case 0:
    case 1:
        send_packet();
        break;
    case 2:
        front.rx_size = 20 + next_size() % 4076;
        front_post_rx(next(1) % 9);
        break;
    case 3:
        read_packets(next(1));
        break;
    case 4:
        front_say(guest_port, host_port, OP_RESPONSE, 0, NULL, 0);
        break;
    case 5:
        scribble();
        break;
    case 6:
        post_chain();
        break;
    default:
        front_kick(next(1) & 1);
        break;
    }
}

/* --- QEMU ----------------------------------------------------------------- */

static void send_message(void)
{
    static const int fds[8] = {0};
    uint8_t payload[300];
    uint32_t request = next(1) % 45;
    uint32_t size = next(1);
    int some[8];

    for (uint32_t i = 0; i < size; i++)
        payload[i] = (uint8_t)next(1);
    for (unsigned i = 0; i < 8; i++)
        some[i] = next(1) & 1 ? front.memfd : front.kick[i & 1];
    bool good = next(1) & 1;

    front_message(request, payload, size, good ? some : fds, next(1) % 9);
}

static void act_as_qemu(uint32_t deed)
{
    uint8_t drain[1024] = {0};
    uint32_t ring;
    uint16_t base;

    switch (deed) {
    case 0:
        send_message();
        break;
    case 1:
        ring = next(1) & 1;
        front_ring_message(VU_SET_VRING_ENABLE, ring, next(1) & 1);
        break;
    case 2:
        front_ring_message(VU_GET_VRING_BASE, next(1) & 1, 0);
        break;
    case 3:
        base = (uint16_t)next(2);
        front_start(base, (uint16_t)next(2));
        break;
    case 4:
        front_share();
        break;
    case 5:
        vanish();
        break;
    case 6:
        (void)send(front.fd, drain, next(1) % 30, MSG_NOSIGNAL);
        front_turn();
        break;
    default: /* nothing, for 1 ms to 33 s */
        kernel_now_ms += 1ull << next(1) % 16;
        front_turn();
        break;
    }
    while (recv(front.fd, drain, sizeof drain, MSG_DONTWAIT) > 0)
        ;
}

/* --- Clients -------------------------------------------------------------- */

static void act_as_client(uint32_t deed)
{
    static uint8_t bytes[70000];
    int *fd = &clients[next(1) % CLIENTS];
    size_t size = next_size() % sizeof bytes;

    if (*fd < 0) {
        *fd = deed & 1 ? front_client()
                       : accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (deed & 1 && *fd >= 0)
            (void)send(*fd, "CONNECT 5\n", 10, MSG_NOSIGNAL);
        front_turn();
        return;
    }
    switch (deed) {
    case 0:
    case 1:
        (void)send(*fd, bytes, size, MSG_NOSIGNAL);
        break;
    case 2:
    case 3:
        (void)recv(*fd, bytes, size, 0);
        break;
    case 4:
        shutdown(*fd, SHUT_WR);
        break;
    case 5:
        shutdown(*fd, SHUT_RD);
        break;
    default:
        close(*fd);
        *fd = -1;
        break;
    }
    front_turn();
}

/* A bridge that looks at memory that it has unmapped, ends the run. */
int __real_bridge_turn(struct bridge *b, int timeout_ms, struct err *e);
int __wrap_bridge_turn(struct bridge *b, int timeout_ms, struct err *e);
int __wrap_bridge_turn(struct bridge *b, int timeout_ms, struct err *e)
{
    int result;

    kernel_hide_unmapped(true);
    result = __real_bridge_turn(b, timeout_ms, e);
    kernel_hide_unmapped(false);
    return result;
}

/* --- The memory ----------------------------------------------------------- */

#define PAGE       4096u
#define RINGS_SIZE 0x7000u /* with what may be scribbled there */
#define TX_AT      0x40000u

/* Pages that the bridge was led to, so that few are cleared for an input: a
 * whole memory would take twice the time of all else. */
static bool used[FRONT_MEMORY / PAGE];

static void note_used(const uint8_t *at, uint64_t size)
{
    size_t page = (size_t)(at - front.memory) / PAGE;

    for (; size != 0 && page * PAGE < (size_t)(at - front.memory) + size;
         page++)
        used[page] = true;
}

uint8_t *__real_bridge_memory_at(const struct bridge_memory *m, uint64_t guest,
                                 uint64_t *size);
uint8_t *__wrap_bridge_memory_at(const struct bridge_memory *m, uint64_t guest,
                                 uint64_t *size);
uint8_t *__wrap_bridge_memory_at(const struct bridge_memory *m, uint64_t guest,
                                 uint64_t *size)
{
    uint8_t *at = __real_bridge_memory_at(m, guest, size);

    if (at != NULL)
        note_used(at, *size);
    return at;
}

uint8_t *__real_bridge_memory_at_user(const struct bridge_memory *m,
                                      uint64_t user, uint64_t size);
uint8_t *__wrap_bridge_memory_at_user(const struct bridge_memory *m,
                                      uint64_t user, uint64_t size);
uint8_t *__wrap_bridge_memory_at_user(const struct bridge_memory *m,
                                      uint64_t user, uint64_t size)
{
    uint8_t *at = __real_bridge_memory_at_user(m, user, size);

    if (at != NULL)
        note_used(at, size);
    return at;
}

static void clear_memory(void)
{
    memset(front.memory, 0, RINGS_SIZE);
    for (size_t i = 0; i < FRONT_ENTRIES; i++) /* headers: data are zeros */
        memset(front.memory + TX_AT + i * FRONT_TX_MAX, 0, PACKET_HEADER);
    for (size_t i = 0; i < FRONT_MEMORY / PAGE; i++) {
        if (used[i])
            memset(front.memory + i * PAGE, 0, PAGE);
        used[i] = false;
    }
}

/* --- One input ------------------------------------------------------------ */

static void begin(void)
{
    if (front.bridge == NULL) {
        front_turns = 2;
        front_bridge();
        listener = front_listen(LISTENER);
        descriptors = kernel_descriptors();
    }
    clear_memory();
    kernel_now_ms += 120000; /* what it said before is forgotten */
    memset(front.posted, 0, sizeof front.posted);
    memset(front.seen, 0, sizeof front.seen);
    memset(clients, -1, sizeof clients);
    front.rx_size = FRONT_RX_SIZE;
    front_connect();
    front_share();
    front_start(0, 0);
    front_post_rx(8);
}

static void end(void)
{
    int fd;

    for (unsigned i = 0; i < CLIENTS; i++) {
        if (clients[i] >= 0)
            close(clients[i]);
    }
    front_leave();
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
        close(fd);
    for (int i = 0; i < 4; i++)
        front_turn();
    /* nothing of this input is left */
    CHECK_EQ(kernel_descriptors(), descriptors);
    CHECK_EQ(kernel_mappings(), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_left = size;
    begin();
    while (input_left > 0) {
        uint32_t what = next(1);

        if (what < 0x80)
            act_as_guest(what % 8);
        else if (what < 0xc0)
            act_as_client(what % 8);
        else
            act_as_qemu(what % 8);
    }
    end();
    return 0;
}
