/* SPDX-License-Identifier: BSD-2-Clause */
/* A file as a source: a recording, or the raw bytes that a port sent. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/recording.h"
#include "source/source.h"

struct replay {
    struct source source;            /* first: what the callbacks are given */
    struct recording_reader *reader; /* NULL: raw bytes */
    char *path;
};

/* A recording or raw bytes: the beginning tells. */
static int detect(struct replay *r, struct err *e)
{
    char start[8];
    ssize_t n = pread(r->source.fd, start, sizeof start, 0);
    struct err why = {""};

    if (n < 0)
        return err_set(e, "replay: %s: %s", r->path, strerror(errno));
    if (!recording_is(start, (size_t)n))
        return 0;
    r->reader = recording_open(r->source.fd, &why);
    if (!r->reader)
        return err_set(e, "%s: %s", r->path, why.text);
    r->source.recording = r->reader;
    return 0;
}

static enum source_state replay_open(struct source *s, struct err *e)
{
    struct replay *r = (struct replay *)s;
    struct stat st;

    s->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (s->fd < 0 || fstat(s->fd, &st) < 0) {
        err_set(e, "replay: %s: %s", r->path, strerror(errno));
        return SOURCE_FAILED;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(e,
                "replay: %s: not a regular file; a live port is for --serial",
                r->path);
        return SOURCE_FAILED;
    }
    return detect(r, e) < 0 ? SOURCE_FAILED : SOURCE_OPEN;
}

static ssize_t replay_read(struct source *s, void *buf, size_t size,
                           uint64_t *arrival_ns, struct err *e)
{
    struct replay *r = (struct replay *)s;
    ssize_t n;

    *arrival_ns = 0; /* raw bytes do not tell */
    if (r->reader)
        n = recording_read(r->reader, buf, size, arrival_ns, e);
    else if ((n = read(s->fd, buf, size)) < 0)
        return err_set(e, "replay: %s: %s", r->path, strerror(errno));
    return n == 0 ? SOURCE_END : n;
}

static void replay_close(struct source *s)
{
    struct replay *r = (struct replay *)s;

    recording_reader_free(r->reader);
    if (s->fd >= 0)
        close(s->fd);
    free(r->path);
    free(r);
}

static const struct source_ops replay_ops = {
    .name = "replay",
    .open = replay_open,
    .read = replay_read,
    .write = NULL,
    .close = replay_close,
};

struct source *source_replay(const char *path, struct err *e)
{
    struct replay *r = calloc(1, sizeof *r);

    if (r)
        r->path = strdup(path);
    if (!r || !r->path) {
        err_set(e, "replay: no memory");
        free(r);
        return NULL;
    }
    r->source.ops = &replay_ops;
    r->source.fd = -1;
    r->source.path = r->path;
    return &r->source;
}
