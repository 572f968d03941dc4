/* SPDX-License-Identifier: BSD-2-Clause */
/* The listening socket of the pages, and its URL. */
#include "fleet/web/web.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 1024 /* clients that are not accepted yet */
/* Tries to listen, since the page process of a killed serve exits a moment
 * later. */
#define TRIES   20
static const struct timespec moment = {.tv_nsec = 50000000};

static int bind_soon(int fd, const struct web_gate *g)
{
    for (int i = 0; i < TRIES; i++) {
        if (bind(fd, (const struct sockaddr *)&g->address, g->size) == 0)
            return 0;
        if (errno != EADDRINUSE)
            break;
        (void)nanosleep(&moment, NULL);
    }
    return -1;
}

/* Listen at a Unix socket, for the user alone, or for all users with a
 * token. */
static int listen_unix(const struct web_gate *g, struct unix_file *file,
                       struct err *e)
{
    mode_t mode = g->token[0] != '\0' ? 0666 : 0600;
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = unix_listen(g->path, mode, BACKLOG, file, e);
        if (fd < 0 && errno != EADDRINUSE)
            break;
        if (fd < 0)
            (void)nanosleep(&moment, NULL);
    }
    return fd;
}

static int listen_tcp(const struct web_gate *g, struct err *e)
{
    const int yes = 1;
    int fd = socket(g->address.ss_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return err_sys(e, "--listen: socket");
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (g->address.ss_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (bind_soon(fd, g) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    (void)(errno == EADDRINUSE
               ? err_set(e, "--listen: another program listens at that address")
               : err_sys(e, "--listen"));
    (void)close(fd);
    return -1;
}

int listen_open(const struct web_gate *g, struct unix_file *file, struct err *e)
{
    *file = (struct unix_file){.ino = 0};
    return g->path != NULL ? listen_unix(g, file, e) : listen_tcp(g, e);
}

void listen_url(const struct web_gate *g, int fd, char *url)
{
    struct sockaddr_storage a;
    socklen_t size = sizeof a;
    char host[64] = "?", port[8] = "?";

    if (g->path != NULL) {
        (void)snprintf(url, LISTEN_URL, "unix:%s", g->path);
        return;
    }
    if (getsockname(fd, (struct sockaddr *)&a, &size) == 0)
        (void)getnameinfo((struct sockaddr *)&a, size, host, sizeof host, port,
                          sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    (void)snprintf(url, LISTEN_URL,
                   strchr(host, ':') != NULL ? "http://[%s]:%s/"
                                             : "http://%s:%s/",
                   host, port);
}
