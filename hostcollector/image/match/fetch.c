/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the process that requests images from debuginfod servers. */
#include "image/match/fetch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/descriptor.h"
#include "guard/side_process.h"

#define CACHE_VARIABLE "DEBUGINFOD_CACHE_PATH"
#define OWN_MODE       0700

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Write the name of libdebuginfod's cache to (path) of PATH_MAX bytes. */
static void cache_name(char *path)
{
    const char *given = value_of(CACHE_VARIABLE), *home = value_of("HOME");
    const char *xdg = value_of("XDG_CACHE_HOME");

    if (given != NULL) {
        (void)snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    home = home != NULL ? home : "/";
    (void)snprintf(path, PATH_MAX, "%s/.debuginfod_client_cache", home);
    if (access(path, F_OK) == 0)
        return; /* the path of older versions of libdebuginfod */
    if (xdg != NULL)
        (void)snprintf(path, PATH_MAX, "%s/debuginfod_client", xdg);
    else
        (void)snprintf(path, PATH_MAX, "%s/.cache/debuginfod_client", home);
}

/* Make the folder (path), and its parents, if they are missing. */
static int make_cache(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void)mkdir(path,
                    OWN_MODE); /* only the result of the last mkdir() matters */
        *at = '/';
    }
    return mkdir(path, OWN_MODE) == 0 || errno == EEXIST ? 0 : -1;
}

/*
 * Find the cache folder like libdebuginfod does, by DEBUGINFOD_CACHE_PATH, or
 * below XDG_CACHE_HOME or HOME, and make the folder if it is missing. Writes
 * its name without links to DEBUGINFOD_CACHE_PATH.
 *
 * Returns 0; -1 with (e) filled, also if other users may write to the folder:
 * the collector would read their files with this user's rights.
 */
static int cache_find(struct err *e)
{
    char named[PATH_MAX], path[PATH_MAX];
    struct stat st;

    cache_name(named);
    if (make_cache(named) != 0 || realpath(named, path) == NULL ||
        stat(path, &st) != 0)
        return err_set(e, CACHE_VARIABLE " %.200s: %s", named, strerror(errno));
    if (!S_ISDIR(st.st_mode) || (st.st_mode & S_IWOTH) != 0 ||
        (st.st_uid != geteuid() && st.st_uid != 0))
        return err_set(e,
                       CACHE_VARIABLE
                       " %.200s: other users may write there, so no server is "
                       "used. Name a folder of your own",
                       path);
    return setenv(CACHE_VARIABLE, path, 1) == 0 ? 0 : err_memory(e);
}

static int to_other = -1; /* socket to the other process; -1: none */

struct question {
    uint8_t kind, len, id[FETCH_ID_MAX];
};

struct fetch_answer {
    int found; /* 1: a descriptor comes with the message */
    char path[PATH_MAX];
    struct err e;
};

const char *fetch_urls(void)
{
    return to_other >= 0 ? getenv("DEBUGINFOD_URLS") : NULL;
}

void fetch_leave(void)
{
    if (to_other >= 0)
        (void)close(to_other);
    to_other = -1;
}

/* The process that requests images */

/* Has the requesting process ended? It sends nothing during a request, so any
 * event on the socket means the end. */
static bool is_gone(void)
{
    struct pollfd p = {.fd = to_other, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

/* Answer requests until the requesting process ends. A guest may have taken
 * over the requesting process, so this process reads nothing but a build-id
 * from a request. If (able) is false, each request is refused with the reason
 * (why). */
static _Noreturn void serve(bool able, const struct err *why)
{
    struct question q;

    while (recv(to_other, &q, sizeof q, 0) == sizeof q) {
        struct fetch_answer a = {0};
        int fd = -1;

        if (q.len < FETCH_ID_MIN || q.len > FETCH_ID_MAX ||
            q.kind > FETCH_DEBUG)
            break;
        if (able)
            fd = fetch_by_debuginfod((enum fetch_kind)q.kind, q.id, q.len,
                                     is_gone, a.path, &a.e);
        else
            a.e = *why;
        a.found = fd >= 0;
        if (descriptor_send(to_other, &a, sizeof a, fd) != 0)
            break;
        if (fd >= 0)
            (void)close(fd);
    }
    _exit(0);
}

int fetch_start(int (*confine)(const void *limits, struct err *e),
                const void *limits, struct err *e)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    int ends[2];

    if (to_other >= 0 || urls == NULL || urls[0] == '\0')
        return 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(e, "socketpair");
    pid_t child = side_process_fork();

    if (child < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return err_sys(e, "fork");
    }
    to_other = ends[child == 0];
    (void)close(ends[child != 0]);
    if (child != 0)
        return 0;
    struct err why = {""}, lacking = {""};
    bool able = cache_find(&why) == 0 && fetch_limit(&why) == 0;

    side_process_keep(to_other);
    fetch_begin_debuginfod();
    if (confine(limits, &lacking) != 0)
        serve(false, &lacking);
    serve(able, &why);
}

/* The process that reads bytes of guests */

static int hear(struct fetch_answer *a)
{
    int fd;

    if (descriptor_receive(to_other, a, sizeof *a, &fd) != sizeof *a)
        return err_set(&a->e, "the process that requests files has ended");
    if (fd < 0 && a->found != 0)
        return err_set(&a->e, "%s", strerror(EMFILE));
    return fd;
}

int fetch_file(enum fetch_kind kind, const uint8_t *id, size_t len,
               char path[PATH_MAX], struct err *e)
{
    struct question q = {.kind = (uint8_t)kind, .len = (uint8_t)len};
    struct fetch_answer a = {0};

    if (to_other < 0)
        return err_set(e, "DEBUGINFOD_URLS names no server");
    if (len < FETCH_ID_MIN || len > FETCH_ID_MAX)
        return err_set(e, "a build-id of %zu bytes cannot be requested", len);
    memcpy(q.id, id, len);
    if (send(to_other, &q, sizeof q, MSG_NOSIGNAL) != sizeof q)
        return err_set(e, "the process that requests files has ended");
    int fd = hear(&a);

    if (fd < 0)
        return err_set(e, "%s", a.e.text);
    memcpy(path, a.path, PATH_MAX);
    path[PATH_MAX - 1] = '\0';
    return fd;
}
