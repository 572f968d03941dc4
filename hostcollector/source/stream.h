/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sources have in common that are a descriptor with a guest behind it: a
 * socket or a terminal, never waited for. And, in struct stream, what those
 * have whose guest listens on a port of vsock.
 */
#ifndef TPROF_SOURCE_STREAM_H
#define TPROF_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "source/source.h"
#include "util/err.h"

/* As source_ops.read and source_ops.write, of (s->fd). A source that reconnects
 * has (s->fd) closed at its end. */
ssize_t stream_read(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
ssize_t stream_write(struct source *s, const void *buf, size_t size,
                     struct err *e);

/*
 * Connect to the Unix socket (path), which is shorter than STREAM_PATH_MAX.
 * Returns its descriptor; -1 with errno set.
 */
int stream_connect_unix(const char *path);
#define STREAM_PATH_MAX 108u /* as sun_path has it, NUL included */

/* The errno of stream_connect_unix() says: nobody there yet, try again. */
bool stream_absent(int error);

/* A source whose connection takes a while, comes and goes. */
struct stream {
    struct source source; /* first: what the callbacks are given */
    char *where;          /* as the user says it; source.path */
    uint32_t port;
    int pending; /* a connection that is not open yet; -1: none */
    bool heard;  /* a byte, over the connection that is or was open */
    char absence[320], silence[160]; /* what source's point to */
};

/* Fill (*s), which is all 0, for a guest at (where). Returns 0; -1 with (e)
 * filled: no memory. stream_fini() is due in any case. */
int stream_init(struct stream *s, const struct source_ops *ops,
                const char *where, struct err *e);
void stream_fini(struct stream *s);

/* The port that (text) says, for (s->port) and (s->silence); NULL: the usual
 * one. Returns 0; -1 with (e) filled. */
int stream_port(struct stream *s, const char *text, struct err *e);

/* Not there yet, and why, as printf has it. Returns SOURCE_ABSENT. */
enum source_state stream_wait(struct stream *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Give up the pending connection, if there is one. */
void stream_drop(struct stream *s);

/* It is open from now on. Returns SOURCE_OPEN. */
enum source_state stream_opened(struct stream *s);

/* As stream_read(). A connection that ends before a byte came gets its
 * absence. For sources that begin with a struct stream. */
ssize_t stream_hear(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);

/*
 * Read the decimal number at (text), all of it, digits only, at most (max).
 * Returns whether it is one, and which in (*n).
 */
bool stream_number(const char *text, uint32_t max, uint32_t *n);

#endif
