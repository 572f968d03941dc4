/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest without an agent, as a source. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/source/source.h"
#include "guest/source/stream.h"
#include "model/registers.h"

#define LET_GO_MS  3000 /* time for a guest's debugger to answer */
#define LAST_WORDS 1000u

struct outside {
    struct source source; /* first member: the callbacks get a pointer to it */
    int bytes, words; /* from the process that samples the guest; -1: closed */
    char came[4096];  /* bytes of (words), unread from (at) on */
    size_t at, end;
    char
        line[SOURCE_OUTSIDE_LINE]; /* the current line, and its length so far */
    size_t size;
    bool failed;                 /* (line) has the reason */
    struct registers_kept *kept; /* NULL: not needed */
    unsigned next[REGISTERS_CORES];
};

/* Has that process written more bytes to (words)? */
static bool has_words(struct outside *o)
{
    struct pollfd p = {.fd = o->words, .events = POLLIN};
    ssize_t n;

    if (o->at < o->end)
        return true;
    if (o->words < 0 || poll(&p, 1, 0) <= 0)
        return false;
    n = read(o->words, o->came, sizeof o->came);
    o->at = 0;
    o->end = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return true;
    (void)close(o->words);
    o->words = -1;
    return false;
}

/* Read the next line of (words) into (line). Its first byte is an enum
 * source_outside_word. Returns whether there is a whole line. */
static bool next_line(struct outside *o)
{
    while (!o->failed && has_words(o)) {
        char c = o->came[o->at++];

        if (c == '\n') {
            o->line[o->size] = '\0';
            o->size = 0;
            return true;
        }
        if (o->size + 1 < sizeof o->line)
            o->line[o->size++] = c;
    }
    return false;
}

/* Store the registers of the line in place of the oldest ones. */
static void keep_registers(struct outside *o)
{
    char *at;
    unsigned long long core = strtoull(o->line + 1, &at, 16);

    if (o->kept == NULL || core >= REGISTERS_CORES)
        return;
    struct registers *r = &o->kept->of[core][o->next[core]++ % REGISTERS_KEPT];

    r->time = strtoull(at, &at, 16);
    for (size_t i = 0; i < REGISTERS; i++)
        r->value[i] = strtoull(at, &at, 16);
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
        case SOURCE_OUTSIDE_REGISTERS:
            break; /* ignored before the source is open */
        }
    }
    if (o->words >= 0)
        return SOURCE_ABSENT;
    (void)err_set(e, "%s: the process that samples the guest has ended",
                  s->path);
    return SOURCE_FAILED;
}

/* Returns an error, and not SOURCE_END, if the process gave a reason for its
 * end. Lines about the bytes were written before the bytes. */
static ssize_t outside_read(struct source *s, void *buf, size_t size,
                            uint64_t *arrival_ns, struct err *e)
{
    struct outside *o = (struct outside *)s;
    ssize_t n = stream_read(s, buf, size, arrival_ns, e);

    while (next_line(o)) {
        o->failed = o->line[0] == SOURCE_OUTSIDE_FAILED;
        if (o->line[0] == SOURCE_OUTSIDE_REGISTERS)
            keep_registers(o);
    }
    if (n == SOURCE_END && o->failed)
        return err_set(e, "%s: %s", s->path, o->line + 1);
    return n;
}

/* Wait until that process lets its guest run and ends, which it does when its
 * socket is closed. The guest must run when the collector has ended. */
static void await_end(struct outside *o)
{
    struct pollfd p = {.fd = o->words, .events = POLLIN};

    for (unsigned i = 0; i < LAST_WORDS && poll(&p, 1, LET_GO_MS) > 0 &&
                         read(o->words, o->came, sizeof o->came) > 0;
         i++)
        continue;
}

static void outside_close(struct source *s)
{
    struct outside *o = (struct outside *)s;

    if (o->bytes >= 0)
        (void)close(o->bytes);
    if (o->words >= 0) {
        await_end(o);
        (void)close(o->words);
    }
    source_free(s);
}

static const struct source_ops outside_ops = {
    .name = "outside",
    .open = outside_open,
    .read = outside_read,
    .write = stream_write,
    .close = outside_close,
};

struct source *source_outside(const char *where, int bytes, int words,
                              struct registers_kept *kept, struct err *e)
{
    struct outside *o = source_new(sizeof *o, &outside_ops, where, e);

    if (o == NULL)
        return NULL;
    o->source.live = true;
    o->source.absence = "";
    o->bytes = bytes;
    o->words = words;
    o->kept = kept;
    return &o->source;
}
