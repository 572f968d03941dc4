/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_vsock() and the kernel's own AF_VSOCK, over its loopback: what the
 * played host of unit.source_vsock says is what a real one says. Only in the
 * machine of tests/system/nested/run, from where no connection can leave.
 */
#include "check.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "guest/source/source.h"

#define MANY (8u << 20)

static struct err error;

static void only_nested(void)
{
    const char *nested = getenv("TPROF_NESTED");

    if (nested == NULL || strcmp(nested, "yes") != 0)
        SKIP("only in the machine of tests/system/nested/run");
}

static int listen_at(unsigned port)
{
    struct sockaddr_vm address = {
        .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = port};
    int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(fd, 8), 0);
    return fd;
}

/* Ask as the session does, until it is (wanted). */
static void open_until(struct source *s, enum source_state wanted)
{
    enum source_state state = s->ops->open(s, &error);

    for (int i = 0; i < 500 && state != wanted; i++) {
        CHECK_EQ(state, SOURCE_ABSENT);
        (void)poll(NULL, 0, 10);
        state = s->ops->open(s, &error);
    }
    CHECK_EQ(state, wanted);
}

/* ... until it says why it is absent. */
static const char *absence(struct source *s)
{
    for (int i = 0; i < 500 && s->absence == NULL; i++) {
        open_until(s, SOURCE_ABSENT);
        (void)poll(NULL, 0, 10);
    }
    CHECK(s->absence != NULL);
    return s->absence;
}

static struct source *connected(const char *where, int listener, int *peer)
{
    struct source *s = source_vsock(where, 0, &error);

    CHECK(s != NULL);
    open_until(s, SOURCE_OPEN);
    *peer = accept(listener, NULL, NULL);
    CHECK(*peer >= 0);
    return s;
}

/* Read until read() returns bytes, the end or an error. */
static ssize_t read_some(struct source *s, void *buf, size_t size)
{
    uint64_t arrival;
    ssize_t n = 0;

    while (n == 0) {
        struct pollfd fd = {.fd = s->fd, .events = POLLIN};

        CHECK_EQ(poll(&fd, 1, 10000), 1);
        n = s->ops->read(s, buf, size, &arrival, &error);
    }
    return n;
}

/* Catches: bytes cut or swallowed, a read that waits */
TEST(bytes_go_both_ways)
{
    only_nested();
    int peer, listener = listen_at(7077);
    struct source *s = connected("1", listener, &peer);
    char got[8];
    uint64_t arrival;

    CHECK_EQ(s->ops->read(s, got, sizeof got, &arrival, &error), 0);
    CHECK_EQ(s->ops->write(s, "START", 5, &error), 5);
    CHECK_EQ(recv(peer, got, 5, MSG_WAITALL), 5);
    CHECK_MEM(got, "START", 5);
    CHECK_EQ(send(peer, "HELLO", 5, 0), 5);
    CHECK_EQ(read_some(s, got, sizeof got), 5);
    CHECK_MEM(got, "HELLO", 5);
    source_close(s);
    CHECK_EQ(recv(peer, got, sizeof got, 0), 0);
}

/* The peer sends MANY bytes of a pattern, and ends. */
static void send_many(int peer)
{
    static unsigned char block[65536];

    for (size_t at = 0; at < MANY; at += sizeof block) {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = (unsigned char)((at + i) * 31 >> 3);
        if (send(peer, block, sizeof block, MSG_NOSIGNAL) !=
            (ssize_t)sizeof block)
            _exit(1);
    }
    (void)shutdown(peer, SHUT_WR);
    (void)recv(peer, block, 1, 0); /* until all is taken */
    _exit(0);
}

TEST(all_bytes_come_before_the_end) /* catches: data lost in a closing stream */
{
    only_nested();
    int peer, listener = listen_at(7079);
    struct source *s = connected("1:7079", listener, &peer);
    static unsigned char got[65536];
    size_t at = 0;
    ssize_t n;

    if (fork() == 0)
        send_many(peer);
    close(peer);
    while ((n = read_some(s, got, sizeof got)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            CHECK_EQ(got[i], (unsigned char)((at + (size_t)i) * 31 >> 3));
        at += (size_t)n;
    }
    CHECK_EQ(n, SOURCE_END);
    CHECK_EQ(at, MANY);
    CHECK_EQ(s->fd, -1);
    source_close(s);
}

/* Catches: giving up on a guest that boots */
TEST(guest_that_does_not_listen_yet_is_waited_for)
{
    only_nested();
    struct source *s = source_vsock("1:7078", 0, &error);

    CHECK(s != NULL);
    CHECK(strstr(absence(s), "nothing listens on port 7078") != NULL);
    int listener = listen_at(7078);
    open_until(s, SOURCE_OPEN);
    source_close(s);
    close(listener);
}

/* Catches: an error that ends the session of a guest that rebooted */
TEST(connection_is_made_again_after_a_reset)
{
    only_nested();
    int peer, listener = listen_at(7080);
    struct source *s = connected("1:7080", listener, &peer);
    char got[8];

    for (int i = 0; i < 3; i++) {
        CHECK_EQ(s->ops->write(s, "unread", 6, &error), 6);
        CHECK_EQ(send(peer, "x", 1, 0), 1);
        CHECK_EQ(read_some(s, got, sizeof got), 1);
        close(peer); /* with bytes unread: a reset */
        CHECK_EQ(read_some(s, got, sizeof got), SOURCE_END);
        CHECK_EQ(s->fd, -1);
        open_until(s, SOURCE_OPEN);
        peer = accept(listener, NULL, NULL);
        CHECK(peer >= 0);
    }
    close(peer); /* without a word */
    (void)poll(NULL, 0, 50);
    CHECK(s->ops->write(s, "late", 4, &error) >= 0); /* read() will say so */
    CHECK_EQ(read_some(s, got, sizeof got), SOURCE_END);
    CHECK(strstr(s->absence, "another collector") != NULL);
    source_close(s);
}

/* Catches: a port that the guest does not take for a privileged one */
TEST(privileged_port_is_the_peers_to_see)
{
    only_nested();
    int listener = listen_at(7077), peer;
    struct sockaddr_vm from = {0};
    socklen_t size = sizeof from;
    struct source *s = source_vsock("1", SOURCE_VSOCK_PRIVILEGED, &error);

    CHECK(s != NULL);
    open_until(s, SOURCE_OPEN);
    peer = accept(listener, (struct sockaddr *)&from, &size);
    CHECK(peer >= 0);
    CHECK(from.svm_port > 0 && from.svm_port < 1024);
    source_close(s);
}

/* Catches: errors that differ from what is known */
TEST(missing_guest_is_named_by_its_cid)
{
    only_nested();
    struct source *s = source_vsock("77", 0, &error);

    CHECK(s != NULL);
    CHECK_STR(absence(s), "no guest with CID 77 runs");
    source_close(s);
}
