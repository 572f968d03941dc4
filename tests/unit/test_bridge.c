/* SPDX-License-Identifier: BSD-2-Clause */
/* The bridge with a guest and clients that keep the rules; the test plays both,
 * and QEMU. Its truth is virtio 1.2, 5.10, and the CONNECT convention. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bridge/conn.h"
#include "check.h"
#include "fake_front.h"
#include "util/bytes.h"

#define PORT 7077u

static uint8_t bytes[300000], got[300000];

static void fill(void)
{
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
}

/* All data packets that are there, to (got) from (at) on; returns the end. */
static size_t receive_data(size_t at)
{
    struct packet k;

    while (front_receive(&k, got + at, false)) {
        if (k.op == OP_RW)
            at += k.length;
    }
    return at;
}

/* --- Connections ---------------------------------------------------------- */

TEST(bridge_client_and_guest_exchange_bytes) /* catches: a wrong header */
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    CHECK_EQ(write(fd, "hello", 5), 5);
    front_turn();
    struct packet k;
    CHECK(front_receive(&k, got, false));
    CHECK_EQ(k.op, OP_RW);
    CHECK_EQ(k.type, TYPE_STREAM);
    CHECK_EQ(k.src_port, host);
    CHECK_EQ(k.dst_port, PORT);
    CHECK_EQ(k.length, 5);
    CHECK_EQ(k.buf_alloc, CONN_HELD);
    CHECK_MEM(got, "hello", 5);

    front_say(PORT, host, OP_RW, 0, "world!", 6);
    CHECK_EQ(read(fd, got, sizeof got), 6);
    CHECK_MEM(got, "world!", 6);
    front_end();
}

TEST(bridge_guest_reads_its_cid) /* catches: a config space that is off */
{
    uint8_t config[VU_CONFIG_BYTES + 8] = {0};

    front_bridge();
    front_connect();
    store_u32(config + VU_CONFIG_SIZE, 8);
    front_message(VU_GET_CONFIG, config, sizeof config, NULL, 0);
    CHECK_EQ(recv(front.fd, got, sizeof got, 0),
             VU_HEADER + VU_CONFIG_BYTES + 8);
    CHECK_EQ(load_u64(got + VU_HEADER + VU_CONFIG_BYTES), 3);
    front_end();
}

TEST(bridge_guest_calls_a_host_program) /* catches: the wrong socket's path */
{
    front_begin(8);
    int listener = front_listen(99);

    front_say(1000, 99, OP_REQUEST, 0, NULL, 0);
    struct packet k = front_expect(OP_RESPONSE);
    CHECK_EQ(k.src_port, 99);
    CHECK_EQ(k.dst_port, 1000);
    int fd = accept(listener, NULL, NULL);
    CHECK(fd >= 0);
    front_say(1000, 99, OP_RW, 0, "abc", 3);
    CHECK_EQ(read(fd, got, sizeof got), 3);
    CHECK_EQ(write(fd, "de", 2), 2);
    front_turn();
    CHECK_EQ(receive_data(0), 2);
    front_end();
}

TEST(bridge_guest_calls_nobody_and_is_refused) /* catches: a silent refusal */
{
    front_begin(8);
    front_say(1000, 98, OP_REQUEST, 0, NULL, 0);
    struct packet k = front_expect(OP_RST);

    CHECK_EQ(k.src_port, 98);
    CHECK_EQ(k.dst_port, 1000);
    front_end();
}

/* Catches: a client that hangs */
TEST(bridge_guest_refuses_and_client_is_closed)
{
    front_begin(8);
    int fd = front_client();

    CHECK_EQ(write(fd, "CONNECT 5\n", 10), 10);
    front_turn();
    struct packet k = front_expect(OP_REQUEST);
    CHECK(!front_is_closed(fd));
    front_say(5, k.src_port, OP_RST, 0, NULL, 0);
    CHECK(front_is_closed(fd));
    front_end();
}

TEST(bridge_without_a_guest_refuses) /* catches: waiting for who never comes */
{
    front_bridge();
    int fd = front_client();

    CHECK_EQ(write(fd, "CONNECT 5\n", 10), 10);
    front_turn();
    CHECK(front_is_closed(fd));
    CHECK_EQ(front.said_count, 0);
    front_end();
}

TEST(bridge_line_is_read_and_not_a_byte_more) /* catches: eaten data */
{
    front_begin(8);
    int fd = front_client();

    CHECK_EQ(write(fd, "CONN", 4), 4);
    front_turn();
    CHECK_EQ(write(fd, "ECT 77\nearly", 12), 12);
    front_turn();
    struct packet k = front_expect(OP_REQUEST);
    CHECK_EQ(k.dst_port, 77);
    front_say(77, k.src_port, OP_RESPONSE, 0, NULL, 0);
    CHECK_EQ(receive_data(0), 5);
    CHECK_MEM(got, "early", 5);
    front_end();
}

TEST(bridge_bad_lines_are_refused) /* catches: a lenient parser */
{
    static const char *const lines[] = {
        "CONNECT\n",
        "CONNECT \n",
        "CONNECT x\n",
        "CONNECT 1 \n",
        "CONNECT -1\n",
        "CONNECT 4294967295\n",
        "CONNECT 99999999999999999999\n",
        "GET / HTTP/1.1\r\n",
        "\n",
        "CONNECT 5\r\n",
        "CONNECT 000000000000000000000000000000000000005\n"};

    front_begin(8);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int fd = front_client();

        CHECK(write(fd, lines[i], strlen(lines[i])) > 0);
        front_turn();
        CHECK(front_is_closed(fd));
        close(fd);
    }
    struct packet k;
    CHECK(!front_receive(&k, NULL, false));
    front_end();
}

/* --- Ends ----------------------------------------------------------------- */

/* Catches: half an end for a whole one */
TEST(bridge_client_that_shuts_down_still_reads)
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    CHECK_EQ(write(fd, "last", 4), 4);
    shutdown(fd, SHUT_WR);
    front_turn();
    (void)front_expect(OP_RW);
    struct packet k = front_expect(OP_SHUTDOWN);
    CHECK_EQ(k.flags, SHUT_NO_SEND);
    front_say(PORT, host, OP_RW, 0, "answer", 6);
    CHECK_EQ(read(fd, got, sizeof got), 6);

    close(fd);
    front_turn();
    k = front_expect(OP_SHUTDOWN);
    CHECK_EQ(k.flags, SHUT_BOTH);
    front_say(PORT, host, OP_RST, 0, NULL, 0);
    CHECK(!front_receive(&k, NULL, false));
    /* forgotten: the next packet is nonsense */
    front_say(PORT, host, OP_RW, 0, "x", 1);
    (void)front_expect(OP_RST);
    front_end();
}

TEST(bridge_last_words_of_a_client_arrive) /* catches: an end before its data */
{
    uint32_t host;

    front_begin(2);
    int fd = front_open(PORT, &host);

    fill();
    CHECK_EQ(write(fd, bytes, 100000), 100000);
    close(fd);
    front_turn();
    /* the guest's talk meets nobody, and must not disturb */
    front_say(PORT, host, OP_RW, 0, "x", 1);
    size_t size = 0;
    struct packet k;
    while (front_receive(&k, got + size, false) && k.op == OP_RW)
        size += k.length;
    CHECK_EQ(size, 100000);
    CHECK_MEM(got, bytes, size);
    CHECK_EQ(k.op, OP_SHUTDOWN);
    CHECK_EQ(k.flags, SHUT_BOTH);
    front_end();
}

TEST(bridge_guest_that_shuts_down_still_receives) /* catches: likewise */
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    front_say(PORT, host, OP_RW, 0, "bye", 3);
    front_say(PORT, host, OP_SHUTDOWN, SHUT_NO_SEND, NULL, 0);
    CHECK_EQ(read(fd, got, sizeof got), 3);
    CHECK_EQ(read(fd, got, sizeof got), 0);
    CHECK_EQ(write(fd, "more", 4), 4);
    front_turn();
    CHECK_EQ(receive_data(0), 4);
    front_say(PORT, host, OP_SHUTDOWN, SHUT_NO_RECEIVE, NULL, 0);
    (void)front_expect(OP_RST);
    CHECK_EQ(send(fd, "x", 1, MSG_NOSIGNAL), -1);
    CHECK_EQ(errno, EPIPE);
    front_end();
}

/* Catches: bytes for nobody */
TEST(bridge_guest_that_will_not_receive_stops_the_client)
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    front_say(PORT, host, OP_SHUTDOWN, SHUT_NO_RECEIVE, NULL, 0);
    CHECK_EQ(send(fd, "x", 1, MSG_NOSIGNAL), -1);
    CHECK_EQ(errno, EPIPE);
    front_say(PORT, host, OP_RW, 0, "still", 5);
    CHECK_EQ(read(fd, got, sizeof got), 5);
    front_end();
}

TEST(bridge_client_that_will_not_read_stops_the_guest) /* catches: likewise */
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    shutdown(fd, SHUT_RD);
    front_say(PORT, host, OP_RW, 0, "x", 1);
    struct packet k = front_expect(OP_SHUTDOWN);
    CHECK_EQ(k.flags, SHUT_NO_RECEIVE);
    CHECK_EQ(write(fd, "ok", 2), 2);
    front_turn();
    CHECK_EQ(receive_data(0), 2);
    front_end();
}

TEST(bridge_reset_lets_held_bytes_through) /* catches: last words lost */
{
    uint32_t host;
    size_t size = 0;
    ssize_t n;

    front_begin(8);
    int fd = front_open(PORT, &host);

    fill();
    /* what the socket takes by itself, and then some */
    for (; size + 20000 <= sizeof bytes; size += 20000) {
        struct packet k;

        front_say(PORT, host, OP_RW, 0, bytes + size, 20000);
        while (front_receive(&k, NULL, false))
            CHECK_EQ(k.op, OP_CREDIT_UPDATE);
    }
    front_say(PORT, host, OP_RST, 0, NULL, 0);
    size_t at = 0;
    while ((n = read(fd, got + at, sizeof got - at)) > 0) {
        at += (size_t)n;
        front_turn();
    }
    CHECK_EQ(n, 0);
    CHECK_EQ(at, size);
    CHECK_MEM(got, bytes, at);
    front_end();
}

static struct bridge *try_open(const char *vhost, const char *uds,
                               struct err *e)
{
    const struct bridge_config config = {
        .vhost_user = vhost, .uds = uds, .cid = 3, .stop_fd = -1};

    return bridge_open(&config, e);
}

/* Catches: a client that waits for ever, or one that is waited for; a QEMU that
 * is none, and keeps another out */
TEST(bridge_gives_who_is_silent_8_seconds)
{
    struct err e;
    struct timespec begin, end;
    char vhost[64], uds[64];

    front_begin(8);
    int fd = front_client(), mute = front_client();

    snprintf(vhost, sizeof vhost, "%s/vhost2", front.dir);
    snprintf(uds, sizeof uds, "%s/uds2", front.dir);
    struct bridge *other = try_open(vhost, uds, &e);
    int qemu = front_dial(vhost);

    CHECK(other != NULL && qemu >= 0);
    CHECK_EQ(bridge_turn(other, -1, &e), 0);

    CHECK_EQ(write(fd, "CONNECT 5\n", 10), 10);
    front_turn();
    (void)front_expect(OP_REQUEST);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (!front_is_closed(fd)) /* each turn waits as long as it may */
        CHECK_EQ(bridge_turn(front.bridge, -1, &e), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - begin.tv_sec >= 7);
    front_turn();
    (void)front_expect(OP_RST);
    CHECK(front_is_closed(mute));
    while (!front_is_closed(qemu))
        CHECK_EQ(bridge_turn(other, -1, &e), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - begin.tv_sec >= 7 && end.tv_sec - begin.tv_sec < 20);
    bridge_close(other);
    front_end();
}

/* Catches: a request, or an end, for ever */
TEST(bridge_guest_that_does_not_answer_loses_patience)
{
    struct conns s;
    int pair[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    conns_init(&s, epoll_create1(0), 4);
    s.now_ms = 1000;
    CHECK_EQ(conns_patience(&s), -1);
    struct conn *c = conn_new(&s, pair[0], CONN_ASKED);
    conn_time(&s, c, true);
    s.now_ms += 7999;
    CHECK_EQ(conns_patience(&s), 1);
    CHECK(conns_expired(&s) == NULL);
    s.now_ms++;
    CHECK(conns_expired(&s) == c);
    CHECK(conns_expired(&s) == NULL);
    conn_free(&s, c);
}

/* --- Credit and buffers --------------------------------------------------- */

TEST(bridge_sends_no_more_than_the_guest_allows) /* catches: an overrun guest */
{
    uint32_t host;

    front_begin(8);
    front_alloc = 100;
    int fd = front_open(PORT, &host);

    fill();
    CHECK_EQ(write(fd, bytes, 250), 250);
    front_turn();
    struct packet k;
    CHECK(front_receive(&k, got, false));
    CHECK_EQ(k.length, 100);
    (void)front_expect(OP_CREDIT_REQUEST);
    /* "none yet" must not lead to the same question again, for ever */
    front_say(PORT, host, OP_CREDIT_UPDATE, 0, NULL, 0);
    CHECK(!front_receive(&k, got, false));
    front_fwd = 100;
    front_say(PORT, host, OP_CREDIT_UPDATE, 0, NULL, 0);
    CHECK(front_receive(&k, got + 100, false));
    CHECK_EQ(k.length, 100);
    front_fwd = 200;
    front_say(PORT, host, OP_CREDIT_UPDATE, 0, NULL, 0);
    CHECK_EQ(receive_data(200), 250);
    CHECK_MEM(got, bytes, 250);
    front_end();
}

/* Catches: lost bytes, or no limit */
TEST(bridge_holds_for_a_slow_client_what_it_promised)
{
    uint32_t host;
    struct packet k;
    uint32_t sent = 0, taken = 0;
    size_t at = 0;
    ssize_t n;

    front_begin(8);
    int fd = front_open(PORT, &host);

    fill();
    /* the guest keeps to its credit; the client does not read */
    while (sent + 10000 <= taken + CONN_HELD && sent + 10000 <= sizeof bytes) {
        front_say(PORT, host, OP_RW, 0, bytes + sent, 10000);
        sent += 10000;
        while (front_receive(&k, NULL, false)) {
            CHECK_EQ(k.op, OP_CREDIT_UPDATE);
            taken = k.fwd_cnt;
        }
    }
    CHECK(sent > CONN_HELD - 10000);
    while (at < sent && (n = read(fd, got + at, sizeof got - at)) > 0) {
        at += (size_t)n;
        front_turn();
    }
    CHECK_EQ(at, sent);
    CHECK_MEM(got, bytes, at);
    while (front_receive(&k, NULL, false))
        taken = k.fwd_cnt;
    CHECK(sent - taken < CONN_HELD / 4);
    front_end();
}

TEST(bridge_guest_that_overruns_its_credit_is_reset) /* catches: growing */
{
    uint32_t host;
    struct packet k = {0};

    front_begin(8);
    int fd = front_open(PORT, &host);

    for (int i = 0; i < 60 && k.op != OP_RST; i++) {
        front_say(PORT, host, OP_RW, 0, bytes, 20000);
        while (front_receive(&k, NULL, false))
            ;
    }
    CHECK_EQ(k.op, OP_RST);
    while (read(fd, got, sizeof got) > 0)
        ;
    CHECK(front_is_closed(fd));
    front_end();
}

TEST(bridge_credit_is_told_when_asked) /* catches: a guest that waits */
{
    uint32_t host;

    front_begin(8);
    (void)front_open(PORT, &host);
    front_say(PORT, host, OP_RW, 0, "abc", 3);
    front_say(PORT, host, OP_CREDIT_REQUEST, 0, NULL, 0);
    struct packet k = front_expect(OP_CREDIT_UPDATE);

    CHECK_EQ(k.fwd_cnt, 3);
    CHECK_EQ(k.buf_alloc, CONN_HELD);
    front_end();
}

/* Catches: a receive kick that was not asked for */
TEST(bridge_waits_for_buffers_and_is_kicked)
{
    uint32_t host;
    struct packet k;

    front_begin(1);
    int fd = front_open(PORT, &host);

    fill();
    CHECK_EQ(write(fd, bytes, 20000), 20000);
    front_turn();
    CHECK(front_receive(&k, got, true)); /* the only buffer stays with us */
    CHECK_EQ(k.length, FRONT_RX_SIZE - PACKET_HEADER);
    CHECK(!front_receive(&k, NULL, true));
    /* with event indices: a kick is wanted at the very next buffer */
    CHECK_EQ(load_u16(front_used(FRONT_RX) + 4 + 8 * FRONT_ENTRIES),
             front.posted[FRONT_RX]);
    size_t first = FRONT_RX_SIZE - PACKET_HEADER;
    front_post_rx(1);
    CHECK_EQ(receive_data(first), 20000);
    CHECK_MEM(got, bytes, 20000);
    front_end();
}

/* Catches: an interrupt for each packet */
TEST(bridge_interrupts_only_as_the_guest_wants)
{
    uint32_t host;
    eventfd_t count;

    front_begin(8);
    (void)front_open(PORT, &host);
    (void)eventfd_read(front.call[FRONT_TX], &count);
    /* used_event far away: none */
    store_u16(front_avail(FRONT_TX) + 4 + 2 * FRONT_ENTRIES,
              (uint16_t)(front.posted[FRONT_TX] + 2));
    front_say(PORT, host, OP_RW, 0, "a", 1);
    front_say(PORT, host, OP_RW, 0, "b", 1);
    CHECK_EQ(eventfd_read(front.call[FRONT_TX], &count), -1);
    front_say(PORT, host, OP_RW, 0, "c", 1);
    CHECK_EQ(eventfd_read(front.call[FRONT_TX], &count), 0);
    CHECK_EQ(count, 1);
    front_end();
}

/* QEMU first hands over a descriptor that nobody hears. */
TEST(bridge_new_call_is_told_of_the_past) /* catches: a deaf guest */
{
    uint8_t number[8];
    uint32_t host;
    eventfd_t count;
    int heard = eventfd(0, EFD_NONBLOCK);

    CHECK(heard >= 0);
    front_begin(8);
    (void)front_open(PORT, &host);
    store_u64(number, FRONT_RX);
    front_message(VU_SET_VRING_CALL, number, 8, &heard, 1);
    front_turn();
    CHECK_EQ(eventfd_read(heard, &count), 0);
    close(heard);
    front_end();
}

/* Catches: a queue of answers that grows as the guest likes */
TEST(bridge_refusals_wait_for_buffers)
{
    unsigned refused = 0, sent = 0;
    struct packet k;

    front_begin(0);
    for (; sent < 200; sent++) {
        uint16_t used = load_u16(front_used(FRONT_TX) + 2);

        if ((uint16_t)(front.posted[FRONT_TX] - used) == FRONT_ENTRIES)
            break; /* the guest may not send more, for now */
        front_say(1000 + sent, 98, OP_REQUEST, 0, NULL, 0);
    }
    CHECK_EQ(sent, 64 + FRONT_ENTRIES);
    front_post_rx(8);
    while (front_receive(&k, NULL, false)) {
        CHECK_EQ(k.op, OP_RST);
        CHECK_EQ(k.dst_port, 1000 + refused);
        refused++;
    }
    CHECK_EQ(refused, sent);
    front_end();
}

TEST(bridge_connections_take_turns) /* catches: one that starves the others */
{
    uint32_t host[3];
    int fd[3];
    size_t share[3] = {0};
    struct packet k;

    front_begin(2);
    for (uint32_t i = 0; i < 3; i++)
        fd[i] = front_open(PORT + i, &host[i]);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(write(fd[i], bytes, 100000) > 50000);
    front_turn();
    for (int i = 0; i < 30; i++) {
        CHECK(front_receive(&k, NULL, false));
        share[k.dst_port - PORT]++;
    }
    for (int i = 0; i < 3; i++)
        CHECK(share[i] >= 5);
    front_end();
}

/* --- QEMU comes and goes -------------------------------------------------- */

TEST(bridge_guest_goes_and_clients_learn_it) /* catches: a client that hangs */
{
    uint32_t host;

    front_begin(8);
    int fd = front_open(PORT, &host);

    /* said with its last breath: in the ring, but no turn was taken */
    front_say(PORT, host, OP_RW, 0, "last", 4);
    front_leave();
    CHECK_EQ(read(fd, got, sizeof got), 4);
    CHECK(front_is_closed(fd));
    CHECK_EQ(front.said_count, 0);
    front_end();
}

TEST(bridge_serves_the_next_qemu) /* catches: what is left of the last one */
{
    uint32_t host;

    front_begin(8);
    (void)front_open(PORT, &host);
    for (int i = 0; i < 20; i++) {
        front_leave();
        memset(front.memory, 0, FRONT_MEMORY);
        memset(front.posted, 0, sizeof front.posted);
        memset(front.seen, 0, sizeof front.seen);
        front_connect();
        front_share();
        front_start(0, 0);
        front_post_rx(8);
        int fd = front_open(PORT, &host);

        CHECK_EQ(write(fd, "x", 1), 1);
        front_turn();
        CHECK_EQ(receive_data(0), 1);
        close(fd);
    }
    front_end();
}

/* What QEMU does when the guest is paused or reset: returns the bases. */
static void stop_rings(uint16_t bases[2])
{
    for (uint32_t ring = 0; ring < 2; ring++) {
        front_ring_message(VU_SET_VRING_ENABLE, ring, 0);
        front_ring_message(VU_GET_VRING_BASE, ring, 0);
        bases[ring] = (uint16_t)(front_answer() >> 32);
    }
}

TEST(bridge_pause_keeps_connections) /* catches: a pause that cuts them */
{
    uint32_t host;
    uint16_t bases[2];

    front_begin(8);
    int fd = front_open(PORT, &host);

    stop_rings(bases);
    CHECK_EQ(bases[FRONT_TX], front.posted[FRONT_TX]);
    CHECK_EQ(write(fd, "meanwhile", 9), 9);
    front_turn();
    struct packet k;
    CHECK(!front_receive(&k, NULL, false));
    front_start(bases[0], bases[1]);
    front_turn();
    CHECK_EQ(receive_data(0), 9);
    front_say(PORT, host, OP_RW, 0, "y", 1);
    CHECK_EQ(read(fd, got, sizeof got), 1);
    front_end();
}

/* Catches: old connections for a new driver */
TEST(bridge_reset_guest_loses_connections)
{
    uint32_t host;
    uint16_t bases[2];

    front_begin(8);
    int fd = front_open(PORT, &host);

    stop_rings(bases);
    memset(front.memory, 0, FRONT_MEMORY);
    memset(front.posted, 0, sizeof front.posted);
    memset(front.seen, 0, sizeof front.seen);
    front_start(0, 0);
    CHECK(front_is_closed(fd));
    front_post_rx(8);
    (void)front_open(PORT, &host);
    front_end();
}

TEST(bridge_tells_what_qemu_lacks) /* catches: share=on forgotten, in silence */
{
    front_bridge();
    front_connect(); /* features, but no memory: there was none to share */
    (void)front_client();
    CHECK_EQ(front.said_count, 1);
    CHECK(strstr(front.said, "share=on") != NULL);
    (void)front_client();
    CHECK_EQ(front.said_count, 1); /* once */
    front_end();
}

/* --- Sockets -------------------------------------------------------------- */

TEST(bridge_socket_in_use_is_left_alone) /* catches: stealing a live socket */
{
    struct err e = {""};
    char other[64];

    front_bridge();
    snprintf(other, sizeof other, "%s/other", front.dir);
    CHECK(try_open(other, front.uds, &e) == NULL);
    CHECK(strstr(e.text, "another program serves this socket") != NULL);
    CHECK(access(other, F_OK) < 0); /* nor is anything left behind */
    CHECK(front_client() >= 0);
    front_end();
}

TEST(bridge_stale_socket_is_replaced) /* catches: a restart that fails */
{
    struct err e = {""};
    char other[64];
    struct stat st;

    front_bridge();
    snprintf(other, sizeof other, "%s/other", front.dir);
    close(front_listen(4)); /* the file stays */
    char stale[64];
    snprintf(stale, sizeof stale, "%s_4", front.uds);
    struct bridge *b = try_open(other, stale, &e);
    CHECK(b != NULL);
    bridge_close(b);
    CHECK(stat(stale, &st) < 0);
    CHECK(stat(other, &st) < 0);
    front_end();
}

TEST(bridge_file_that_is_no_socket_stays) /* catches: deleting a user's file */
{
    struct err e = {""};
    char other[64];

    front_bridge();
    snprintf(other, sizeof other, "%s/other", front.dir);
    FILE *f = fopen(other, "w");
    CHECK(f != NULL);
    fclose(f);
    CHECK(try_open(other, other, &e) == NULL);
    CHECK(strstr(e.text, "no socket") != NULL);
    CHECK(access(other, F_OK) == 0);
    unlink(other);
    CHECK(try_open("", other, &e) == NULL);
    front_end();
}

TEST(bridge_ends_when_told) /* catches: a Ctrl-C that is not heard */
{
    struct err e;

    front_bridge();
    CHECK_EQ(write(front.stop[1], "x", 1), 1);
    CHECK_EQ(bridge_run(front.bridge, &e), 0);
    front_end();
}
