/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may use the bridge, and that nobody keeps others from it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge/conn.h"
#include "check.h"
#include "fake_front.h"

#define NOBODY  65534u
#define CLIENTS 960 /* of 1,024 connections, without the guest's part */

static unsigned mode_of(const char *path)
{
    struct stat st;

    CHECK_EQ(stat(path, &st), 0);
    return st.st_mode & 0777;
}

TEST(
    bridge_sockets_are_for_their_user_alone) /* catches: a umask that decides */
{
    mode_t mask = umask(0);

    front_bridge();
    CHECK_EQ(mode_of(front.vhost), 0600);
    CHECK_EQ(mode_of(front.uds), 0600);
    front_end();
    (void)umask(077);
    front_peers.any = true;
    front_bridge();
    CHECK_EQ(mode_of(front.vhost), 0666);
    CHECK_EQ(mode_of(front.uds), 0666);
    CHECK_EQ(umask(mask), 077); /* it is the caller's again */
    front_end();
}

/* --- Somebody else -------------------------------------------------------- */

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    return a;
}

/* A bridge that lets in user 12345, too, and a process of another one that
 * connects to (path), or listens there, and stays. */
static pid_t start_stranger(const char *path, bool listens)
{
    struct sockaddr_un a = address_of(path);
    int ready[2];
    char byte;

    CHECK_EQ(pipe(ready), 0);
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        alarm(30);
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        if (listens ? bind(fd, (struct sockaddr *)&a, sizeof a) != 0 ||
                          listen(fd, 4) != 0
                    : connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
            _exit(2);
        (void)!write(ready[1], "x", 1);
        _exit(read(fd, &byte, 1) == 0 ? 0 : pause());
    }
    close(ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void begin_with_strangers(void)
{
    if (geteuid() != 0)
        SKIP("only root can play two users");
    front_peers = (struct peer_rule){.other = true, .uid = 12345};
    front_begin(8);
    CHECK_EQ(chmod(front.dir, 0777), 0);
}

static int end_of(pid_t pid)
{
    int status;

    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return status;
}

/* Catches: any user of the host in the guest */
TEST(bridge_refuses_clients_of_other_users)
{
    uint32_t host;

    begin_with_strangers();
    pid_t stranger = start_stranger(front.uds, false);

    front_turn();
    CHECK_EQ(end_of(stranger), 0); /* its connection was closed */
    CHECK(strstr(front.said, "belongs to user 65534") != NULL);
    CHECK(strstr(front.said, "--peer 65534") != NULL);
    (void)front_open(7077, &host); /* we are root */
    front_end();
}

/* Catches: a guest's memory shared by whoever comes first */
TEST(bridge_refuses_a_qemu_of_another_user)
{
    uint32_t host;

    begin_with_strangers();
    pid_t stranger = start_stranger(front.vhost, false);

    front_turn();
    CHECK_EQ(end_of(stranger), 0);
    CHECK(strstr(front.said, "belongs to user 65534") != NULL);
    (void)front_open(7077, &host);
    front_end();
}

/* Catches: the guest's bytes to whoever has put a socket there */
TEST(bridge_calls_no_program_of_another_user)
{
    char path[64];

    begin_with_strangers();
    snprintf(path, sizeof path, "%s_99", front.uds);
    pid_t stranger = start_stranger(path, true);

    front_say(1000, 99, OP_REQUEST, 0, NULL, 0);
    (void)front_expect(OP_RST);
    front_turn();
    CHECK(strstr(front.said, "belongs to user 65534") != NULL);
    CHECK_EQ(kill(stranger, SIGKILL), 0);
    (void)end_of(stranger);
    unlink(path);
    front_end();
}

TEST(bridge_lets_in_whom_it_was_told_to) /* catches: an option without effect */
{
    if (geteuid() != 0)
        SKIP("only root can play two users");
    front_peers = (struct peer_rule){.other = true, .uid = NOBODY};
    front_bridge();
    CHECK_EQ(chmod(front.dir, 0777), 0);
    pid_t friend = start_stranger(front.vhost, false);

    front_turn();
    CHECK_EQ(front.said_count, 0);
    CHECK_EQ(waitpid(friend, NULL, WNOHANG), 0); /* it is connected */
    CHECK_EQ(kill(friend, SIGKILL), 0);
    (void)end_of(friend);
    front_end();
}

/* --- Many ----------------------------------------------------------------- */

static int fds[CLIENTS + 20];

static void allow_files(void)
{
    const struct rlimit files = {4096, 4096};

    if (setrlimit(RLIMIT_NOFILE, &files) < 0)
        SKIP("at most 4,096 files must be allowed");
}

/* More clients than there is room for, none of which says a word. */
static void crowd(void)
{
    allow_files();
    front_begin(8);
    for (int i = 0; i < CLIENTS + 20; i++)
        fds[i] = front_client();
}

/* Catches: a thousand connects that lock everybody out for ever */
TEST(bridge_silent_clients_make_room)
{
    uint32_t host;

    crowd();
    CHECK(front_is_closed(fds[0])); /* the oldest */
    CHECK(front_is_closed(fds[19]));
    CHECK(!front_is_closed(fds[20]));
    int fd = front_open(7077, &host);

    for (int i = 0; i < 20; i++)
        (void)front_client();
    CHECK(!front_is_closed(fd)); /* one that has spoken stays */
    front_end();
}

/* Catches: no limit, or a descriptor lost each time */
TEST(bridge_serves_960_clients_and_refuses_more)
{
    unsigned open = 0;
    struct packet k;
    uint32_t host;

    allow_files();
    front_begin(8);
    for (int round = 0; round < 2; round++) {
        open = 0;
        for (int i = 0; i < CLIENTS + 20; i++) {
            fds[i] = front_client();
            CHECK(fds[i] >= 0);
            (void)send(fds[i], "CONNECT 5\n", 10, MSG_NOSIGNAL);
            front_turn();
        }
        for (int i = 0; i < CLIENTS + 20; i++) {
            open += !front_is_closed(fds[i]);
            close(fds[i]);
        }
        CHECK_EQ(open, CLIENTS);
        for (int i = 0; i < 400; i++) { /* requests, and that they are over */
            front_turn();
            while (front_receive(&k, NULL, false))
                continue;
        }
    }
    (void)front_open(7077, &host);
    front_end();
}

/* Catches: a guest that reaches no program since clients take all room */
TEST(bridge_keeps_room_for_the_guest)
{
    crowd();
    int listener = front_listen(99);

    for (uint32_t i = 0; i < 64; i++) {
        front_say(1000 + i, 99, OP_REQUEST, 0, NULL, 0);
        (void)front_expect(OP_RESPONSE);
        CHECK(accept(listener, NULL, NULL) >= 0); /* and keep it */
    }
    front_say(2000, 99, OP_REQUEST, 0, NULL, 0);
    (void)front_expect(OP_RST);
    close(listener);
    front_end();
}

/* Catches: a guest that takes all room from clients */
TEST(bridge_keeps_room_for_clients)
{
    struct conns s;
    int pair[2];

    conns_init(&s, epoll_create1(0), 32);
    for (unsigned i = 0; i < 30; i++) {
        CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        CHECK(!conns_full(&s, true));
        CHECK(conn_new(&s, pair[0], CONN_OPEN) != NULL);
    }
    CHECK(conns_full(&s, true));
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        CHECK(!conns_full(&s, false));
        CHECK(conn_new(&s, pair[0], CONN_HELLO) != NULL);
    }
    CHECK(conns_full(&s, false));
    conn_free(&s, TAILQ_FIRST(&s.all));
    CHECK(!conns_full(&s, true) && !conns_full(&s, false));
    while (!TAILQ_EMPTY(&s.all))
        conn_free(&s, TAILQ_FIRST(&s.all));
}

/* Catches: QEMU kept out by a program that is none */
TEST(bridge_qemu_takes_the_place_of_who_is_silent)
{
    uint32_t host;

    front_bridge();
    int mute = front_dial(front.vhost);

    CHECK(mute >= 0);
    front_connect();
    front_share();
    front_start(0, 0);
    front_post_rx(8);
    CHECK(front_is_closed(mute));
    CHECK(strstr(front.said, "sent nothing") != NULL);
    (void)front_open(7077, &host);
    front_end();
}

/* Two bridges, and who is there in QEMU's place. */
static struct bridge *stalled[2];
static int stalling[2];
static char stalled_at[2][64];

/* It says so many bytes: GET_FEATURES, and perhaps a part of it again. */
static void begin_to_stall(size_t i, size_t said)
{
    static const uint8_t message[24] = {
        [0] = VU_GET_FEATURES, [4] = 1, [12] = VU_GET_FEATURES, [16] = 1};
    char uds[64];
    struct err e;
    const struct bridge_config config = {
        .vhost_user = stalled_at[i], .uds = uds, .cid = 3, .stop_fd = -1};

    snprintf(stalled_at[i], sizeof stalled_at[i], "%s/stall%zu", front.dir, i);
    snprintf(uds, sizeof uds, "%s/u%zu", front.dir, i);
    stalled[i] = bridge_open(&config, &e);
    stalling[i] = front_dial(stalled_at[i]);
    CHECK(stalled[i] != NULL && stalling[i] >= 0);
    CHECK_EQ(bridge_turn(stalled[i], -1, &e), 0);
    CHECK_EQ(send(stalling[i], message, said, 0), (int)said);
    CHECK_EQ(bridge_turn(stalled[i], -1, &e), 0);
}

static bool has_left(int fd)
{
    char scrap[64];
    ssize_t n;

    do
        n = recv(fd, scrap, sizeof scrap, MSG_DONTWAIT);
    while (n > 0);
    return n == 0;
}

/* Catches: QEMU kept out by half a message, or by one and no more */
TEST(bridge_qemu_takes_the_place_of_who_stalls)
{
    struct err e;

    front_bridge();
    begin_to_stall(0, 12);
    begin_to_stall(1, 12 + 5);
    while (!has_left(stalling[1])) /* half a message ends it in 8 s, */
        CHECK_EQ(bridge_turn(stalled[1], -1, &e), 0);
    CHECK(!has_left(stalling[0])); /* a whole one when another comes */
    int qemu = front_dial(stalled_at[0]);

    CHECK(qemu >= 0 && bridge_turn(stalled[0], -1, &e) == 0);
    CHECK(has_left(stalling[0]) && !has_left(qemu));
    int second = front_dial(stalled_at[0]);

    CHECK(second >= 0 && bridge_turn(stalled[0], -1, &e) == 0);
    CHECK(has_left(qemu) && !has_left(second)); /* it had said nothing */
    for (size_t i = 0; i < 2; i++)
        bridge_close(stalled[i]);
    front_end();
}
