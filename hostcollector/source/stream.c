/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads, writes and connects without waiting. */
#include "source/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Errors that mean: the other side is gone. A pty says EIO, a vsock socket that
 * was reset ENOTCONN. */
static bool gone(int error)
{
    return error == ECONNRESET || error == EPIPE || error == ENOTCONN ||
           error == EIO;
}

static int fail(const struct source *s, const char *what, struct err *e)
{
    return err_set(e, "%s: %s: %s: %s", s->ops->name, s->path, what,
                   strerror(errno));
}

ssize_t stream_read(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e)
{
    ssize_t n = read(s->fd, buf, size);

    *arrival_ns = source_now_ns();
    if (n > 0)
        return n;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n < 0 && !gone(errno))
        return fail(s, "read", e);
    if (s->reconnects) {
        close(s->fd);
        s->fd = -1;
    }
    return SOURCE_END;
}

ssize_t stream_write(struct source *s, const void *buf, size_t size,
                     struct err *e)
{
    ssize_t n = send(s->fd, buf, size, MSG_NOSIGNAL);

    if (n < 0 && errno == ENOTSOCK)
        n = write(s->fd, buf, size);
    if (n >= 0)
        return n;
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    /* reading will say so, after the last bytes */
    if (gone(errno))
        return (ssize_t)size;
    return fail(s, "write", e);
}

int stream_connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    _Static_assert(sizeof address.sun_path == STREAM_PATH_MAX, "as promised");
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;

    close(fd);
    errno = error;
    return -1;
}

bool stream_absent(int error)
{
    return error == ENOENT || error == ECONNREFUSED || error == EAGAIN;
}

bool stream_number(const char *text, uint32_t max, uint32_t *n)
{
    uint64_t value = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > max)
            return false;
    }
    *n = (uint32_t)value;
    return true;
}
