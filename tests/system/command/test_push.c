/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push as a service: what systemd and its journal are told. */
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "fleet/notify.h"
#include "fleet/push/push_tell.h"
#include "spooled.h"

/* A service manager's socket. */
static int manage(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "notify"};
    struct timeval patience = {.tv_sec = 30};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    CHECK_EQ(
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    CHECK_EQ(setenv("NOTIFY_SOCKET", "notify", 1), 0);
    CHECK_EQ(setenv("WATCHDOG_USEC", "100000", 1), 0);
    return fd;
}

static const char *datagram(int fd)
{
    static char text[2048];
    ssize_t n = recv(fd, text, sizeof text - 1, 0);

    CHECK(n > 0);
    text[n] = '\0';
    return text;
}

/* Hear until it says (what). */
static const char *datagram_with(int fd, const char *what)
{
    const char *text = datagram(fd);

    for (int i = 0; i < 600 && strstr(text, what) == NULL; i++)
        text = datagram(fd);
    CHECK(strstr(text, what) != NULL);
    return text;
}

#define HEAD "READY=1\nWATCHDOG=1\nSTATUS="

TEST(service_manager_is_told) /* catches: an outage that nobody sees */
{
    spooled_begin(1, BUILD);
    spooled_play(4);
    int fd = manage();
    pid_t push = start_collector("push --to sent --follow spool");

    (void)datagram_with(fd,
                        HEAD "400 samples in 2 recordings delivered; 16 lost "
                             "before");
    for (int i = 0; i < 3; i++) /* it rests, and lives */
        CHECK_STR(datagram(fd),
                  HEAD "400 samples in 2 recordings delivered; 16 "
                       "lost before");
    CHECK_EQ(kill(push, SIGTERM), 0);
    (void)datagram_with(fd, "STOPPING=1");
    CHECK_EQ(join_collector(push), 0);
}

TEST(service_manager_is_told_of_an_outage)
{
    uint64_t age;

    spooled_begin(1, BUILD);
    spooled_play(4);
    CHECK_EQ(system("touch -d '1 hour ago' spool/*.tprof"), 0);
    int fd = manage();
    /* nobody listens there, as long as only root may */
    pid_t push = start_collector(
        "push --to pyroscope+http://127.0.0.1:1/ --follow spool");
    const char *text = datagram_with(fd, "connect"); /* as libcurl says it */
    const char *oldest = strstr(text, "the oldest of ");

    CHECK(strstr(text,
                 HEAD "0 samples in 0 recordings delivered; 2 left in the "
                      "queue, the oldest of ") == text);
    CHECK(oldest != NULL &&
          sscanf(oldest, "the oldest of %" SCNu64 " s ago; spool/", &age) == 1);
    CHECK(age >= 3600 && age < 3700);
    CHECK_EQ(end_collector(push), 1);
}

/* catches: push ended by the watchdog since its receiver takes its time */
TEST(service_manager_hears_while_a_receiver_is_silent)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char line[128];

    CHECK_EQ(bind(silent, (struct sockaddr *)&at, size), 0);
    CHECK_EQ(listen(silent, 1), 0);
    CHECK_EQ(getsockname(silent, (struct sockaddr *)&at, &size), 0);
    spooled_begin(1, BUILD);
    spooled_play(2);
    int fd = manage();

    (void)snprintf(line, sizeof line,
                   "push --to pyroscope+http://127.0.0.1:%u/ --follow spool",
                   ntohs(at.sin_port));
    pid_t push = start_collector(line);

    CHECK(accept(silent, NULL, NULL) >= 0);
    for (int i = 0; i < 4; i++)
        CHECK(strstr(datagram(fd), "WATCHDOG=1") != NULL);
    CHECK_EQ(end_collector(push), 1);
}

/* catches: push ended by the watchdog since a window is large; its reader is
 * held here, and is there still when the manager has heard four times */
TEST(service_manager_hears_while_a_window_is_read)
{
    char scrap[2048];
    pid_t reader = 0;

    spooled_begin(1, BUILD);
    spooled_play(200);
    int fd = manage();
    pid_t push = start_collector("push --to sent --follow spool");

    for (int i = 0; i < 1000 && parent_of(reader) != push; i++) {
        if (grandchildren_of(getpid(), &reader, 1) == 0 ||
            kill(reader, SIGSTOP) != 0)
            continue;
        while (recv(fd, scrap, sizeof scrap, MSG_DONTWAIT) > 0)
            continue;
        for (int n = 0; n < 4; n++)
            CHECK(strstr(datagram(fd), "WATCHDOG=1") != NULL);
    }
    CHECK_EQ(parent_of(reader), push);
    CHECK_EQ(kill(push, SIGTERM), 0);
    CHECK_EQ(kill(reader, SIGCONT), 0);
    (void)join_collector(push); /* windows may be left */
}

TEST(service_manager_hears_twice_in_its_time) /* catches: just too late */
{
    CHECK_EQ(unsetenv("WATCHDOG_USEC"), 0);
    CHECK_EQ(notify_watchdog_ns(), 0);
    CHECK_EQ(setenv("WATCHDOG_USEC", "100000", 1), 0);
    CHECK_EQ(notify_watchdog_ns(), 50000000);
}

/* Catches: a service that never becomes ready, where the manager's socket is of
 * the abstract ones */
TEST(service_manager_may_have_an_abstract_socket)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char name[64];
    int length = snprintf(name, sizeof name, "@tprof.%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    memcpy(at.sun_path + 1, name + 1, (size_t)length - 1);
    CHECK_EQ(bind(fd, (struct sockaddr *)&at,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                              (size_t)length)),
             0);
    CHECK_EQ(setenv("NOTIFY_SOCKET", name, 1), 0);
    notify_tell(notify_open(), "READY=1");
    CHECK_EQ(recv(fd, name, sizeof name, MSG_DONTWAIT), strlen("READY=1"));
    CHECK(memcmp(name, "READY=1", strlen("READY=1")) == 0);
    (void)close(fd);
}

#define HOUR (3600u * (uint64_t)1000000000)

/* catches: recordings that are set aside since no helper has that descriptor */
TEST(an_image_has_a_name_of_its_own)
{
    enter_dir();
    write_text("a.tprof", "");
    CHECK_EQ(
        collector("push --to sent --elf " KERNEL " --elf /dev/fd/63 a.tprof"),
        2);
    CHECK_CONTAINS("err", "--elf /dev/fd/63: name a file, not <(...): push "
                          "opens it for each recording");
    CHECK_EQ(collector("push --to sent --elf /proc/self/fd/3 a.tprof"), 2);
    CHECK(access("a.tprof", F_OK) == 0);
}

TEST(sums_come_each_hour) /* catches: a journal that is silent for months */
{
    struct push_tell t = {.delivered = {3, 1234}};
    static const char line[] = "1,234 samples in 3 recordings delivered\n";

    enter_dir();
    CHECK(freopen("said", "w", stdout) != NULL);
    push_tell_begin(&t, true);
    push_tell_at(&t, 5);
    push_tell_at(&t, 4 + HOUR);
    CHECK_STR(text_of("said"), "");
    push_tell_at(&t, 5 + HOUR);
    push_tell_at(&t, 6 + HOUR);
    CHECK_STR(text_of("said"), line);
    push_tell_at(&t, 5 + 2 * HOUR);
    CHECK_EQ(strlen(text_of("said")), 2 * (sizeof line - 1));
    push_tell_end(&t);
    push_tell_begin(&t, false); /* it ends by itself, and tells then */
    push_tell_at(&t, 9 * HOUR);
    CHECK_EQ(strlen(text_of("said")), 2 * (sizeof line - 1));
    push_tell_end(&t);
}
