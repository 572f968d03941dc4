/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that answers by HTTP. */
#include "fleet/serve/web_process.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fleet/respawn.h"
#include "fleet/web/web.h"

struct page {
    const struct serve_config *o;
    struct web_gate gate;
    struct status *status;
    const struct serve_images *images;
    int fd;                /* the listening socket */
    struct unix_file file; /* its file, if it is a Unix socket */
};

/* Give up everything except the sockets. Returns 0; -1 with (e) filled if that
 * is impossible and was required. */
static int confine(enum sandbox_mode mode, struct err *e)
{
    struct sandbox s;

    if (!sandbox_wanted(mode))
        return 0;
    sandbox_init(&s);
    if (sandbox_enter(&s, SANDBOX_READER | SANDBOX_SERVE, e) == 0 ||
        mode == SANDBOX_REQUIRED)
        return e->text[0] == '\0' ? 0 : -1;
    return 0; /* the serving process reports what the kernel lacks */
}

static _Noreturn void answer(const struct page *p, int stop, int reports)
{
    struct err e = {""};
    struct web *w = web_open(p->fd, &p->gate, p->status, reports, &e);
    int result = -1;

    if (w != NULL && confine(p->o->from.sandbox, &e) == 0)
        result = web_run(w, stop, &e);
    web_close(w);
    if (result != 0)
        (void)fprintf(stderr, "collector: no page: %s\n", e.text);
    _exit(result != 0);
}

/* Become the process that writes pages. It has neither the listening socket nor
 * the pipe, so it cannot keep the address in use when all others have exited.
 * It does not have the token, either. */
static _Noreturn void write_pages(struct page *p, int stop, const int *ends)
{
    /* the processes that read windows must not find the token */
    explicit_bzero(p->gate.token, sizeof p->gate.token);
    (void)close(ends[0]);
    (void)close(p->fd);
    (void)close(stop);
    page_process_run(p->o, p->status, p->images, ends[1]);
    _exit(0);
}

/*
 * Start both processes: one answers by HTTP, the other writes pages of guests
 * (page_process.c). They always start together, because an old socket between
 * them may hold an answer to a question of a process that has exited. If one
 * exits, the other exits, too.
 *
 * The keeper holds the listening socket, so clients wait during a restart and
 * are not refused. Returns the process that answers; -1 with (e) filled.
 */
static pid_t start_pages(void *page, int stop, struct err *e)
{
    struct page *p = page;
    bool pages = p->o->spool != NULL;
    int ends[2] = {-1, -1};
    pid_t child;

    if (pages &&
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return err_sys(e, "socketpair");
    child = pages ? fork() : 1;
    if (child == 0)
        write_pages(p, stop, ends);
    if (pages)
        (void)close(ends[1]);
    if (child > 0)
        child = fork();
    if (child == 0)
        answer(p, stop, ends[0]);
    if (child < 0)
        (void)err_sys(e, "fork");
    if (pages)
        (void)close(ends[0]);
    return child;
}

static void again(void *page)
{
    status_again(((const struct page *)page)->status, STATUS_PAGE);
}

/* Remove the socket's file, when both processes have exited. */
static void end(void *page)
{
    const struct page *p = page;

    if (p->gate.path != NULL && unix_is_there(p->gate.path, &p->file))
        (void)unlink(p->gate.path);
}

int web_process_start(const struct serve_config *o, struct status *s,
                      const struct serve_images *images, struct err *e)
{
    struct page p = {.o = o, .status = s, .images = images};
    char url[LISTEN_URL], what[LISTEN_URL + 32];
    const struct respawner k = {what, &p, start_pages, again, end};
    int result;

    if (o->listen == NULL)
        return o->token_file == NULL && !o->shows_code
                   ? 0
                   : err_set(e, "%s goes with --listen",
                             o->shows_code ? "--page-code" : "--token-file");
    if (web_gate_init(&p.gate, o->listen, o->token_file, e) != 0)
        return -1;
    p.fd = listen_open(&p.gate, &p.file, e);
    if (p.fd < 0)
        return -1;
    listen_url(&p.gate, p.fd, url);
    (void)snprintf(what, sizeof what, "the process of the page at %s", url);
    result = respawn_start(&k, e);
    (void)close(p.fd);
    if (result == 0)
        (void)fprintf(stderr, "collector: page at %s\n", url);
    return result;
}
