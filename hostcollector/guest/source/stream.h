/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources that read a descriptor of a live guest: a socket or a terminal. No
 * call waits. If the guest of a source listens on a port of vsock, the source
 * begins with a struct stream.
 */
#ifndef TPROF_GUEST_SOURCE_STREAM_H
#define TPROF_GUEST_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/source/source.h"
#include "util/err.h"

/* Implementations of source_ops.read and source_ops.write for (s->fd). If the
 * guest has gone and the source reconnects, they close (s->fd). */
ssize_t stream_read(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
ssize_t stream_write(struct source *s, const void *buf, size_t size,
                     struct err *e);

#define STREAM_PATH_MAX 108u /* of a socket path, NUL included */

/* Does (error), an errno of OPENER_CONNECT, mean that the guest is not there
 * yet? If so, try again later. */
bool stream_absent(int error);

/* A source whose connection takes a while to open, and may be lost. */
struct stream {
    struct source source; /* first member: the callbacks get a pointer to it */
    char *where;          /* as the user typed it; source.path */
    uint32_t port;
    int pending; /* a connection that is not open yet; -1: none */
    bool heard;  /* a byte came over the last connection */
    char absence[320], silence[160]; /* source.absence and source.silence */
};

/* Fill (*s), which is all 0, for a guest at (where). Returns 0; -1 with (e)
 * filled if there is no memory. Call stream_fini() in both cases. */
int stream_init(struct stream *s, const struct source_ops *ops,
                const char *where, struct err *e);
void stream_fini(struct stream *s);

/* Set (s->port) to the number in (text), or to the default if (text) is NULL.
 * Also set (s->silence). Returns 0; -1 with (e) filled. */
int stream_port(struct stream *s, const char *text, struct err *e);

/* Set (s->absence) as printf would, because the guest is not there yet. Returns
 * SOURCE_ABSENT. */
enum source_state stream_wait(struct stream *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Give up the pending connection, if there is one. */
void stream_drop(struct stream *s);

/* Make the pending connection the open one. Returns SOURCE_OPEN. */
enum source_state stream_opened(struct stream *s);

/* Read as stream_read() does, for sources that begin with a struct stream. If
 * the connection ends before a byte came, (s->absence) says so. */
ssize_t stream_hear(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);

/* Read (text), a decimal number of at most (max), into (*n). Returns false if
 * (text) is something else. */
bool stream_number(const char *text, uint32_t max, uint32_t *n);

#endif
