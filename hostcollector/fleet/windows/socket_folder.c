/* SPDX-License-Identifier: BSD-2-Clause */
/* Watches a folder in which sockets appear and vanish.  */
#include "fleet/windows/socket_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHANGES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

struct socket_folder {
    const char *path;
    DIR *dir;
    int notices;
};

struct socket_folder *socket_folder_open(const char *path, struct err *e)
{
    struct socket_folder *f = calloc(1, sizeof *f);

    if (f == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    f->path = path;
    f->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    f->dir = opendir(path);
    if (f->dir == NULL || f->notices < 0 ||
        inotify_add_watch(f->notices, path, CHANGES | IN_ONLYDIR) < 0) {
        (void)err_sys(e, path);
        socket_folder_close(f);
        return NULL;
    }
    return f;
}

void socket_folder_close(struct socket_folder *f)
{
    if (f == NULL)
        return;
    if (f->dir != NULL)
        (void)closedir(f->dir);
    if (f->notices >= 0)
        (void)close(f->notices);
    free(f);
}

bool socket_folder_is_there(const struct socket_folder *f)
{
    struct stat ours, theirs;

    return fstat(dirfd(f->dir), &ours) == 0 && stat(f->path, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

int socket_folder_fd(const struct socket_folder *f)
{
    return f->notices;
}

void socket_folder_heard(struct socket_folder *f)
{
    char scrap[4096];

    while (read(f->notices, scrap, sizeof scrap) > 0)
        ;
}

void socket_folder_begin(struct socket_folder *f)
{
    rewinddir(f->dir);
}

/* Is (name) a socket of QEMU's debugger or monitor? The debugger stops the
 * guest at each connection. */
static bool is_no_guest(const char *name)
{
    static const char *const ends[] = {".gdb", ".qmp", ".monitor"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);

        if (length > end && strcmp(name + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

const char *socket_folder_next(struct socket_folder *f)
{
    struct dirent *entry;

    while ((entry = readdir(f->dir)) != NULL)
        if (entry->d_name[0] != '.' && !is_no_guest(entry->d_name) &&
            (entry->d_type == DT_SOCK || entry->d_type == DT_LNK ||
             entry->d_type == DT_UNKNOWN))
            return entry->d_name;
    return NULL;
}
