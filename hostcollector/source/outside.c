/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest without an agent: a process of the collector's samples it from
 * outside, and speaks as an agent does over a socket. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/source.h"
#include "source/stream.h"

struct outside {
    struct source source; /* first: what the callbacks are given */
    int bytes, words;     /* from that process; -1: closed */
    char line[256];       /* of its words, and how long it is by now */
    size_t size;
};

/* The next line of that process's words, its first byte an enum
 * source_outside_word. Returns whether there is one. */
static bool next_line(struct outside *o)
{
    char c;

    for (;;) {
        struct pollfd p = {.fd = o->words, .events = POLLIN};

        if (o->words < 0 || poll(&p, 1, 0) <= 0)
            return false;
        if (read(o->words, &c, 1) != 1) {
            (void)close(o->words);
            o->words = -1;
            return false;
        }
        if (c == '\n') {
            o->line[o->size] = '\0';
            o->size = 0;
            return true;
        }
        if (o->size + 1 < sizeof o->line)
            o->line[o->size++] = c;
    }
}

static enum source_state outside_open(struct source *s, struct err *e)
{
    struct outside *o = (struct outside *)s;

    while (next_line(o)) {
        switch ((enum source_outside_word)o->line[0]) {
        case SOURCE_OUTSIDE_WAITS:
            s->absence = o->line + 1;
            return SOURCE_ABSENT;
        case SOURCE_OUTSIDE_OPEN:
            s->fd = o->bytes;
            o->bytes = -1;
            return SOURCE_OPEN;
        case SOURCE_OUTSIDE_FAILED:
            (void)err_set(e, "%s: %s", s->path, o->line + 1);
            return SOURCE_FAILED;
        }
    }
    if (o->words >= 0)
        return SOURCE_ABSENT;
    (void)err_set(e, "%s: the process that looks at the guest has ended",
                  s->path);
    return SOURCE_FAILED;
}

/* An end for which there is a reason is told as an error. */
static ssize_t outside_read(struct source *s, void *buf, size_t size,
                            uint64_t *arrival_ns, struct err *e)
{
    struct outside *o = (struct outside *)s;
    ssize_t n = stream_read(s, buf, size, arrival_ns, e);

    if (n == SOURCE_END && next_line(o) && o->line[0] == SOURCE_OUTSIDE_FAILED)
        return err_set(e, "%s: %s", s->path, o->line + 1);
    return n;
}

static void outside_close(struct source *s)
{
    struct outside *o = (struct outside *)s;

    if (s->fd >= 0)
        (void)close(s->fd);
    if (o->bytes >= 0)
        (void)close(o->bytes);
    if (o->words >= 0)
        (void)close(o->words);
    free(o);
}

static const struct source_ops outside_ops = {
    .name = "outside",
    .open = outside_open,
    .read = outside_read,
    .write = stream_write,
    .close = outside_close,
};

struct source *source_outside(const char *where, int bytes, int words,
                              struct err *e)
{
    struct outside *o = calloc(1, sizeof *o);

    if (o == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    o->source = (struct source){.ops = &outside_ops,
                                .fd = -1,
                                .live = true,
                                .path = where,
                                .absence = ""};
    o->bytes = bytes;
    o->words = words;
    return &o->source;
}
