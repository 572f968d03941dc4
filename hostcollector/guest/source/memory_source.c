/* SPDX-License-Identifier: BSD-2-Clause */
/* A dead guest's memory in a file, as a source. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump/dump_stream.h"
#include "guard/opener.h"
#include "guest/source/source.h"

struct memory_source {
    struct source source; /* first member: the callbacks get a pointer to it */
    int file;
    struct memory_account *account;
    struct dump_memory *memory; /* memory of the stream */
    struct dump_stream *stream;
    /* the frame that is being returned, or NULL */
    const struct dump_frame *frame;
    size_t given;
};

static enum source_state memory_open(struct source *source, struct err *e)
{
    struct memory_source *s = (struct memory_source *)source;
    struct err why = {""};

    s->file = opener_open(OPENER_READ, s->source.path);
    if (s->file < 0)
        (void)err_set(&why, "%s", strerror(errno));
    else
        s->memory = dump_memory_new(s->file, &why);
    if (s->memory != NULL)
        s->stream = dump_stream_new(s->memory, &why);
    if (s->stream != NULL)
        return SOURCE_OPEN;
    (void)err_set(e, "%s: %s", s->source.path, why.text);
    return SOURCE_FAILED;
}

/* Fill the account at the end of the memory. */
static void fill_account(struct memory_source *s)
{
    const char *cut = dump_memory_cut(s->memory);
    const char *trouble = dump_memory_trouble(s->memory);
    struct memory_account *a = s->account;

    a->unread = dump_stream_unread(s->stream);
    a->no_clock = !dump_stream_knows_clock(s->stream);
    (void)snprintf(a->cut, sizeof a->cut, "%s", cut != NULL ? cut : "");
    (void)snprintf(a->trouble, sizeof a->trouble, "%s",
                   trouble != NULL ? trouble : "");
}

static ssize_t memory_read(struct source *source, void *buf, size_t size,
                           uint64_t *arrival_ns, struct err *e)
{
    struct memory_source *s = (struct memory_source *)source;

    (void)e;
    *arrival_ns = 0; /* memory has no arrival times */
    if (s->frame == NULL) {
        s->frame = dump_stream_next(s->stream);
        s->given = 0;
        if (s->frame == NULL) {
            fill_account(s);
            return SOURCE_END;
        }
    }
    size_t n = s->frame->used - s->given;

    if (n > size)
        n = size;
    memcpy(buf, s->frame->bytes + s->given, n);
    s->given += n;
    if (s->given == s->frame->used)
        s->frame = NULL;
    return (ssize_t)n;
}

static void memory_close(struct source *source)
{
    struct memory_source *s = (struct memory_source *)source;

    dump_stream_free(s->stream);
    if (s->file >= 0)
        close(s->file);
    source_free(source);
}

static const struct source_ops memory_ops = {
    .name = "memory",
    .open = memory_open,
    .read = memory_read,
    .write = NULL,
    .close = memory_close,
};

struct source *source_memory(const char *path, struct memory_account *account,
                             struct err *e)
{
    struct memory_source *s = source_new(sizeof *s, &memory_ops, path, e);

    if (s == NULL)
        return NULL;
    s->file = -1;
    s->account = account;
    return &s->source;
}
