/* SPDX-License-Identifier: BSD-2-Clause */
/* See paged.h. */
#include "paged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void rest(void)
{
    const struct timespec t = {0, 20000000};

    (void)nanosleep(&t, NULL);
}

void need_page(void)
{
    enter_dir();
    CHECK_EQ(collector("serve --watch nowhere --listen 127.0.0.1:0"), 1);
    if (contains("err", "built without libmicrohttpd"))
        SKIP("no libmicrohttpd");
    write_text("err", ""); /* where that page was */
    CHECK_EQ(mkdir("run", 0700), 0);
}

struct sockaddr_in address(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    const char *port;

    for (int i = 0; i < 1000 && !contains("err", "page at http://"); i++)
        rest();
    port = strstr(text_of("err"), "page at http://127.0.0.1:");
    CHECK(port != NULL);
    at.sin_port =
        htons((uint16_t)strtoul(strchr(port + 13, ':') + 1, NULL, 10));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

int reach(const struct sockaddr_in *at)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect(fd, (const struct sockaddr *)at, sizeof *at) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

void ask_with(const char *path, const char *headers)
{
    static char text[1 << 20];
    struct sockaddr_in at = address();
    char request[256];
    int fd = reach(&at), n;
    size_t size = 0;
    ssize_t got;

    CHECK(fd >= 0);
    n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n%s\r\n", path,
                 headers);
    CHECK_EQ(write(fd, request, (size_t)n), n);
    while ((got = read(fd, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)got;
    text[size] = '\0';
    (void)close(fd);
    write_text("answer", text);
}

void ask(const char *path)
{
    ask_with(path, "Host: localhost\r\n");
}

void ask_until(const char *path, const char *what)
{
    ask(path);
    for (int i = 0; i < 1000 && !contains("answer", what); i++) {
        rest();
        ask(path);
    }
    CHECK_CONTAINS("answer", what);
}
