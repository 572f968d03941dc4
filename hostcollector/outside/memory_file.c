/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks through /proc/PID/fd for what QEMU calls a memory-backend-memfd, or has
 * opened for a memory-backend-file. */
#include "outside/memory_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMFD    "/memfd:memory-backend-memfd"
#define NAMELESS "/qemu_back_mem." /* in the folder that QEMU was given */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Does a link to a file lead to (path)? Likewise. */
static bool leads_to(const char *link, const char *path)
{
    if (path == NULL)
        return begins(link, MEMFD);
    return strcmp(link, path) == 0 ||
           (begins(link, path) && begins(link + strlen(path), NAMELESS));
}

/* Is (name) in the folder (dir) such a file, of (size) bytes? Which one is told
 * in (*file). */
static bool is_memory(int dir, const char *name, uint64_t size,
                      const char *path, struct stat *file)
{
    char link[PATH_MAX];
    ssize_t n = readlinkat(dir, name, link, sizeof link - 1);

    if (n <= 0)
        return false;
    link[n] = '\0';
    return leads_to(link, path) && fstatat(dir, name, file, 0) == 0 &&
           S_ISREG(file->st_mode) && (uint64_t)file->st_size == size;
}

int memory_file_open(int fd, uint64_t size, const char *path)
{
    struct ucred peer;
    socklen_t peer_size = sizeof peer;
    char folder[32];
    struct stat file;
    ino_t first = 0;
    int found = -1;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0)
        return -1;
    snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)peer.pid);

    DIR *dir = opendir(folder);

    if (dir == NULL)
        return -1;
    for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (!is_memory(dirfd(dir), d->d_name, size, path, &file))
            continue;
        if (found >= 0 &&
            file.st_ino != first) { /* of two, nobody knows which */
            close(found);
            found = -1;
            break;
        }
        if (found < 0)
            found = openat(dirfd(dir), d->d_name, O_RDONLY | O_CLOEXEC);
        first = file.st_ino;
    }
    closedir(dir);
    return found;
}
