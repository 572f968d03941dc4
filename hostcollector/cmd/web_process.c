/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three processes: one answers by HTTP, one has pages of guests written for it
 * (page_process.h), and the keeper starts both again when one of them has
 * ended. The collector cannot, which is confined by then; the keeper meets no
 * foreign byte, and only forks and waits. It has the socket that listens: who
 * asks while nobody answers waits for a moment, and is not turned away.
 *
 * They end with the collector: it alone has the other end of a pipe.
 */
#include "cmd/web_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/page_process.h"
#include "push/backoff.h"
#include "util/clock.h"
#include "web/web.h"

#define LEAST_MS 1000u                       /* between two starts */
#define CALM_NS  (60 * UINT64_C(1000000000)) /* after that all is well again */

struct keeper {
    const struct options *o;
    struct gate gate;
    struct status *status;
    const struct serve_images *images;
    int fd;   /* listens */
    int stop; /* can be read when the collector has ended */
    char url[WEB_URL];
};

/* Give up all but the sockets. Returns 0; -1 with (e) filled if that is not
 * possible and was required. */
static int confine(enum sandbox_mode mode, struct err *e)
{
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    sandbox_init(&s);
    if (sandbox_enter(&s, SANDBOX_READER | SANDBOX_SERVE, e) == 0 ||
        mode == SANDBOX_REQUIRED)
        return e->text[0] == '\0' ? 0 : -1;
    return 0; /* what the kernel lacks, the process that serves says */
}

static _Noreturn void answer(const struct keeper *k, int reports)
{
    struct err e = {""};
    struct web *w = web_open(k->fd, &k->gate, k->status, reports, &e);
    int result = -1;

    if (w != NULL && confine(k->o->sandbox, &e) == 0)
        result = web_run(w, k->stop, &e);
    web_close(w);
    if (result != 0)
        (void)fprintf(stderr, "collector: no page: %s\n", e.text);
    _exit(result != 0);
}

/* It has neither the socket that listens nor the pipe: a page that is still
 * written when all others have ended keeps nobody from the address. */
static _Noreturn void write_pages(const struct keeper *k, const int *ends)
{
    (void)close(ends[0]);
    (void)close(k->fd);
    (void)close(k->stop);
    page_process_run(k->o, k->status, k->images, ends[1]);
    _exit(0);
}

/*
 * Both are started, since they share a socket of their own: in an old one there
 * may be an answer that nobody waits for any more. Whoever finds the other one
 * gone ends, too. Returns the process that answers; -1 with (e) filled.
 */
static pid_t start(const struct keeper *k, struct err *e)
{
    bool pages = k->o->spool != NULL;
    int ends[2] = {-1, -1};
    pid_t child;

    if (pages &&
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return err_sys(e, "socketpair");
    child = pages ? fork() : 1;
    if (child == 0)
        write_pages(k, ends);
    if (pages)
        (void)close(ends[1]);
    if (child > 0)
        child = fork();
    if (child == 0)
        answer(k, ends[0]);
    if (child < 0)
        (void)err_sys(e, "fork");
    if (pages)
        (void)close(ends[0]);
    return child;
}

/* Wait for (child), and for others that end meanwhile. Say in (e) how it has
 * ended. */
static void wait_for(pid_t child, struct err *e)
{
    int status = 0;
    pid_t ended;

    do
        ended = waitpid(-1, &status, 0);
    while (ended != child && (ended > 0 || errno == EINTR));
    if (WIFSIGNALED(status))
        (void)err_set(e, "ended by signal %d, %s", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else
        (void)err_set(e, "ended with status %d", WEXITSTATUS(status));
}

static void keep(const struct keeper *k)
{
    struct pollfd over = {.fd = k->stop, .events = POLLIN};
    unsigned failures = 0;

    for (;;) {
        uint64_t began = clock_ns(), wait_ms;
        struct err e = {""};
        pid_t child = start(k, &e);

        if (child > 0)
            wait_for(child, &e);
        failures = clock_ns() - began < CALM_NS ? failures + 1 : 1;
        wait_ms = backoff_ms(failures, (uint32_t)began >> 8, LEAST_MS);
        if (poll(&over, 1, (int)wait_ms) != 0)
            return;
        status_page_again(k->status);
        (void)fprintf(stderr,
                      "collector serve: the process of the page at %s is "
                      "started again: %s\n",
                      k->url, e.text);
    }
}

/* Fork the keeper. Returns 0; -1 with (e) filled. */
static int start_keeper(struct keeper *k, struct err *e)
{
    int ends[2]; /* the second one is closed by the end of this process alone */
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(e, "pipe");
    child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        (void)setsid(); /* the terminal's signals are the collector's */
        (void)signal(SIGCHLD, SIG_DFL); /* whatever was inherited */
        k->stop = ends[0];
        keep(k);
        _exit(0);
    }
    (void)close(ends[0]);
    return child > 0 ? 0 : err_sys(e, "fork");
}

int web_process_start(const struct options *o, struct status *s,
                      const struct serve_images *images, struct err *e)
{
    struct keeper k = {.o = o, .status = s, .images = images};
    int result;

    if (o->listen == NULL)
        return o->token_file == NULL
                   ? 0
                   : err_set(e, "--token-file goes with --listen");
    if (gate_init(&k.gate, o->listen, o->token_file, e) != 0)
        return -1;
    k.fd = web_listen(&k.gate, e);
    if (k.fd < 0)
        return -1;
    web_url(k.fd, k.url);
    result = start_keeper(&k, e);
    (void)close(k.fd);
    if (result == 0)
        (void)fprintf(stderr, "collector: page at %s\n", k.url);
    return result;
}
