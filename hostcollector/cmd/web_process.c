/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the process that answers by HTTP. */
#include "cmd/web_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/page_process.h"
#include "web/web.h"

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

static int work(int fd, const struct gate *g, enum sandbox_mode mode,
                const struct status *s, int reports, int stop, struct err *e)
{
    struct web *w = web_open(fd, g, s, reports, e);
    int result = -1;

    if (w != NULL && confine(mode, e) == 0)
        result = web_run(w, stop, e);
    web_close(w);
    return result;
}

/* Fork it. Returns 0; -1 with (e) filled. */
static int start(int fd, const struct gate *g, enum sandbox_mode mode,
                 const struct status *s, int reports, struct err *e)
{
    int ends[2]; /* the second one is closed by the end of this process alone */
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(e, "pipe");
    child = fork();
    if (child == 0) {
        int result;

        (void)close(ends[1]);
        (void)setsid(); /* the terminal's signals are the collector's */
        result = work(fd, g, mode, s, reports, ends[0], e);
        if (result != 0)
            (void)fprintf(stderr, "collector: no page: %s\n", e->text);
        _exit(result != 0);
    }
    (void)close(ends[0]);
    return child > 0 ? 0 : err_sys(e, "fork");
}

int web_process_start(const struct options *o, const struct status *s,
                      struct err *e)
{
    struct gate g;
    char url[WEB_URL];
    int fd, result, reports = -1;

    if (o->listen == NULL)
        return o->token_file == NULL
                   ? 0
                   : err_set(e, "--token-file goes with --listen");
    if (gate_init(&g, o->listen, o->token_file, e) != 0)
        return -1;
    fd = web_listen(&g, e);
    if (fd < 0)
        return -1;
    web_url(fd, url);
    if (o->spool != NULL)
        reports = page_process_start(o, e);
    result = o->spool != NULL && reports < 0
                 ? -1
                 : start(fd, &g, o->sandbox, s, reports, e);
    if (reports >= 0)
        (void)close(reports);
    (void)close(fd);
    if (result == 0)
        (void)fprintf(stderr, "collector: page at %s\n", url);
    return result;
}
