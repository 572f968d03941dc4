/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's vsock behind a Unix socket. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "guard/opener.h"
#include "guest/source/source.h"
#include "guest/source/stream.h"
#include "util/host_clock.h"
#include "util/uds_words.h"

/* the longest valid answer, "OK 4294967295", has 13 bytes */
#define ANSWER_MAX    31u
#define SECOND        1000000000ull
/* time without an answer until the user is notified */
#define ODD_AFTER     (2 * SECOND)
/* time without an answer until the next try */
#define HANG_UP_AFTER (10 * SECOND)

struct vsock_uds {
    struct stream stream; /* first member; pending: waiting for the answer */
    char *path;           /* path of the socket */
    uint64_t asked_ns;
    char answer[ANSWER_MAX + 1]; /* the bytes so far */
    size_t answer_size;
};

static enum source_state fail_connection(struct vsock_uds *u, const char *what,
                                         struct err *e)
{
    err_set(e, "%s: %s: %s", u->path, what, strerror(errno));
    stream_drop(&u->stream);
    return SOURCE_FAILED;
}

/* Connect, and send "CONNECT port". The other side answers "OK number", and
 * the port's bytes follow. If it refuses, it closes the connection. */
static enum source_state ask(struct vsock_uds *u, struct err *e)
{
    struct stream *s = &u->stream;
    char line[32];
    int size =
        snprintf(line, sizeof line, UDS_ASKS_FOR "%" PRIu32 "\n", s->port);

    s->pending = opener_open(OPENER_CONNECT, u->path);
    if (s->pending < 0 && errno == ENOENT)
        return stream_wait(s, "there is no %s yet", u->path);
    if (s->pending < 0 && stream_absent(errno))
        return stream_wait(s, "nothing listens on %s", u->path);
    if (s->pending < 0)
        return fail_connection(u, "connect", e);
    if (peer_check(&s->source.peers, s->pending, u->path, e) != 0) {
        stream_drop(s);
        return SOURCE_FAILED;
    }
    u->asked_ns = clock_ns();
    u->answer_size = 0;
    /* a new socket has room for a line; a closed one is noticed later */
    (void)send(s->pending, line, (size_t)size, MSG_NOSIGNAL);
    return SOURCE_ABSENT;
}

/* Is the answer "OK " and a number? VMMs differ in the meaning of the
 * number. */
static bool is_ok(const struct vsock_uds *u)
{
    uint32_t number;

    return strlen(u->answer) == u->answer_size &&
           strncmp(u->answer, "OK ", 3) == 0 &&
           stream_number(u->answer + 3, UINT32_MAX, &number);
}

static enum source_state wrong(struct vsock_uds *u, struct err *e)
{
    for (size_t i = 0; i < u->answer_size; i++) {
        if (u->answer[i] < ' ' || u->answer[i] > '~')
            u->answer[i] = '?';
    }
    if (strcmp(u->answer, UDS_QEMU_ONLY) == 0)
        err_set(
            e,
            "%s: this is the --vhost-user socket of 'collector bridge', for "
            "QEMU only. Give the path of its --uds",
            u->path);
    else
        err_set(e,
                "%s: answered '%s' instead of 'OK number': is this the vsock "
                "socket of a VMM or of collector bridge?",
                u->path, u->answer);
    stream_drop(&u->stream);
    return SOURCE_FAILED;
}

/* Handle a closed connection, by which the other side refuses. */
static enum source_state refused(struct vsock_uds *u)
{
    stream_drop(&u->stream);
    if (u->answer_size > 0)
        return stream_wait(
            &u->stream, "%s closed the connection in the middle of its answer",
            u->path);
    return stream_wait(&u->stream,
                       "the guest behind %s does not listen on port %" PRIu32
                       " yet, or serves another collector",
                       u->path, u->stream.port);
}

/* Decide how long to wait further for the answer. */
static enum source_state patience(struct vsock_uds *u)
{
    uint64_t waited = clock_ns() - u->asked_ns;

    if (waited >= HANG_UP_AFTER)
        stream_drop(&u->stream);
    if (waited < ODD_AFTER)
        return SOURCE_ABSENT;
    return stream_wait(
        &u->stream,
        "%s does not answer CONNECT: the guest hangs, or this is no vsock "
        "socket (--serial is for the socket of a serial port). If this is the "
        "bridge's socket, see what 'collector bridge' printed",
        u->path);
}

/* Read the answer byte by byte, since the guest's bytes follow its line. */
static enum source_state hear_answer(struct vsock_uds *u, struct err *e)
{
    for (;;) {
        char c;
        ssize_t n = recv(u->stream.pending, &c, 1, 0);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return patience(u);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return refused(u);
        if (n < 0)
            return fail_connection(u, "read", e);
        if (c == '\n')
            return is_ok(u) ? stream_opened(&u->stream) : wrong(u, e);
        u->answer[u->answer_size++] = c;
        u->answer[u->answer_size] = '\0';
        if (u->answer_size == ANSWER_MAX)
            return wrong(u, e);
    }
}

static enum source_state vsock_uds_open(struct source *s, struct err *e)
{
    struct vsock_uds *u = (struct vsock_uds *)s;
    enum source_state state = SOURCE_ABSENT;

    if (u->stream.pending < 0)
        state = ask(u, e);
    return u->stream.pending < 0 ? state : hear_answer(u, e);
}

static void vsock_uds_close(struct source *s)
{
    struct vsock_uds *u = (struct vsock_uds *)s;

    stream_fini(&u->stream);
    free(u->path);
    free(u);
}

static const struct source_ops vsock_uds_ops = {
    .name = "vsock-uds",
    .open = vsock_uds_open,
    .read = stream_hear,
    .write = stream_write,
    .close = vsock_uds_close,
};

/* Cut the port from the end of (path) and return it. NULL if there is none. A
 * colon may also be part of a path, so a path that exists is not cut. */
static const char *split(char *path)
{
    char *colon = strrchr(path, ':');
    struct stat st;

    if (colon == NULL || colon[1] == '\0' ||
        colon[1 + strspn(colon + 1, "0123456789")] != '\0' ||
        stat(path, &st) == 0)
        return NULL;
    *colon = '\0';
    return colon + 1;
}

static int init(struct vsock_uds *u, const char *where, struct err *e)
{
    if (stream_init(&u->stream, &vsock_uds_ops, where, e) < 0)
        return -1;
    u->path = strdup(where);
    if (u->path == NULL)
        return err_memory(e);
    if (stream_port(&u->stream, split(u->path), e) < 0)
        return -1;
    if (u->path[0] == '\0')
        return err_set(e,
                       "--vsock-uds: '%s': a path is missing; type PATH or "
                       "PATH:PORT",
                       where);
    if (strlen(u->path) >= STREAM_PATH_MAX)
        return err_set(e, "%s: longer than a socket's path may be", u->path);
    return 0;
}

struct source *source_vsock_uds(const char *where, struct err *e)
{
    struct vsock_uds *u = calloc(1, sizeof *u);

    if (u == NULL) {
        err_memory(e);
        return NULL;
    }
    if (init(u, where, e) == 0)
        return &u->stream.source;
    vsock_uds_close(&u->stream.source);
    return NULL;
}
