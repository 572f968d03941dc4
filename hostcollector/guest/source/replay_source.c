/* SPDX-License-Identifier: BSD-2-Clause */
/* A file or a pipe with a recording or raw bytes, as a source. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/magic.h"
#include "guard/opener.h"
#include "guest/source/source.h"
#include "recording/recording.h"

#define STANDARD_INPUT "-"
#define PIPE_WAIT_MS   100 /* Ctrl-C is noticed after this at most */

struct replay {
    struct source source; /* first member: the callbacks get a pointer to it */
    struct recording_reader *reader; /* NULL: raw bytes, or unknown yet */
    bool pipe;                       /* reads may wait for bytes */
    bool known;                      /* the kind of the bytes is known */
    /* The first bytes, which decide the kind of the file: (came) were read,
     * (given) of which were returned. */
    uint8_t start[MAGIC_SIZE];
    size_t came, given;
};

static int fail(const struct replay *r, const char *why, struct err *e)
{
    return err_set(e, "%s: %s", r->source.path, why);
}

/* Would read() wait for the other end of a pipe? A file never makes it wait. */
static bool is_silent(const struct replay *r)
{
    struct pollfd p = {.fd = r->source.fd, .events = POLLIN};

    return r->pipe && poll(&p, 1, PIPE_WAIT_MS) == 0;
}

/* Read some bytes. Returns their number; 0 at the end; -1 with (e) filled. */
static ssize_t read_some(const struct replay *r, void *buf, size_t size,
                         struct err *e)
{
    ssize_t n;

    do
        n = read(r->source.fd, buf, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? fail(r, strerror(errno), e) : n;
}

/* Decide by the first bytes whether this is a recording or raw bytes. */
static int detect(struct replay *r, struct err *e)
{
    struct err why = {""};

    r->known = true;
    switch (magic_of(r->start, r->came)) {
    case MAGIC_EMPTY:
        return fail(r, "is empty (0 bytes)", e);
    case MAGIC_ELF:
    case MAGIC_PE:
        return err_set(e,
                       "%s: is an image, not a recording. 'collector check %s' "
                       "examines an image; --elf %s names it for a report",
                       r->source.given, r->source.given, r->source.given);
    case MAGIC_CORE:
        return err_set(e,
                       "%s: is a core file, not a recording. For a report on a "
                       "guest's memory, type --memory %s",
                       r->source.given, r->source.given);
    case MAGIC_RECORDING:
        break;
    default:
        return 0;
    }
    r->reader = recording_open_after(r->source.fd, r->start, r->came, &why);
    r->given = r->came;
    r->source.recording = r->reader;
    return r->reader != NULL ? 0 : fail(r, why.text, e);
}

/* Read until the kind of the bytes is known, or the pipe has none now. */
static int read_start(struct replay *r, struct err *e)
{
    while (!r->known) {
        if (is_silent(r))
            return 0;
        ssize_t n =
            read_some(r, r->start + r->came, sizeof r->start - r->came, e);

        if (n < 0)
            return -1;
        r->came += (size_t)n;
        if ((n == 0 || r->came == sizeof r->start) && detect(r, e) != 0)
            return -1;
    }
    return 0;
}

/* Check that this is a file, or a pipe. Reads of a pipe may wait, so
 * is_silent() is asked before. */
static int judge_kind(struct replay *r, struct err *e)
{
    bool standard = strcmp(r->source.given, STANDARD_INPUT) == 0;
    struct stat st;

    if (fstat(r->source.fd, &st) < 0)
        return fail(r, strerror(errno), e);
    r->pipe = S_ISFIFO(st.st_mode) || (standard && S_ISSOCK(st.st_mode));
    if (standard && S_ISCHR(st.st_mode))
        return fail(
            r, "is a terminal, not a recording: type 'collector report FILE'",
            e);
    if (!S_ISREG(st.st_mode) && !r->pipe)
        return fail(r, "is neither a file nor a pipe; use --serial for a port",
                    e);
    if (r->pipe && fcntl(r->source.fd, F_SETFL, 0) != 0)
        return fail(r, strerror(errno), e);
    return 0;
}

static enum source_state replay_open(struct source *s, struct err *e)
{
    struct replay *r = (struct replay *)s;
    struct stat st;

    if (stat(r->source.given, &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)err_set(e,
                      "%s: is a folder: name a recording in it; 'collector "
                      "report --spool %s' reports on windows of collector "
                      "serve",
                      r->source.given, r->source.given);
        return SOURCE_FAILED;
    }
    s->fd = strcmp(r->source.given, STANDARD_INPUT) == 0
                ? STDIN_FILENO
                : opener_open(OPENER_READ, r->source.given);
    if (s->fd < 0) {
        (void)fail(r, strerror(errno), e);
        return SOURCE_FAILED;
    }
    if (judge_kind(r, e) != 0 || (!r->pipe && read_start(r, e) != 0))
        return SOURCE_FAILED;
    return SOURCE_OPEN;
}

/* Return the raw bytes that detect() has read. */
static ssize_t give_start(struct replay *r, void *buf, size_t size)
{
    size_t n = r->came - r->given;

    if (n > size)
        n = size;
    memcpy(buf, r->start + r->given, n);
    r->given += n;
    return (ssize_t)n;
}

static ssize_t replay_read(struct source *s, void *buf, size_t size,
                           uint64_t *arrival_ns, struct err *e)
{
    struct replay *r = (struct replay *)s;
    ssize_t n;

    *arrival_ns = 0; /* raw bytes have no arrival times */
    if (read_start(r, e) != 0)
        return -1;
    if (r->known && r->given < r->came)
        return give_start(r, buf, size);
    if (!r->known || is_silent(r))
        return 0;
    n = r->reader != NULL ? recording_read(r->reader, buf, size, arrival_ns, e)
                          : read_some(r, buf, size, e);
    return n == 0 ? SOURCE_END : n;
}

static void replay_close(struct source *s)
{
    struct replay *r = (struct replay *)s;

    recording_reader_free(r->reader);
    source_free(s);
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
    struct replay *r = source_new(sizeof *r, &replay_ops, path, e);

    if (r == NULL)
        return NULL;
    if (strcmp(path, STANDARD_INPUT) == 0)
        r->source.path = "standard input";
    return &r->source;
}
