/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host's end of the virtio_console guest: `peer SOCKET SCENARIO`, where
 * SOCKET is QEMU's chardev. Prints what failed; exit status 0 or 1.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

#define PATIENCE_MS 20000 /* for anything to happen at all */

#define REPLUG(nr)                                                             \
    "{\"execute\":\"device_add\",\"arguments\":{\"driver\":"                   \
    "\"virtserialport\","                                                      \
    "\"id\":\"p\",\"bus\":\"one.0\",\"chardev\":\"s\",\"name\":\"tprof.0\","   \
    "\"nr\":" nr "}}\n"

static int sock = -1;
static const char *path;
static uint32_t attachments;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void await(short events, const char *what)
{
    struct pollfd p = {.fd = sock, .events = events};

    errno = ETIMEDOUT;
    if (poll(&p, 1, PATIENCE_MS) != 1)
        fail(what);
}

static void get(uint8_t *data, size_t size)
{
    while (size > 0) {
        await(POLLIN, "the guest sends nothing");
        ssize_t got = recv(sock, data, size, 0);

        if (got <= 0)
            fail("receive");
        data += got;
        size -= (size_t)got;
    }
}

/* What the guest says next, perhaps behind what another host was sent. */
static void await_answer(uint8_t letter, uint32_t count, bool skip)
{
    const struct peer_message want = {
        .letter = letter, .attachment = (uint16_t)attachments, .count = count};
    uint8_t got[sizeof want];

    get(got, sizeof got);
    while (memcmp(got, &want, sizeof got) != 0) {
        if (!skip) {
            fprintf(stderr, "peer: no answer %c %u\n", letter, count);
            exit(1);
        }
        memmove(got, got + 1, sizeof got - 1);
        get(got + sizeof got - 1, 1);
    }
}

static int connect_to(const char *name)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};

    strncpy(addr.sun_path, name, sizeof addr.sun_path - 1);
    /* QEMU may not have begun to listen, or still serve the one before */
    for (int tries = 0; tries < PATIENCE_MS / 10; tries++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        if (connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0)
            return fd;
        close(fd);
        sleep_ms(10);
    }
    fail("connect");
}

static void attach(void)
{
    sock = connect_to(path);
    attachments++;
    await_answer(PEER_HELLO, 0, true);
}

static void detach(void)
{
    close(sock);
    sock = -1;
}

static void put(const uint8_t *data, size_t size)
{
    while (size > 0) {
        await(POLLOUT, "the guest takes nothing");
        ssize_t done = send(sock, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (done < 0 && errno != EAGAIN)
            fail("send");
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
}

static void command(uint8_t letter, uint32_t count)
{
    const struct peer_message m = {
        .letter = letter, .attachment = (uint16_t)attachments, .count = count};

    put((const uint8_t *)&m, sizeof m);
}

/* (count) bytes from the guest, which must be the pattern's. */
static void expect(uint32_t count)
{
    uint8_t data[65536];

    for (uint32_t at = 0; at < count;) {
        size_t left = count - at;

        size_t part = left < sizeof data ? left : sizeof data;

        get(data, part);
        for (size_t i = 0; i < part; i++, at++) {
            if (data[i] == peer_pattern(at))
                continue;
            fprintf(stderr, "peer: byte %u of %u is wrong\n", at, count);
            exit(1);
        }
    }
}

static void receive_from_guest(uint32_t count)
{
    command(PEER_SEND, count);
    await_answer(PEER_SENDING, count, false);
    expect(count);
}

static void send_to_guest(uint32_t count)
{
    static uint8_t data[65536];

    command(PEER_TAKE, count);
    for (uint32_t at = 0; at < count;) {
        uint32_t part = count - at;

        if (part > sizeof data)
            part = sizeof data;
        for (uint32_t i = 0; i < part; i++, at++)
            data[i] = peer_pattern(at);
        put(data, part);
    }
    await_answer(PEER_TOOK, count, false);
}

static void bye(void)
{
    command(PEER_BYE, 0);
}

/* --- Scenarios ------------------------------------------------------------ */

static void once(void)
{
    attach();
    receive_from_guest(100000);
    send_to_guest(5000);
    bye();
}

static void bulk(void)
{
    attach();
    receive_from_guest(64 << 20);
    send_to_guest(2 << 20);
    bye();
}

static void late(void)
{
    sleep_ms(1000); /* longer than the guest takes to look many times */
    once();
}

/* Every attachment is noticed, and none sees a byte of the one before. */
static void again(void)
{
    for (int i = 0; i < 50; i++) {
        attach();
        receive_from_guest(1 + 997u * (uint32_t)i);
        send_to_guest(1 + 101u * (uint32_t)i);
        if (i % 3 == 1)
            command(PEER_SEND, 1 << 20); /* and leave without reading it */
        if (i % 3 == 2)
            command(PEER_TAKE, 1000); /* and leave without sending it */
        detach();
    }
    attach();
    bye();
}

/* A host that does not read keeps nobody: the rest comes when it does. */
static void slow(void)
{
    attach();
    command(PEER_SEND, 8 << 20);
    sleep_ms(1000);
    await_answer(PEER_SENDING, 8 << 20, false);
    expect(8 << 20);
    receive_from_guest(10000);
    bye();
}

/* One command on QEMU's monitor. False: it says no. */
static bool monitor(int fd, const char *line)
{
    char text[4096];
    size_t have = 0;

    if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
        fail("monitor");
    do {
        ssize_t got = recv(fd, text + have, sizeof text - 1 - have, 0);

        if (got <= 0)
            fail("monitor");
        have += (size_t)got;
        text[have] = 0;
    } while (!strstr(text, "\"return\"") && !strstr(text, "\"error\""));
    return !strstr(text, "\"error\"");
}

/* The port is unplugged while a host is attached, and comes back as another:
 * SOCKET.qmp is the monitor, port "p" of bus "one" on chardev "s". */
static void replug(void)
{
    char name[108];

    snprintf(name, sizeof name, "%s.qmp", path);
    attach();
    int fd = connect_to(name);

    monitor(fd, "{\"execute\":\"qmp_capabilities\"}\n");
    receive_from_guest(10000);
    for (int i = 0; i < 2; i++) {
        monitor(fd,
                "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"p\"}}\n");
        /* what is deleted lives on for a moment */
        while (!monitor(fd, i == 0 ? REPLUG("7") : REPLUG("4")))
            sleep_ms(10);
        attachments++; /* on the same connection */
        await_answer(PEER_HELLO, 0, true);
        receive_from_guest(10000);
        send_to_guest(1000);
    }
    bye();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {
        {"once", once},   {"bulk", bulk}, {"late", late},
        {"again", again}, {"slow", slow}, {"replug", replug},
    };

    if (argc == 3) {
        path = argv[1];
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
            if (strcmp(argv[2], scenarios[i].name) == 0) {
                scenarios[i].run();
                await(POLLIN, "the guest does not end"); /* by its end */
                return 0;
            }
        }
    }
    fprintf(stderr, "usage: peer SOCKET SCENARIO\n");
    return 2;
}
