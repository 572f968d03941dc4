/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's serial port: QEMU's Unix socket, a pty, or another tty. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "source/source.h"

struct serial {
    struct source source; /* first: what the callbacks are given */
    char *path;
};

static int fail(const struct serial *s, const char *what, struct err *e)
{
    return err_set(e, "serial: %s: %s: %s", s->path, what, strerror(errno));
}

/* Errors that mean: QEMU is not there yet, or not yet listening. */
static bool not_yet(int error)
{
    return error == ENOENT || error == ECONNREFUSED || error == EAGAIN;
}

static enum source_state connect_socket(struct serial *s, struct err *e)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    /* its length was checked */
    memcpy(address.sun_path, s->path, strlen(s->path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        fail(s, "socket", e);
        return SOURCE_FAILED;
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        s->source.fd = fd;
        return SOURCE_OPEN;
    }
    int error = errno;

    close(fd);
    if (not_yet(error))
        return SOURCE_ABSENT;
    errno = error;
    fail(s, "connect", e);
    return SOURCE_FAILED;
}

/* Bytes must pass as they are: no echo, no line editing, no signals. */
static int make_raw(int fd)
{
    struct termios t;

    if (tcgetattr(fd, &t) < 0)
        return -1;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    return tcsetattr(fd, TCSANOW, &t);
}

static enum source_state open_tty(struct serial *s, struct err *e)
{
    int fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0 && not_yet(errno))
        return SOURCE_ABSENT;
    if (fd < 0) {
        fail(s, "open", e);
        return SOURCE_FAILED;
    }
    if (make_raw(fd) < 0) {
        fail(s, "not a terminal", e);
        close(fd);
        return SOURCE_FAILED;
    }
    s->source.fd = fd;
    return SOURCE_OPEN;
}

static enum source_state serial_open(struct source *source, struct err *e)
{
    struct serial *s = (struct serial *)source;
    struct stat st;

    if (stat(s->path, &st) < 0) {
        if (not_yet(errno))
            return SOURCE_ABSENT;
        fail(s, "stat", e);
        return SOURCE_FAILED;
    }
    if (S_ISSOCK(st.st_mode))
        return connect_socket(s, e);
    if (S_ISCHR(st.st_mode))
        return open_tty(s, e);
    err_set(e, "serial: %s: neither a socket nor a terminal", s->path);
    return SOURCE_FAILED;
}

static ssize_t serial_read(struct source *source, void *buf, size_t size,
                           uint64_t *arrival_ns, struct err *e)
{
    ssize_t n = read(source->fd, buf, size);

    *arrival_ns = source_now_ns();
    if (n > 0)
        return n;
    /* a pty says EIO when its other side is gone */
    if (n == 0 || errno == EIO || errno == ECONNRESET)
        return SOURCE_END;
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    return fail((struct serial *)source, "read", e);
}

static ssize_t serial_write(struct source *source, const void *buf, size_t size,
                            struct err *e)
{
    struct stat st;
    ssize_t n = fstat(source->fd, &st) == 0 && S_ISSOCK(st.st_mode)
                    ? send(source->fd, buf, size, MSG_NOSIGNAL)
                    : write(source->fd, buf, size);

    if (n >= 0)
        return n;
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    /* the guest is gone: reading will say so, after its last bytes */
    if (errno == EPIPE || errno == ECONNRESET || errno == EIO)
        return (ssize_t)size;
    return fail((struct serial *)source, "write", e);
}

static void serial_close(struct source *source)
{
    struct serial *s = (struct serial *)source;

    if (source->fd >= 0)
        close(source->fd);
    free(s->path);
    free(s);
}

static const struct source_ops serial_ops = {
    .name = "serial",
    .open = serial_open,
    .read = serial_read,
    .write = serial_write,
    .close = serial_close,
};

struct source *source_serial(const char *path, struct err *e)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return source_replay(path, e);
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path) {
        err_set(e, "serial: %s: longer than a socket's path may be", path);
        return NULL;
    }
    struct serial *s = calloc(1, sizeof *s);

    if (s)
        s->path = strdup(path);
    if (!s || !s->path) {
        err_set(e, "serial: no memory");
        free(s);
        return NULL;
    }
    s->source.ops = &serial_ops;
    s->source.fd = -1;
    s->source.live = true;
    s->source.path = s->path;
    return &s->source;
}
