/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends requests to debuginfod servers through libdebuginfod. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "image/match/fetch.h"
#include "util/host_clock.h"
#include "util/text.h"

#define STALLED_S "10"
#define MAXTIME_S "60"
#define MAXSIZE   "2147483648"
#define SECOND    1000000000ull /* in nanoseconds */

/* A request to servers, and the reasons that end the request. */
struct question {
    bool (*gone)(void);
    uint64_t until_ns;
    uint64_t most; /* bytes */
    enum { ASKED, GONE, LATE, LARGE } end;
};

static uint64_t limit_of(const char *variable, const char *usual)
{
    const char *text = getenv(variable);
    long long n = text != NULL ? strtoll(text, NULL, 10) : 0;

    return n > 0 ? (uint64_t)n : strtoull(usual, NULL, 10);
}

static uint64_t most_bytes(void)
{
    return limit_of(DEBUGINFOD_MAXSIZE_ENV_VAR, MAXSIZE);
}

/* Limit the size of files by the kernel: libdebuginfod counts received bytes,
 * and not the bytes after unpacking. The signal is blocked (fetch.c). */
int fetch_limit(struct err *e)
{
    const struct rlimit most = {most_bytes(), most_bytes()};

    return setrlimit(RLIMIT_FSIZE, &most) == 0 ? 0 : err_sys(e, "setrlimit");
}

void fetch_begin_debuginfod(void)
{
    debuginfod_client *client = debuginfod_begin();

    if (client != NULL)
        debuginfod_end(client);
}

/* Called by libdebuginfod at least once a second. */
static int on_progress(debuginfod_client *client, long done, long all)
{
    struct question *q = debuginfod_get_user_data(client);

    (void)all;
    q->end = q->gone()                              ? GONE
             : clock_ns() > q->until_ns             ? LATE
             : done > 0 && (uint64_t)done > q->most ? LARGE
                                                    : ASKED;
    return q->end != ASKED;
}

/* Explain the failure (error) of (q). */
static int err_of_question(const struct question *q, int error, struct err *e)
{
    char size[TEXT_SIZE];

    if (q->end == LATE || error == ETIME)
        return err_set(e, "the file took longer than DEBUGINFOD_MAXTIME, or "
                          "made no progress for DEBUGINFOD_TIMEOUT");
    if (q->end == LARGE || error == EIO || error == EFBIG)
        return err_set(e,
                       "the file cannot be stored: it exceeds "
                       "DEBUGINFOD_MAXSIZE, %s, or there is no room",
                       text_size(size, q->most));
    return err_set(e, "%s", strerror(error));
}

/* Is the file (fd) in this user's cache? Another user may have put a link to
 * another file there. */
static bool is_ours(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid == geteuid() || st.st_uid == 0);
}

/* Send one request, until (q->until_ns). Returns like fetch_by_debuginfod(). */
static int ask(struct question *q, enum fetch_kind kind, const uint8_t *id,
               size_t len, char path[PATH_MAX], struct err *e)
{
    debuginfod_client *client = debuginfod_begin();
    char *name = NULL;

    if (client == NULL)
        return err_set(e, "libdebuginfod does not start");
    debuginfod_set_user_data(client, q);
    debuginfod_set_progressfn(client, on_progress);
    int fd = (kind == FETCH_EXECUTABLE
                  ? debuginfod_find_executable
                  : debuginfod_find_debuginfo)(client, id, (int)len, &name);

    if (fd >= 0)
        (void)snprintf(path, PATH_MAX, "%s", name != NULL ? name : "");
    free(name);
    debuginfod_end(client);
    return fd >= 0 ? fd : err_of_question(q, -fd, e);
}

/* All failed requests share one time limit, because guests may name any number
 * of builds. */
int fetch_by_debuginfod(enum fetch_kind kind, const uint8_t *id, size_t len,
                        bool (*gone)(void), char path[PATH_MAX], struct err *e)
{
    static uint64_t wasted_ns;
    struct question q = {.gone = gone, .most = most_bytes()};
    uint64_t now = clock_ns(), may;
    int fd;

    (void)setenv(DEBUGINFOD_TIMEOUT_ENV_VAR, STALLED_S, 0);
    (void)setenv(DEBUGINFOD_MAXTIME_ENV_VAR, MAXTIME_S, 0);
    may = limit_of(DEBUGINFOD_MAXTIME_ENV_VAR, MAXTIME_S) * SECOND;
    if (wasted_ns >= may)
        return err_set(e, "failed requests have used up DEBUGINFOD_MAXTIME: no "
                          "further request is sent");
    q.until_ns = now + may - wasted_ns;
    fd = ask(&q, kind, id, len, path, e);
    if (fd < 0)
        wasted_ns += clock_ns() - now;
    if (fd < 0 || is_ours(fd))
        return fd;
    (void)close(fd);
    return err_set(e, "%.200s does not belong to you: remove it", path);
}
