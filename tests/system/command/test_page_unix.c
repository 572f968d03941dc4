/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of collector serve at a Unix socket, whose clients are told apart by
 * their user. Other users are played by root, who can become anybody. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "paged.h"

#define NOBODY  65534
#define SERVE   "serve --watch run --listen unix:page "
#define TOKEN   "0123456789abcdef"
#define OF_USER 32u /* connections, as the manual has it */

/* A connection to the page; -1 with errno set. */
static int reach_page(void)
{
    const struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "page"};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    if (connect(fd, (const struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    int error = errno;

    (void)close(fd);
    errno = error;
    return -1;
}

/* Ask, with more (headers), into (answer), as curl --unix-socket does. Returns
 * 0; an errno if the socket could not be reached. */
static int ask_page(const char *path, const char *headers, char *answer,
                    size_t size)
{
    char request[256];
    int fd = reach_page();
    size_t used = 0;
    ssize_t n;

    if (fd < 0)
        return errno;
    n = snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, headers);
    CHECK_EQ(write(fd, request, (size_t)n), n);
    while ((n = read(fd, answer + used, size - 1 - used)) > 0)
        used += (size_t)n;
    answer[used] = '\0';
    (void)close(fd);
    return 0;
}

/* The status of the answer to (user), who asks with more (headers); a negative
 * errno if that user does not reach the socket. */
static int status_for(uid_t user, const char *headers)
{
    static char answer[65536];
    int status = -1, result, scanned = 0;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        CHECK_EQ(setuid(user), 0);
        result = ask_page("/metrics", headers, answer, sizeof answer);
        if (result == 0)
            scanned = sscanf(answer, "HTTP/1.1 %d", &status);
        _exit(result != 0 ? result : scanned == 1 ? status / 100 + 200 : 255);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    status = WEXITSTATUS(status);
    return status > 200 ? status - 200 : -status;
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? st.st_mode & 0777 : 0;
}

static pid_t begin(const char *line)
{
    write_text("err", "");
    pid_t serve = start_collector(line);

    for (int i = 0; i < 500 && !contains("err", "page at unix:page"); i++)
        rest();
    CHECK_CONTAINS("err", "collector: page at unix:page\n");
    return serve;
}

static void end(pid_t serve)
{
    CHECK_EQ(end_collector(serve), 0);
    for (int i = 0; i < 500 && access("page", F_OK) == 0; i++)
        rest();
    CHECK(access("page", F_OK) != 0); /* it takes its socket along */
}

TEST(own_user_asks_without_a_token)
{
    static char answer[65536];

    need_page();
    pid_t serve = begin(SERVE);

    CHECK_EQ(mode_of("page"), 0600);
    CHECK_EQ(ask_page("/healthz", "", answer, sizeof answer), 0);
    CHECK(strncmp(answer, "HTTP/1.1 200 OK", 15) == 0);
    CHECK_EQ(ask_page("/", "", answer, sizeof answer), 0);
    CHECK(strstr(answer, "<html") != NULL);
    end(serve);
    /* with the program that the manual names */
    if (system("command -v curl >curl.path") == 0) {
        serve = begin(SERVE);
        CHECK_EQ(system("curl -sf --unix-socket page http://localhost/healthz "
                        ">got"),
                 0);
        CHECK_CONTAINS("got", "guests sampled");
        end(serve);
    }
}

/* Need another user, who reaches the folder. */
static void need_users(void)
{
    need_page();
    if (getuid() != 0)
        SKIP("only root can play two users");
    CHECK_EQ(chmod(".", 0755), 0);
}

TEST(others_are_told_apart_by_their_user)
{
    need_users();
    pid_t serve = begin(SERVE);

    CHECK_EQ(status_for(0, ""), 2);
    CHECK_EQ(status_for(NOBODY, ""), -EACCES); /* by its mode, */
    CHECK_EQ(chmod("page", 0666), 0);
    CHECK_EQ(status_for(NOBODY, ""), 4); /* and by its user */
    CHECK_EQ(status_for(NOBODY, "Authorization: Bearer " TOKEN "\r\n"), 4);
    end(serve);
}

TEST(others_need_the_token)
{
    need_users();
    write_text("token", TOKEN "\n");
    pid_t serve = begin(SERVE "--token-file token");

    CHECK_EQ(mode_of("page"), 0666);
    CHECK_EQ(status_for(0, ""), 2);
    CHECK_EQ(status_for(NOBODY, ""), 4);
    CHECK_EQ(status_for(NOBODY, "Authorization: Bearer " TOKEN "x\r\n"), 4);
    CHECK_EQ(status_for(NOBODY, "Authorization: Bearer " TOKEN "\r\n"), 2);
    end(serve);
}

/* How many of (fds) are still open at the other end. */
static unsigned count_open(const int *fds, unsigned count)
{
    unsigned open = 0;
    char c;

    for (unsigned i = 0; i < count; i++)
        open += recv(fds[i], &c, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    return open;
}

/* Catches: a user who takes the places of another one */
TEST(user_has_a_part_of_the_places)
{
    int fds[300], mine;

    need_users();
    write_text("token", TOKEN "\n");
    pid_t serve = begin(SERVE "--token-file token");

    mine = reach_page(); /* silent, and the oldest of all */
    CHECK(mine >= 0);
    CHECK_EQ(seteuid(NOBODY), 0);
    for (size_t i = 0; i < 300; i++) {
        fds[i] = reach_page();
        CHECK(fds[i] >= 0);
    }
    CHECK_EQ(seteuid(0), 0);
    CHECK_EQ(status_for(0, ""), 2); /* all that came before were taken */
    CHECK_EQ(count_open(fds, 300), OF_USER);
    CHECK_EQ(count_open(&mine, 1), 1);
    end(serve);
}

/* Catches: a socket that is left behind, and keeps the next one away; and files
 * of others that are removed for it */
TEST(what_is_at_the_path)
{
    const struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "page"};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status;

    need_page();
    CHECK_EQ(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    CHECK_EQ(listen(fd, 1), 0);
    CHECK_EQ(collector(SERVE), 1);
    CHECK_CONTAINS("err", "page: another program serves this socket");
    (void)close(fd);
    CHECK_EQ(access("page", F_OK), 0);
    end(begin(SERVE)); /* nobody serves that one any more */

    write_text("page", "mine");
    CHECK_EQ(collector(SERVE), 1);
    CHECK_CONTAINS("err", "page: exists and is no socket");
    CHECK_CONTAINS("page", "mine");
    CHECK_EQ(unlink("page"), 0);
    write_text("other", "mine");
    CHECK_EQ(symlink("other", "page"), 0);
    CHECK_EQ(collector(SERVE), 1);
    CHECK_CONTAINS("other", "mine");
    CHECK_EQ(unlink("page"), 0);

    pid_t serve = begin(SERVE); /* killed, and started at once */

    CHECK_EQ(kill(serve, SIGKILL), 0);
    CHECK_EQ(waitpid(serve, &status, 0), serve);
    end(begin(SERVE));
    CHECK_EQ(collector("serve --watch run --listen unix:"), 1);
    CHECK_CONTAINS("err", "a socket's path has 1 to ");
}

/* Catches: a socket of a new collector that the old one's end removes */
TEST(new_socket_stays)
{
    static char answer[4096];

    need_page();
    pid_t old = begin(SERVE);

    CHECK_EQ(rename("page", "page.old"), 0);
    pid_t new = begin(SERVE);

    CHECK_EQ(end_collector(old), 0);
    for (int i = 0; i < 25; i++)
        rest();
    CHECK_EQ(ask_page("/healthz", "", answer, sizeof answer), 0);
    end(new);
}
