/* SPDX-License-Identifier: BSD-2-Clause */
/* The bridge with a guest, or a QEMU, that lies; the next one must be served.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/conn.h"
#include "check.h"
#include "fake_front.h"
#include "util/bytes.h"

#define PORT 7077u

static const struct packet usual = {.src_cid = 3,
                                    .dst_cid = CID_HOST,
                                    .src_port = PORT,
                                    .dst_port = 99,
                                    .type = TYPE_STREAM,
                                    .op = OP_RW,
                                    .buf_alloc = 100000};

/* A driver that begins anew is served. */
static void check_next_driver(void)
{
    uint32_t host;

    memset(front.memory, 0, FRONT_MEMORY);
    memset(front.posted, 0, sizeof front.posted);
    memset(front.seen, 0, sizeof front.seen);
    for (uint32_t ring = 0; ring < 2; ring++) {
        front_ring_message(VU_GET_VRING_BASE, ring, 0);
        (void)front_answer();
    }
    front_start(0, 0);
    front_post_rx(8);
    close(front_open(PORT, &host));
}

/* So is another QEMU. */
static void check_next_qemu(void)
{
    uint32_t host;

    front_leave();
    memset(front.memory, 0, FRONT_MEMORY);
    memset(front.posted, 0, sizeof front.posted);
    memset(front.seen, 0, sizeof front.seen);
    front_connect();
    front_share();
    front_start(0, 0);
    front_post_rx(8);
    close(front_open(PORT, &host));
    front_leave();
}

/* --- Rings ---------------------------------------------------------------- */

static const uint64_t inside = FRONT_GUEST + 0x40000;

static void head_beyond(void)
{
    front_post(FRONT_TX, FRONT_ENTRIES);
}

static void next_beyond(void)
{
    front_set_desc(FRONT_TX, 0, inside, 44, 1, FRONT_ENTRIES);
    front_post(FRONT_TX, 0);
}

static void loop_of_two(void)
{
    front_set_desc(FRONT_TX, 0, inside, 44, 1, 1);
    front_set_desc(FRONT_TX, 1, inside, 44, 1, 0);
    front_post(FRONT_TX, 0);
}

static void loop_of_empty_ones(void)
{
    front_set_desc(FRONT_TX, 0, inside, 0, 1, 0);
    front_post(FRONT_TX, 0);
}

static void before_memory(void)
{
    front_set_desc(FRONT_TX, 0, FRONT_GUEST - 1, 44, 0, 0);
    front_post(FRONT_TX, 0);
}

static void behind_memory(void)
{
    front_set_desc(FRONT_TX, 0, FRONT_GUEST + FRONT_MEMORY, 1, 0, 0);
    front_post(FRONT_TX, 0);
}

static void across_the_end(void)
{
    front_set_desc(FRONT_TX, 0, FRONT_GUEST + FRONT_MEMORY - 43, 44, 0, 0);
    front_post(FRONT_TX, 0);
}

static void address_that_wraps(void)
{
    front_set_desc(FRONT_TX, 0, UINT64_MAX - 20, 44, 0, 0);
    front_post(FRONT_TX, 0);
}

static void length_of_4_gib(void)
{
    front_set_desc(FRONT_TX, 0, inside, UINT32_MAX, 0, 0);
    front_post(FRONT_TX, 0);
}

static void indirect(void)
{
    front_set_desc(FRONT_TX, 0, inside, 32, 4, 0);
    front_post(FRONT_TX, 0);
}

static void readable_behind_writable(void)
{
    front_set_desc(FRONT_TX, 0, inside, 44, 3, 1);
    front_set_desc(FRONT_TX, 1, inside, 44, 0, 0);
    front_post(FRONT_TX, 0);
}

static void index_too_far(void)
{
    store_u16(front_avail(FRONT_TX) + 2,
              (uint16_t)(front.posted[FRONT_TX] + FRONT_ENTRIES + 1));
}

static void index_back(void)
{
    store_u16(front_avail(FRONT_TX) + 2,
              (uint16_t)(front.posted[FRONT_TX] - 1));
}

static void rx_buffer_too_small(void)
{
    front_set_desc(FRONT_RX, 15, inside, PACKET_HEADER, 2, 0);
    front_post(FRONT_RX, 15);
    front_say(1, 2, OP_REQUEST, 0, NULL, 0);
}

static void rx_buffer_to_read(void)
{
    front_set_desc(FRONT_RX, 15, inside, 4096, 0, 0);
    front_post(FRONT_RX, 15);
    front_say(1, 2, OP_REQUEST, 0, NULL, 0);
}

/* Some lies are told in a ring that was used before, others at once. */
static void check_ring_lie(void (*lie)(void), const char *word)
{
    uint32_t host;

    front_begin(1);
    int fd = front_open(PORT, &host);

    /* no receive buffer of ours is left for it, but those of the lie */
    while (front.rx_size != 0) {
        struct packet k;

        CHECK_EQ(write(fd, "x", 1), 1);
        front_turn();
        CHECK(front_receive(&k, NULL, true));
        front.rx_size = 0;
    }
    front.rx_size = FRONT_RX_SIZE;
    lie();
    front_kick(FRONT_TX);
    CHECK_EQ(front.said_count, 1);
    if (strstr(front.said, word) == NULL)
        CHECK_STR(front.said, word);
    CHECK(front_is_closed(fd));
    /* and is not looked at again */
    front_kick(FRONT_TX);
    front_kick(FRONT_RX);
    CHECK_EQ(front.said_count, 1);
    check_next_driver();
    check_next_qemu();
    front_end();
}

#define RING_LIE(lie, word)                                                    \
    TEST(bridge_survives_##lie)                                                \
    {                                                                          \
        check_ring_lie(lie, word);                                             \
    }

RING_LIE(head_beyond,
         "descriptor number outside its table") /* catches: its name */
RING_LIE(next_beyond, "descriptor number outside its table")
RING_LIE(loop_of_two, "too many pieces")
RING_LIE(loop_of_empty_ones, "too many pieces")
RING_LIE(before_memory, "outside of the guest's memory")
RING_LIE(behind_memory, "outside of the guest's memory")
RING_LIE(across_the_end, "outside of the guest's memory")
RING_LIE(address_that_wraps, "outside of the guest's memory")
RING_LIE(length_of_4_gib, "outside of the guest's memory")
RING_LIE(indirect, "flags that were not negotiated")
RING_LIE(readable_behind_writable, "after a writable one")
RING_LIE(index_too_far, "more buffers than it has entries")
RING_LIE(index_back, "more buffers than it has entries")
RING_LIE(rx_buffer_too_small, "too small")
RING_LIE(rx_buffer_to_read, "too small")

/* Share the memory as two regions, that meet in the guest, but not here. */
static void share_halves(uint64_t middle)
{
    uint8_t payload[VU_MEM_REGIONS + 2 * VU_MEM_REGION] = {0};
    const int fds[2] = {front.memfd, front.memfd};

    store_u32(payload + VU_MEM_COUNT, 2);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *region = payload + VU_MEM_REGIONS + i * VU_MEM_REGION;
        uint64_t at = i ? middle : 0;

        store_u64(region + VU_MEM_GUEST, FRONT_GUEST + at);
        store_u64(region + VU_MEM_SIZE, i ? FRONT_MEMORY - middle : middle);
        store_u64(region + VU_MEM_USER, FRONT_USER + at);
        store_u64(region + VU_MEM_OFFSET, at);
    }
    front_message(VU_SET_MEM_TABLE, payload, sizeof payload, fds, 2);
}

TEST(bridge_buffers_may_span_regions) /* catches: a piece behind its region */
{
    static uint8_t bytes[32000], got[32000];
    uint32_t host;

    front_begin(8);
    share_halves(0x44000); /* while it runs; in the middle of a tx buffer */
    int fd = front_open(PORT, &host);

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
    while (front.posted[FRONT_TX] % FRONT_ENTRIES != 0)
        front_say(PORT, host, OP_CREDIT_UPDATE, 0, NULL, 0);
    front_say(PORT, host, OP_RW, 0, bytes, sizeof bytes);
    CHECK_EQ(read(fd, got, sizeof got), sizeof got);
    CHECK_MEM(got, bytes, sizeof got);

    /* a loop whose each step has two pieces */
    front_set_desc(FRONT_TX, 0, FRONT_GUEST + 0x43ff0, 44, 1, 1);
    front_set_desc(FRONT_TX, 1, FRONT_GUEST + 0x43ff0, 44, 1, 0);
    front_post(FRONT_TX, 0);
    front_kick(FRONT_TX);
    CHECK(strstr(front.said, "too many pieces") != NULL);
    front_end();
}

TEST(bridge_survives_memory_that_vanishes) /* catches: SIGBUS */
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    CHECK_EQ(ftruncate(front.memfd, 0), 0);
    eventfd_write(front.kick[FRONT_TX], 1);
    CHECK_EQ(write(fd, "x", 1), 1);
    front_turn();
    CHECK(strstr(front.said, "memory is gone") != NULL);
    CHECK(front_is_closed(fd));
    CHECK(front_dropped());
    CHECK_EQ(ftruncate(front.memfd, FRONT_MEMORY), 0);
    check_next_qemu();
    front_end();
}

/* --- Packets -------------------------------------------------------------- */

TEST(bridge_answers_nonsense_with_rst) /* catches: silence, or a crash */
{
    struct packet k;

    front_begin(8);
    /* for no connection */
    for (uint16_t op = 0; op < 12; op++) {
        k = usual;
        k.op = op;
        front_send(&k, NULL);
        if (op == OP_RST) /* to which there is no answer */
            CHECK(!front_receive(&k, NULL, false));
        else
            (void)front_expect(OP_RST);
    }
    k = usual;
    k.op = OP_REQUEST;
    k.type = 2; /* SEQPACKET was not offered */
    front_send(&k, NULL);
    k = front_expect(OP_RST);
    CHECK_EQ(k.type, 2);
    k = usual;
    k.length = 1; /* which do not come */
    front_send(&k, NULL);
    (void)front_expect(OP_RST);
    k = usual;
    k.length = UINT32_MAX;
    front_send(&k, NULL);
    (void)front_expect(OP_RST);
    /* for who is not here: the answer comes from there */
    k = usual;
    k.dst_cid = 5;
    front_send(&k, NULL);
    CHECK(front_receive(&k, NULL, false));
    CHECK_EQ(k.op, OP_RST);
    CHECK_EQ(k.src_cid, 5);
    /* from who is not here */
    k = usual;
    k.src_cid = 4;
    front_send(&k, NULL);
    CHECK(!front_receive(&k, NULL, false));
    CHECK_EQ(front.said_count, 0);
    front_end();
}

TEST(bridge_drops_half_a_header) /* catches: reading what was not sent */
{
    struct packet k;

    front_begin(8);
    packet_store(&usual, front.memory + 0x40000);
    front_set_desc(FRONT_TX, 0, inside, PACKET_HEADER - 1, 0, 0);
    front_post(FRONT_TX, 0);
    front_kick(FRONT_TX);
    CHECK(!front_receive(&k, NULL, false));
    CHECK_EQ(load_u16(front_used(FRONT_TX) + 2), 1);
    front_end();
}

TEST(bridge_resets_what_does_not_fit_the_connection) /* catches: likewise */
{
    static const struct {
        unsigned op, before;
    } cases[] = {{OP_REQUEST, 0},
                 {OP_RESPONSE, 0},
                 {0, 0},
                 {77, 0},
                 {OP_RW, OP_SHUTDOWN}};
    uint32_t host;

    front_begin(8);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int fd = front_open(PORT, &host);

        if (cases[i].before != 0)
            front_say(PORT, host, cases[i].before, SHUT_NO_SEND, NULL, 0);
        front_say(PORT, host, cases[i].op, 0, "x", 1);
        (void)front_expect(OP_RST);
        CHECK(front_is_closed(fd));
        close(fd);
    }
    /* an answer that comes before the question was sent, or is none */
    int fd = front_client();
    CHECK_EQ(write(fd, "CONNECT 5\n", 10), 10);
    front_turn();
    struct packet k = front_expect(OP_REQUEST);
    front_say(5, k.src_port, OP_RW, 0, "x", 1);
    (void)front_expect(OP_RST);
    CHECK(front_is_closed(fd));
    front_end();
}

TEST(bridge_credit_lies_harm_nobody_else) /* catches: an overrun, a wrap */
{
    static const uint32_t lies[][2] = {{0, 0},
                                       {UINT32_MAX, 0},
                                       {100, 0x80000000u},
                                       {100, UINT32_MAX},
                                       {UINT32_MAX, UINT32_MAX}};
    uint32_t host;
    struct packet k;

    front_begin(8);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        front_alloc = 100;
        front_fwd = 0;
        int fd = front_open(PORT, &host);

        front_alloc = lies[i][0];
        front_fwd = lies[i][1];
        front_say(PORT, host, OP_CREDIT_UPDATE, 0, NULL, 0);
        CHECK_EQ(write(fd, "hello", 5), 5);
        front_turn();
        while (front_receive(&k, NULL, false))
            CHECK(k.op == OP_RW || k.op == OP_CREDIT_REQUEST);
        front_say(PORT, host, OP_RST, 0, NULL, 0);
        CHECK(front_is_closed(fd));
        close(fd);
    }
    front_alloc = 100000;
    front_fwd = 0;
    check_next_driver();
    front_end();
}

/* --- QEMU ----------------------------------------------------------------- */

/* One region as told, with (fds) descriptors of the memory. */
static void share(uint64_t guest, uint64_t size, uint64_t user, uint64_t offset,
                  uint32_t count, unsigned fds)
{
    uint8_t payload[VU_MEM_REGIONS + VU_MEM_REGION] = {0};
    uint8_t *region = payload + VU_MEM_REGIONS;
    int list[12];

    for (unsigned i = 0; i < 12; i++)
        list[i] = front.memfd;
    store_u32(payload + VU_MEM_COUNT, count);
    store_u64(region + VU_MEM_GUEST, guest);
    store_u64(region + VU_MEM_SIZE, size);
    store_u64(region + VU_MEM_USER, user);
    store_u64(region + VU_MEM_OFFSET, offset);
    front_message(VU_SET_MEM_TABLE, payload, sizeof payload, list, fds);
}

static void check_refused_qemu(void)
{
    CHECK(front_dropped());
    CHECK(front.said_count > 0);
    check_next_qemu();
    front_connect();
}

TEST(bridge_refuses_impossible_memory) /* catches: a map beyond the file */
{
    const uint64_t size = FRONT_MEMORY;

    front_bridge();
    front_connect();
    share(0, size, 0, 0, 1, 0); /* no descriptor */
    check_refused_qemu();
    share(0, size, 0, 0, 1, 2);
    check_refused_qemu();
    share(0, size, 0, 0, 0, 1);
    check_refused_qemu();
    share(0, size, 0, 0, 2, 2); /* half of the table */
    check_refused_qemu();
    share(0, size, 0, 0, UINT32_MAX, 1);
    check_refused_qemu();
    share(0, size, 0, 0, 1, 12); /* more than any message has */
    check_refused_qemu();
    share(0, size + 1, 0, 0, 1, 1);
    check_refused_qemu();
    share(0, size, 0, 4096, 1, 1);
    check_refused_qemu();
    share(0, 0, 0, 0, 1, 1);
    check_refused_qemu();
    share(UINT64_MAX - 5, size, 0, 0, 1, 1);
    check_refused_qemu();
    share(0, size, UINT64_MAX - 5, 0, 1, 1);
    check_refused_qemu();
    share(0, size, 0, UINT64_MAX - 5, 1, 1);
    check_refused_qemu();
    share(0, UINT64_MAX, 0, UINT64_MAX, 1, 1);
    check_refused_qemu();
    front_end();
}

TEST(bridge_refuses_impossible_rings) /* catches: a ring outside of memory */
{
    uint8_t address[VU_ADDR] = {0};
    uint8_t number[8];

    front_bridge();
    front_connect();
    static const uint32_t sizes[] = {0, 3, 2048, 65536, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        front_ring_message(VU_SET_VRING_NUM, 0, sizes[i]);
        check_refused_qemu();
    }
    front_ring_message(VU_SET_VRING_NUM, 3, 16);
    check_refused_qemu();
    front_ring_message(VU_GET_VRING_BASE, UINT32_MAX, 0);
    check_refused_qemu();
    /* no memory, no size, or the last byte outside */
    front_message(VU_SET_VRING_ADDR, address, sizeof address, NULL, 0);
    check_refused_qemu();
    front_share();
    front_message(VU_SET_VRING_ADDR, address, sizeof address, NULL, 0);
    check_refused_qemu();
    front_share();
    front_ring_message(VU_SET_VRING_NUM, 0, 16);
    store_u64(address + VU_ADDR_DESC, FRONT_USER);
    store_u64(address + VU_ADDR_AVAIL, FRONT_USER);
    store_u64(address + VU_ADDR_USED,
              FRONT_USER + FRONT_MEMORY - (4 + 8 * 16 + 2) + 2);
    front_message(VU_SET_VRING_ADDR, address, sizeof address, NULL, 0);
    check_refused_qemu();
    front_message(VU_SET_VRING_ADDR, address, 8, NULL, 0);
    check_refused_qemu();
    /* a kick without its descriptor, or for no ring */
    store_u64(number, 0);
    front_message(VU_SET_VRING_KICK, number, 8, NULL, 0);
    check_refused_qemu();
    store_u64(number, VU_FD_NONE);
    front_message(VU_SET_VRING_KICK, number, 8, NULL, 0);
    check_refused_qemu();
    store_u64(number, 9);
    front_message(VU_SET_VRING_CALL, number, 8, front.call, 1);
    check_refused_qemu();
    front_end();
}

TEST(bridge_refuses_what_is_no_message) /* catches: waiting, or a big read */
{
    static const uint8_t http[] = "GET / HTTP/1.1\r\n\r\n";
    uint8_t config[VU_CONFIG_BYTES] = {0};

    front_bridge();
    front_connect();
    CHECK_EQ(send(front.fd, http, sizeof http, 0), sizeof http);
    check_refused_qemu();
    /* too big */
    uint8_t big[VU_HEADER] = {VU_SET_FEATURES, 0, 0, 0, VU_VERSION, 0, 0, 0};
    store_u32(big + VU_SIZE, VU_PAYLOAD_MAX + 1);
    CHECK_EQ(send(front.fd, big, sizeof big, 0), sizeof big);
    check_refused_qemu();
    /* half of one, and the end */
    CHECK_EQ(send(front.fd, big, 5, 0), 5);
    front_turn();
    CHECK(!front_dropped());
    unsigned said = front.said_count;
    front_leave();
    CHECK_EQ(front.said_count, said + 2); /* how often the other, and this */
    front_connect();
    /* config beyond its end */
    store_u32(config + VU_CONFIG_OFFSET, 250);
    store_u32(config + VU_CONFIG_SIZE, 8);
    front_message(VU_GET_CONFIG, config, sizeof config, NULL, 0);
    check_refused_qemu();
    store_u32(config + VU_CONFIG_OFFSET, UINT32_MAX);
    store_u32(config + VU_CONFIG_SIZE, UINT32_MAX);
    front_message(VU_GET_CONFIG, config, sizeof config, NULL, 0);
    check_refused_qemu();
    front_end();
}

TEST(bridge_message_in_pieces_is_waited_for) /* catches: half taken for whole */
{
    uint8_t bytes[VU_HEADER + 8] = {VU_GET_QUEUE_NUM, 0, 0, 0, VU_VERSION};

    front_bridge();
    front.fd = front_dial(front.vhost); /* nothing was said before */
    for (unsigned i = 0; i < VU_HEADER; i++) {
        CHECK_EQ(recv(front.fd, bytes + VU_HEADER, 1, 0), -1);
        CHECK_EQ(send(front.fd, bytes + i, 1, 0), 1);
        front_turn();
    }
    CHECK_EQ(front_answer(), 3);
    front_end();
}

TEST(bridge_message_leaves_no_descriptor_open) /* catches: a leak per message */
{
    uint8_t number[8] = {0};
    const int eight[8] = {1, 1, 1, 1, 1, 1, 1, 1};

    front_bridge();
    front_connect();
    int before = dup(0);
    close(before);
    for (int i = 0; i < 100; i++) {
        front_message(VU_SET_OWNER, NULL, 0, eight, 8);
        front_message(VU_SET_VRING_CALL, number, 8, front.call, 1);
        front_message(VU_SET_VRING_KICK, number, 8, front.kick, 1);
        front_message(VU_SET_VRING_ERR, number, 8, front.kick, 1);
        front_share();
    }
    int after = dup(0);
    CHECK(after <= before + 2); /* a kick and a call */
    front_end();
}

#define HTTP "GET / HTTP/1.1\r\n\r\n"
#define CALL "CONNECT 7077\n"

/* Somebody connects where QEMU does, says (words) and is sent away. */
static void be_a_stranger(const char *words)
{
    char answer[64];

    front_connect();
    CHECK_EQ(send(front.fd, words, strlen(words), 0), strlen(words));
    front_turn();
    if (strcmp(words, CALL) == 0) /* is answered */
        CHECK(recv(front.fd, answer, sizeof answer, MSG_DONTWAIT) > 0);
    CHECK(front_dropped());
    front_leave();
}

/* Catches: a log that fills a disk */
TEST(bridge_is_not_made_to_talk_without_end)
{
    front_bridge();
    for (int i = 0; i < 100; i++)
        be_a_stranger(i % 2 == 0 ? HTTP : CALL);
    CHECK(front.said_count >= 20 && front.said_count < 50);
    front_end();
}

/* Catches: ten lines a second about a client that tries again and again */
TEST(bridge_says_a_line_once_and_counts_it)
{
    front_bridge();
    for (int i = 0; i < 100; i++)
        be_a_stranger(HTTP);
    CHECK_EQ(front.said_count, 1);
    CHECK(strstr(front.said, "is it QEMU?") != NULL);
    be_a_stranger(CALL);
    CHECK_EQ(front.said_count, 3); /* "99 times more", and then */
    CHECK_STR(front.said, "a client connected to the socket for QEMU: give the "
                          "client the path of --uds");
    front_end();
}

/* Catches: "does not listen yet", for ever, about the wrong socket */
TEST(bridge_tells_a_client_that_this_is_qemus_side)
{
    char answer[64] = "";

    front_bridge();
    front_connect();
    CHECK_EQ(send(front.fd, CALL, strlen(CALL), 0), strlen(CALL));
    front_turn();
    CHECK(recv(front.fd, answer, sizeof answer - 1, 0) > 0);
    CHECK_STR(answer, "QEMU's side, not --uds\n");
    front_end();
}

TEST(bridge_serves_one_qemu_at_a_time) /* catches: two guests on one bridge */
{
    uint32_t host;

    front_begin(8);
    (void)front_open(PORT, &host);
    int first = front.fd;
    front.fd = -1;
    front_turn();
    int second = front_dial(front.vhost);
    CHECK(front_is_closed(second));
    CHECK(strstr(front.said, "second QEMU") != NULL);
    front.fd = first;
    (void)front_open(PORT, &host);
    front_end();
}
