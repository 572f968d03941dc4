/* SPDX-License-Identifier: BSD-2-Clause */
/* Notifies systemd of a service's state. */
#include "fleet/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path != NULL ? strlen(path) : 0;

    if (length == 0 || length >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') /* an abstract socket */
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, size) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

void notify_tell(int fd, const char *lines)
{
    if (fd >= 0)
        (void)send(fd, lines, strlen(lines), MSG_NOSIGNAL);
}

uint64_t notify_watchdog_ns(void)
{
    const char *us = getenv("WATCHDOG_USEC");

    return us != NULL ? strtoull(us, NULL, 10) * 1000 / 2 : 0;
}
