/* SPDX-License-Identifier: BSD-2-Clause */
/* A VMM's Unix socket and the CONNECT line, against a peer that says anything.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "alloc.h"
#include "guest/source/source.h"

#define SECOND 1000000000ull

static struct err error;
static char folder[] = "/tmp/tprof-uds-XXXXXX";
static char path[64];
static uint64_t later; /* what our clock is ahead */

uint64_t __real_clock_ns(void);
uint64_t __wrap_clock_ns(void);

uint64_t __wrap_clock_ns(void)
{
    return __real_clock_ns() + later;
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_path(const char *name)
{
    if (path[0] == '\0') {
        CHECK(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    CHECK((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) <
          sizeof path);
}

static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    make_path(name);
    memcpy(address.sun_path, path, strlen(path));
    CHECK(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(listen(fd, 8) == 0);
    return fd;
}

/* Accept, and expect (line) to be asked. */
static int hear(int listener, const char *line)
{
    char got[32] = "";
    int fd = accept(listener, NULL, NULL);

    CHECK(fd >= 0);
    CHECK(recv(fd, got, sizeof got - 1, MSG_DONTWAIT) > 0);
    CHECK_STR(got, line);
    return fd;
}

static void say(int fd, const char *text, size_t size)
{
    CHECK_EQ(send(fd, text, size, MSG_NOSIGNAL), (ssize_t)size);
}

static enum source_state open_again(struct source *s)
{
    return s->ops->open(s, &error);
}

static struct source *waiting(const char *where)
{
    struct source *s = source_vsock_uds(where, &error);

    CHECK(s != NULL);
    CHECK(s->live && s->reconnects && s->fd == -1);
    CHECK_STR(s->path, where);
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    return s;
}

static ssize_t read_some(struct source *s, char *buf, size_t size)
{
    uint64_t arrival;

    return s->ops->read(s, buf, size, &arrival, &error);
}

TEST(answer_opens_and_what_follows_is_the_guests) /* catches: read past LF */
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");
    char got[8];

    say(peer, "OK 1073741824\nabc", 17);
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    CHECK_EQ(read_some(s, got, sizeof got), 3);
    CHECK_MEM(got, "abc", 3);
    CHECK_EQ(read_some(s, got, sizeof got), 0); /* without waiting */
    CHECK_EQ(s->ops->write(s, "xyz", 3, &error), 3);
    CHECK_EQ(recv(peer, got, sizeof got, 0), 3);
    CHECK_MEM(got, "xyz", 3);
    source_close(s);
}

TEST(answer_may_come_in_pieces) /* catches: half an answer taken for a whole */
{
    static const char answer[] = "OK 0\n";
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");

    for (size_t i = 0; i < strlen(answer); i++) {
        CHECK_EQ(open_again(s), SOURCE_ABSENT);
        say(peer, answer + i, 1);
    }
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    source_close(s);
}

/* Catches: giving up on a guest that boots */
TEST(hang_up_is_a_refusal_and_asked_again)
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);

    for (int i = 0; i < 3; i++) {
        close(hear(listener, "CONNECT 7077\n"));
        CHECK_EQ(open_again(s), SOURCE_ABSENT);
        CHECK(strstr(s->absence, "does not listen on port 7077 yet") != NULL);
        CHECK_EQ(open_again(s), SOURCE_ABSENT);
    }
    say(hear(listener, "CONNECT 7077\n"), "OK 1\n", 5);
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    source_close(s);
}

TEST(answer_cut_short_is_told_apart) /* catches: a VMM that died, unnoticed */
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");

    say(peer, "OK 1", 4);
    close(peer);
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK(strstr(s->absence, "in the middle of its answer") != NULL);
    /* and nothing of it is left */
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    say(hear(listener, "CONNECT 7077\n"), "OK 23\n", 6);
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    source_close(s);
}

static void refuses(int listener, const char *answer, size_t size)
{
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");

    say(peer, answer, size);
    CHECK_EQ(open_again(s), SOURCE_FAILED);
    CHECK(strstr(error.text, "instead of 'OK number'") != NULL);
    for (const char *c = error.text; *c != '\0'; c++)
        CHECK(*c >= ' ' && *c <= '~');
    close(peer);
    source_close(s);
}

/* Catches: another protocol taken for a guest */
TEST(wrong_answers_are_refused)
{
    static const char *const answers[] = {
        "\n",           "OK\n",    "OK \n",
        "OK x\n",       "OK 1x\n", "OK -1\n",
        "OK  1\n",      "ok 1\n",  "OK 4294967296\n",
        "OK 1\r\n",     " OK 1\n", "HTTP/1.1 400 Bad Request\r\n",
        "\x1b[2J\x9b\n"};
    int listener = listen_at("vm.sock");

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        refuses(listener, answers[i], strlen(answers[i]));
    refuses(listener, "OK 1\0\n", 6);
    refuses(listener, "OK \0001\n", 6);
}

TEST(endless_answer_is_refused) /* catches: memory or time without bound */
{
    int listener = listen_at("vm.sock");
    char answer[4096];

    memset(answer, '1', sizeof answer);
    answer[0] = 'O';
    answer[1] = 'K';
    answer[2] = ' ';
    refuses(listener, answer, sizeof answer);
    refuses(listener, answer, 31); /* no LF will come, and none is awaited */
}

/* Catches: waiting at a serial port's socket for ever */
TEST(mute_peer_is_left_after_a_while)
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");
    char got;

    CHECK(s->absence == NULL);
    later = 3 * SECOND;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK(strstr(s->absence, "does not answer CONNECT") != NULL);
    CHECK(recv(peer, &got, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    later = 11 * SECOND;
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK_EQ(recv(peer, &got, 1, MSG_DONTWAIT), 0); /* it hung up */
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    close(hear(listener, "CONNECT 7077\n"));
    source_close(s);
}

TEST(vmm_comes_later) /* catches: what a user starts second, refused */
{
    make_path("vm.sock");
    struct source *s = waiting(path);

    CHECK(strstr(s->absence, "there is no ") != NULL);
    int listener = listen_at("vm.sock");

    close(listener); /* a socket of a VMM that is gone */
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    CHECK(strstr(s->absence, "nothing listens on ") != NULL);
    unlink(path);
    listener = listen_at("vm.sock");
    CHECK_EQ(open_again(s), SOURCE_ABSENT);
    say(hear(listener, "CONNECT 7077\n"), "OK 1\n", 5);
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    source_close(s);
}

TEST(guest_comes_back) /* catches: a descriptor left over from its last life */
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    char got[8];

    for (int i = 0; i < 3; i++) {
        int peer = hear(listener, "CONNECT 7077\n");

        say(peer, "OK 1\nabc", 8);
        CHECK_EQ(open_again(s), SOURCE_OPEN);
        close(peer);
        CHECK_EQ(read_some(s, got, sizeof got), 3);
        CHECK_EQ(read_some(s, got, sizeof got), SOURCE_END);
        CHECK_EQ(s->fd, -1);
        CHECK(s->absence == NULL);
        CHECK_EQ(open_again(s), SOURCE_ABSENT);
    }
    source_close(s);
}

/* Catches: a second collector that is told nothing */
TEST(guest_that_hangs_up_at_once_is_explained)
{
    int listener = listen_at("vm.sock");
    struct source *s = waiting(path);
    int peer = hear(listener, "CONNECT 7077\n");
    char got[8];

    say(peer, "OK 1\n", 5);
    CHECK_EQ(open_again(s), SOURCE_OPEN);
    close(peer);
    CHECK_EQ(read_some(s, got, sizeof got), SOURCE_END);
    CHECK(strstr(s->absence, "another collector") != NULL);
    source_close(s);
}

static void refuses_where(const char *where, const char *why)
{
    CHECK(source_vsock_uds(where, &error) == NULL);
    CHECK(strstr(error.text, why) != NULL);
}

TEST(port_is_what_follows_the_last_colon) /* catches: a path cut in two */
{
    int listener = listen_at("a:b");
    char where[96];

    (void)snprintf(where, sizeof where, "%s:1234", path);
    struct source *s = waiting(where);

    close(hear(listener, "CONNECT 1234\n"));
    CHECK(strstr(s->silence, "port 1234") != NULL);
    source_close(s);
    s = waiting(path); /* "b" is no number */
    close(hear(listener, "CONNECT 7077\n"));
    source_close(s);
    close(listener);
    unlink(path);

    listener = listen_at("c:99"); /* there is a file with the whole name */
    s = waiting(path);
    close(hear(listener, "CONNECT 7077\n"));
    source_close(s);
    close(listener);
    unlink(path);

    s = waiting("/nowhere/d:"); /* no number either */
    CHECK_STR(s->absence, "there is no /nowhere/d: yet");
    source_close(s);
}

TEST(nonsense_is_refused) /* catches: a port that wraps, a path that is cut */
{
    char long_path[200];

    refuses_where("/nowhere/vm:0", "'0' is not a port");
    refuses_where("/nowhere/vm:4294967295", "'4294967295' is not a port");
    refuses_where("/nowhere/vm:99999999999999999999", "is not a port");
    refuses_where("", "a path is missing");
    refuses_where(":7077", "a path is missing");
    memset(long_path, 'x', sizeof long_path);
    long_path[107] = '\0';
    source_close(source_vsock_uds(long_path, &error));
    long_path[107] = 'x';
    long_path[108] = '\0';
    refuses_where(long_path, "longer than a socket's path");
}

TEST(what_is_no_socket_fails) /* catches: waiting at a folder for ever */
{
    make_path("loop");
    CHECK(symlink(path, path) == 0);
    struct source *s = source_vsock_uds(path, &error);

    CHECK_EQ(open_again(s), SOURCE_FAILED);
    CHECK(strstr(error.text, "connect: ") != NULL);
    source_close(s);
}

TEST(memory_may_be_short) /* catches: a crash, a leak */
{
    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        struct source *s = source_vsock_uds("/nowhere/vm:12", &error);

        if (!alloc_failed()) {
            CHECK(s != NULL);
            source_close(s);
            break;
        }
        CHECK(s == NULL);
        CHECK(strstr(error.text, "out of memory") != NULL);
    }
}
