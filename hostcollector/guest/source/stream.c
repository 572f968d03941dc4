/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources that read a descriptor of a live guest. */
#include "guest/source/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/host_clock.h"

/* Does (error) mean that the other side is gone? A pty returns EIO, a vsock
 * socket that was reset ENOTCONN. */
static bool gone(int error)
{
    return error == ECONNRESET || error == EPIPE || error == ENOTCONN ||
           error == EIO;
}

static int fail_stream(const struct source *s, const char *what, struct err *e)
{
    return err_set(e, "%s: %s: %s", s->path, what, strerror(errno));
}

ssize_t stream_read(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e)
{
    ssize_t n = read(s->fd, buf, size);

    *arrival_ns = clock_ns();
    if (n > 0)
        return n;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n < 0 && !gone(errno))
        return fail_stream(s, "read", e);
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
    /* the next read reports that, after the last bytes */
    if (gone(errno))
        return (ssize_t)size;
    return fail_stream(s, "write", e);
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

int stream_init(struct stream *s, const struct source_ops *ops,
                const char *where, struct err *e)
{
    s->pending = -1;
    s->where = strdup(where);
    s->source = (struct source){.ops = ops,
                                .fd = -1,
                                .live = true,
                                .path = s->where,
                                .reconnects = true};
    return s->where != NULL ? 0 : err_memory(e);
}

void stream_fini(struct stream *s)
{
    stream_drop(s);
    if (s->source.fd >= 0)
        close(s->source.fd);
    free(s->where);
}

int stream_port(struct stream *s, const char *text, struct err *e)
{
    const uint32_t max = UINT32_MAX - 1; /* UINT32_MAX stands for any port */

    s->port = SOURCE_VSOCK_PORT;
    if (text != NULL && (!stream_number(text, max, &s->port) || s->port == 0))
        return err_set(
            e, "--%s: '%s' is not a port: type a number from 1 to %" PRIu32,
            s->source.ops->name, text, max);
    (void)snprintf(s->silence, sizeof s->silence,
                   "the guest hangs, or another program than the agent listens "
                   "on its port %" PRIu32,
                   s->port);
    s->source.silence = s->silence;
    return 0;
}

enum source_state stream_wait(struct stream *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(s->absence, sizeof s->absence, fmt, args);
    va_end(args);
    s->source.absence = s->absence;
    return SOURCE_ABSENT;
}

void stream_drop(struct stream *s)
{
    if (s->pending >= 0)
        close(s->pending);
    s->pending = -1;
}

enum source_state stream_opened(struct stream *s)
{
    s->source.fd = s->pending;
    s->pending = -1;
    s->heard = false;
    return SOURCE_OPEN;
}

ssize_t stream_hear(struct source *source, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e)
{
    struct stream *s = (struct stream *)source;
    ssize_t n = stream_read(source, buf, size, arrival_ns, e);

    if (n > 0)
        s->heard = true;
    else if (n == SOURCE_END && !s->heard)
        (void)stream_wait(s,
                          "the guest at %s accepted the connection and closed "
                          "it at once: it may serve another collector",
                          s->where);
    return n;
}
