/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets on which this process listens. */
#include "util/unix_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Does a process serve the socket at (a), as far as this user can tell? Called
 * only if a file is already there. */
static bool is_served(const struct sockaddr_un *a)
{
    int fd = new_socket();
    bool served =
        fd >= 0 && (connect(fd, (const struct sockaddr *)a, sizeof *a) == 0 ||
                    (errno != ECONNREFUSED && errno != ENOENT));

    if (fd >= 0)
        close(fd);
    return served;
}

/* Remove a socket at (a) that no process serves. Returns 0; -1 with (e) filled.
 */
static int clear_way(const struct sockaddr_un *a, struct err *e)
{
    struct stat st;

    if (lstat(a->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
        return err_set(e, "%s: exists and is no socket; choose another path",
                       a->sun_path);
    if (is_served(a)) {
        (void)err_set(e,
                      "%s: another program serves this socket; end it, or "
                      "choose another path",
                      a->sun_path);
        errno = EADDRINUSE;
        return -1;
    }
    if (unlink(a->sun_path) < 0 && errno != ENOENT)
        return err_sys(e, a->sun_path);
    return 0;
}

/* Call bind() so that the file has (mode) from its creation on. */
static int bind_as(int fd, const struct sockaddr_un *a, mode_t mode)
{
    mode_t mask = umask(0777 & ~mode);
    int result = bind(fd, (const struct sockaddr *)a, sizeof *a);
    int error = errno;

    (void)umask(mask);
    errno = error;
    return result;
}

static int bind_listen(int fd, const struct sockaddr_un *a, mode_t mode,
                       int backlog, struct err *e)
{
    int bound = bind_as(fd, a, mode);

    if (bound < 0 && errno == EADDRINUSE) {
        if (clear_way(a, e) < 0)
            return -1;
        bound = bind_as(fd, a, mode);
    }
    if (bound < 0 || listen(fd, backlog) < 0)
        return err_sys(e, a->sun_path);
    return 0;
}

int unix_listen(const char *path, mode_t mode, int backlog,
                struct unix_file *file, struct err *e)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct stat st;
    int fd;

    if (path[0] == '\0' || strlen(path) >= sizeof a.sun_path)
        return err_set(e, "'%s': a socket's path has 1 to %zu bytes", path,
                       sizeof a.sun_path - 1);
    memcpy(a.sun_path, path, strlen(path));
    fd = new_socket();
    if (fd < 0)
        return err_sys(e, "socket");
    if (bind_listen(fd, &a, mode, backlog, e) < 0) {
        int error = errno;

        (void)close(fd);
        errno = error;
        return -1;
    }
    if (file != NULL && lstat(path, &st) == 0)
        *file = (struct unix_file){st.st_dev, st.st_ino};
    return fd;
}

bool unix_is_there(const char *path, const struct unix_file *file)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_dev == file->dev &&
           st.st_ino == file->ino;
}
