/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's serial port: QEMU's Unix socket, a pty, or another tty. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "source/source.h"
#include "source/stream.h"

struct serial {
    struct source source; /* first: what the callbacks are given */
    char *path;
};

static int fail_serial(const struct serial *s, const char *what, struct err *e)
{
    return err_set(e, "serial: %s: %s: %s", s->path, what, strerror(errno));
}

static enum source_state connect_socket(struct serial *s, struct err *e)
{
    s->source.fd = stream_connect_unix(s->path);
    if (s->source.fd >= 0)
        return SOURCE_OPEN;
    if (stream_absent(errno))
        return SOURCE_ABSENT;
    fail_serial(s, "connect", e);
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

    if (fd < 0 && stream_absent(errno))
        return SOURCE_ABSENT;
    if (fd < 0) {
        fail_serial(s, "open", e);
        return SOURCE_FAILED;
    }
    if (make_raw(fd) < 0) {
        fail_serial(s, "not a terminal", e);
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
        if (stream_absent(errno))
            return SOURCE_ABSENT;
        fail_serial(s, "stat", e);
        return SOURCE_FAILED;
    }
    if (S_ISSOCK(st.st_mode))
        return connect_socket(s, e);
    if (S_ISCHR(st.st_mode))
        return open_tty(s, e);
    err_set(e, "serial: %s: neither a socket nor a terminal", s->path);
    return SOURCE_FAILED;
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
    .read = stream_read,
    .write = stream_write,
    .close = serial_close,
};

struct source *source_serial(const char *path, struct err *e)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return source_replay(path, e);
    if (strlen(path) >= STREAM_PATH_MAX) {
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
