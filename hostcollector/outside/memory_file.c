/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks through /proc/PID/fd for what QEMU calls a memory-backend-memfd. */
#include "outside/memory_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_START "/memfd:memory-backend-memfd"

/* Is (name) in the folder (dir) such a file, of (size) bytes? Which one is told
 * in (*file). */
static bool is_memory(int dir, const char *name, uint64_t size, ino_t *file)
{
    char link[sizeof LINK_START];
    struct stat s;

    if (readlinkat(dir, name, link, sizeof link - 1) !=
            (ssize_t)sizeof link - 1 ||
        memcmp(link, LINK_START, sizeof link - 1) != 0 ||
        fstatat(dir, name, &s, 0) != 0 || (uint64_t)s.st_size != size)
        return false;
    *file = s.st_ino;
    return true;
}

int memory_file_open(int fd, uint64_t size)
{
    struct ucred peer;
    socklen_t peer_size = sizeof peer;
    char path[32];
    ino_t first = 0, file;
    int found = -1;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)peer.pid);

    DIR *dir = opendir(path);

    if (dir == NULL)
        return -1;
    for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (!is_memory(dirfd(dir), d->d_name, size, &file))
            continue;
        if (found >= 0 && file != first) { /* of two, nobody knows which */
            close(found);
            found = -1;
            break;
        }
        if (found < 0)
            found = openat(dirfd(dir), d->d_name, O_RDONLY | O_CLOEXEC);
        first = file;
    }
    closedir(dir);
    return found;
}
