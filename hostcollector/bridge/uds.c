/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets of the bridge. */
#include "bridge/uds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "guard/opener.h"

#define BACKLOG   1024
#define HELLO_MAX 32u /* longer than any valid line */
#define CONNECT   "CONNECT "

/* Room after a path for a suffix such as "_4294967295". */
#define PATH_ROOM (sizeof((struct sockaddr_un *)0)->sun_path - 11)

/* --- Listening ------------------------------------------------------------ */

int uds_listen(struct uds_listener *l, const char *path,
               const struct peer_rule *peers, struct err *e)
{
    mode_t mode = peers->any || peers->other ? 0666 : 0600;

    *l = (struct uds_listener){.path = path, .fd = -1};
    if (path[0] == '\0' || strlen(path) >= PATH_ROOM)
        return err_set(e, "'%s': a socket's path has 1 to %zu bytes", path,
                       PATH_ROOM - 1);
    l->fd = unix_listen(path, mode, BACKLOG, &l->file, e);
    return l->fd < 0 ? -1 : 0;
}

int uds_accept(const struct uds_listener *l, const struct peer_rule *peers,
               struct err *e)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    char what[160];

    if (fd < 0)
        return -1;
    (void)snprintf(what, sizeof what, "a program at %s was refused: it",
                   l->path);
    if (peer_check(peers, fd, what, e) == 0)
        return fd;
    close(fd);
    return -1;
}

void uds_close(struct uds_listener *l)
{
    if (l->fd < 0)
        return;
    close(l->fd);
    l->fd = -1;
    if (unix_is_there(l->path, &l->file))
        (void)opener_open(OPENER_REMOVE, l->path);
}

/* --- Accepting and connecting --------------------------------------------- */

int uds_dial(const char *path, uint32_t port, const struct peer_rule *peers,
             struct err *e)
{
    char name[sizeof((struct sockaddr_un *)0)->sun_path];

    /* fits: uds_listen() has checked the length of the path */
    (void)snprintf(name, sizeof name, "%s_%u", path, port);
    int fd = opener_open(OPENER_CONNECT, name);

    if (fd >= 0 && peer_check(peers, fd, name, e) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Returns the port that (line) of (len) bytes names. */
static int parse(const char *line, size_t len, uint32_t *port)
{
    size_t at = strlen(CONNECT);
    uint64_t value = 0;

    if (len <= at || strncasecmp(line, CONNECT, at) != 0)
        return -1;
    for (; at < len; at++) {
        if (line[at] < '0' || line[at] > '9')
            return -1;
        value = 10 * value + (uint64_t)(line[at] - '0');
    }
    if (value >= UINT32_MAX)
        return -1;
    *port = (uint32_t)value;
    return 1;
}

int uds_hello(int fd, uint32_t *port)
{
    char line[HELLO_MAX];
    /* bytes after the line are the guest's: peek first, then read only the line
     */
    ssize_t n = recv(fd, line, sizeof line, MSG_PEEK | MSG_DONTWAIT);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    const char *end = memchr(line, '\n', (size_t)n);
    if (end == NULL)
        return n == 0 || (size_t)n == sizeof line ? -1 : 0;

    size_t len = (size_t)(end - line);
    if (recv(fd, line, len + 1, MSG_DONTWAIT) != (ssize_t)len + 1)
        return -1;
    return parse(line, len, port);
}
