/* SPDX-License-Identifier: BSD-2-Clause */
#include "foreign.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* Is the socket (fd) of (pid) between processes that do not know each other?
 * Those of one command have no names. */
static bool is_foreign_socket(pid_t pid, int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_un un;
        char room[256];
    } own = {.room = ""}, other = own;
    socklen_t own_size = sizeof own, other_size = sizeof other;
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    bool named = false;

    if (copy >= 0) {
        named = (getsockname(copy, &own.any, &own_size) == 0 &&
                 (own.any.sa_family == AF_INET || own_size > 2)) ||
                (getpeername(copy, &other.any, &other_size) == 0 &&
                 (other.any.sa_family == AF_INET || other_size > 2));
        (void)close(copy);
    }
    (void)close(process);
    return named;
}

bool foreign_fd(pid_t pid, int fd)
{
    static const char *const files[] = {".tprof", ".elf", "/dump"};
    char link[64], path[512] = "";

    (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    if (readlink(link, path, sizeof path - 1) < 0)
        return false;
    if (strncmp(path, "socket:", 7) == 0)
        return is_foreign_socket(pid, fd);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strstr(path, files[i]) != NULL && strstr(path, ".sent-") == NULL)
            return true;
    return false;
}
