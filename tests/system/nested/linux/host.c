/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls the services of guest.c through the bridge, for
 * tests/system/nested/linux/linux:
 *
 *   host UDS BRIDGE_PID
 *
 * Waits for the guest, which calls, then runs all cases. Exit status 0 or 1.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "services.h"

#define MANY 200

static const char *uds, *bridge;
static const char *doing = "begin";

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "FAIL %s: %s: %s\n", doing, what, strerror(errno));
    exit(1);
}

static void must(bool good, const char *what)
{
    if (!good)
        fail(what);
}

static void done(const char *next)
{
    printf("ok   linux_%s\n", doing);
    fflush(stdout);
    doing = next;
}

static int unix_socket(struct sockaddr_un *a, const char *path)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(a->sun_path, sizeof a->sun_path, "%s", path);
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

/* -1: refused. */
static int call(uint32_t port)
{
    struct sockaddr_un a;
    char line[40], c = 0;
    int fd = unix_socket(&a, uds);

    must(connect(fd, (struct sockaddr *)&a, sizeof a) == 0, uds);
    snprintf(line, sizeof line, "CONNECT %u\n", port);
    must(write(fd, line, strlen(line)) > 0, "CONNECT");
    while (c != '\n') {
        if (read(fd, &c, 1) != 1) {
            close(fd);
            return -1;
        }
    }
    return fd;
}

static int reach(uint32_t port)
{
    int fd = call(port);

    must(fd >= 0, "no answer to CONNECT");
    return fd;
}

static void read_all(int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, (char *)bytes + at, size - at);

        must(n > 0, "read");
        at += (size_t)n;
    }
}

static void until_end(int fd)
{
    char bytes[4096];

    while (read(fd, bytes, sizeof bytes) > 0)
        ;
    close(fd);
}

static unsigned open_files(void)
{
    char path[64];
    unsigned count = 0;

    snprintf(path, sizeof path, "/proc/%s/fd", bridge);
    DIR *d = opendir(path);
    must(d != NULL, path);
    while (readdir(d) != NULL)
        count++;
    closedir(d);
    return count;
}

/* --- Cases ---------------------------------------------------------------- */

/* Half an end: the answer comes after it. */
static void bytes_to_the_guest(void)
{
    static uint8_t bytes[50000];
    struct services_sum sum = {0, 0}, answer;
    int fd = reach(SERVICES_COUNT);

    for (uint64_t at = 0; at < SERVICES_STREAM; at += sizeof bytes) {
        services_fill(bytes, at, sizeof bytes);
        services_add(&sum, bytes, sizeof bytes);
        for (size_t sent = 0; sent < sizeof bytes;) {
            ssize_t n = write(fd, bytes + sent, sizeof bytes - sent);

            must(n > 0, "write");
            sent += (size_t)n;
        }
    }
    shutdown(fd, SHUT_WR);
    read_all(fd, &answer, sizeof answer);
    must(answer.count == sum.count && answer.sum == sum.sum, "another sum");
    until_end(fd);
}

static void take_stream(int fd)
{
    static uint8_t bytes[65536];
    uint64_t at = 0;
    ssize_t n;

    while ((n = read(fd, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < n; i++, at++)
            must(bytes[i] == services_byte(at), "a wrong byte");
    }
    must(n == 0 && at == SERVICES_STREAM, "a short stream");
    close(fd);
}

/* One client does not read; the others must not notice. */
static void slow_reader_waits_alone(void)
{
    int slow = reach(SERVICES_STREAM_OUT);
    int fd = reach(SERVICES_ECHO);
    char c = 0;

    for (int i = 0; i < 200; i++) {
        must(write(fd, "x", 1) == 1, "write");
        read_all(fd, &c, 1);
    }
    close(fd);
    take_stream(slow);
}

static void many_at_once(void)
{
    int fd[MANY];
    char text[32], got[32];

    for (int i = 0; i < MANY; i++)
        fd[i] = reach(SERVICES_ECHO);
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "connection %d", i);
        must(write(fd[i], text, sizeof text) == sizeof text, "write");
    }
    for (int i = MANY - 1; i >= 0; i--) {
        snprintf(text, sizeof text, "connection %d", i);
        read_all(fd[i], got, sizeof got);
        must(strcmp(text, got) == 0, "another connection's bytes");
    }
    for (int i = 0; i < MANY; i++) {
        shutdown(fd[i], SHUT_WR);
        until_end(fd[i]);
    }
}

static void guest_ends_its_half(void)
{
    char text[4];
    int fd = reach(SERVICES_HALF);

    read_all(fd, text, 4);
    must(read(fd, text, 1) == 0, "no end");
    for (int i = 0; i < 100; i++)
        must(send(fd, "still", 5, MSG_NOSIGNAL) == 5, "send");
    close(fd);
}

static void guest_turns_deaf(void)
{
    char text[4];
    int fd = reach(SERVICES_DEAF);

    read_all(fd, text, 4);
    for (int i = 0; i < 500 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
        usleep(10000);
    must(send(fd, "x", 1, MSG_NOSIGNAL) < 0 && errno == EPIPE, "no EPIPE");
    close(fd);
}

static void guest_leaves_without_reading(void)
{
    char bytes[20000] = {0};
    int fd = reach(SERVICES_RUDE);

    (void)send(fd, bytes, sizeof bytes, MSG_NOSIGNAL);
    until_end(fd); /* which comes */
}

static uint64_t broken_streams(void)
{
    uint64_t count;
    int fd = reach(SERVICES_BROKEN);

    read_all(fd, &count, sizeof count);
    until_end(fd);
    return count;
}

/* The guest's write() must fail, soon. */
static void client_leaves_in_the_middle(void)
{
    uint64_t before = broken_streams();
    char byte;

    for (int i = 0; i < 5; i++) {
        int fd = reach(SERVICES_STREAM_OUT);

        read_all(fd, &byte, 1);
        close(fd);
    }
    for (int i = 0; i < 500 && broken_streams() < before + 5; i++)
        usleep(10000);
    must(broken_streams() == before + 5, "the guest did not notice");
}

static void nothing_is_left(unsigned files)
{
    for (int i = 0; i < 1000 && open_files() > files; i++)
        usleep(10000);
    must(open_files() <= files, "the bridge keeps files open");
}

int main(int argc, char **argv)
{
    struct sockaddr_un a;
    char path[100];

    if (argc != 3)
        return 2;
    uds = argv[1];
    bridge = argv[2];
    signal(SIGPIPE, SIG_IGN);
    snprintf(path, sizeof path, "%s_%u", uds, SERVICES_HOST);
    int listener = unix_socket(&a, path);
    must(bind(listener, (struct sockaddr *)&a, sizeof a) == 0 &&
             listen(listener, 4) == 0,
         path);
    puts("listening");
    fflush(stdout);
    int guest = accept(listener, NULL, NULL);
    must(guest >= 0, "accept");

    doing = "guest_calls_the_host_and_nobody";
    while (call(SERVICES_LAST) < 0)
        usleep(50000);
    unsigned files = open_files();
    done("nobody_listens_and_client_is_refused");
    must(call(4999) < 0, "an answer from nobody");
    done("bytes_to_the_guest");
    bytes_to_the_guest();
    done("bytes_from_the_guest");
    take_stream(reach(SERVICES_STREAM_OUT));
    done("slow_reader_waits_alone");
    slow_reader_waits_alone();
    done("many_at_once");
    many_at_once();
    done("guest_ends_its_half");
    guest_ends_its_half();
    done("guest_turns_deaf");
    guest_turns_deaf();
    done("guest_leaves_without_reading");
    guest_leaves_without_reading();
    done("client_leaves_in_the_middle");
    client_leaves_in_the_middle();
    done("nothing_is_left");
    nothing_is_left(files);
    done("");
    close(guest);
    return 0;
}
