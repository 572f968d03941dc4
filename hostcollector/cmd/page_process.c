/* SPDX-License-Identifier: BSD-2-Clause */
/* Each question is answered by a collector report of its own. */
#include "cmd/page_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "spool/spool_name.h"
#include "util/clock.h"
#include "util/descriptor.h"
#include "web/reports.h"

#define PATIENCE_S 8             /* less than a client may take (web.c) */
#define SECOND     1000000000ull /* in nanoseconds */
#define LOOK_NS    10000000 /* between two looks whether a report is there */
#define ARGUMENTS  (16 + 2 * OPTIONS_SYMBOLS)

/* Be collector report, which writes the page to (page), and its complaints to
 * (why). */
static _Noreturn void report(const struct options *o,
                             const struct reports_question *q, int page,
                             int why)
{
    const char *line[ARGUMENTS] = {"collector", "report", "--spool", o->spool,
                                   "--guest",   q->guest, "--since", q->since,
                                   "--memory",  "256M",   "-o",      "html:-"};
    size_t count = 12;

    for (size_t i = 0; i < OPTIONS_SYMBOLS && o->symbols[i] != NULL; i++) {
        line[count++] = "--symbols";
        line[count++] = o->symbols[i];
    }
    char *words[ARGUMENTS]; /* execv() changes none of them */

    memcpy(words, line, sizeof words);
    if (dup2(page, STDOUT_FILENO) >= 0 && dup2(why, STDERR_FILENO) >= 0)
        (void)execv("/proc/self/exe", words);
    _exit(127);
}

/* Wait for (child), but not for ever. Returns whether it has succeeded; if not,
 * (why) has a text. */
static bool succeeds(pid_t child, int why)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    uint64_t until = clock_ns() + PATIENCE_S * SECOND;
    int status = -1;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (clock_ns() > until && kill(child, SIGKILL) == 0)
            (void)dprintf(why, "no page within %d s: ask for less by ?since=\n",
                          PATIENCE_S);
        (void)nanosleep(&look, NULL);
    }
    return status == 0;
}

static int answer(const struct options *o, const struct reports_question *q,
                  int socket)
{
    struct reports_answer a = {0};
    int page = memfd_create("page", MFD_CLOEXEC);
    int why = memfd_create("why", MFD_CLOEXEC);
    pid_t child = page >= 0 && why >= 0 ? fork() : -1;

    if (child == 0)
        report(o, q, page, why);
    a.done = child > 0 && succeeds(child, why);
    int result = descriptor_send(socket, &a, sizeof a, a.done ? page : why);

    if (page >= 0)
        (void)close(page);
    if (why >= 0)
        (void)close(why);
    return result;
}

void page_process_run(const struct options *o, int socket)
{
    struct reports_question q;
    int scrap;

    while (descriptor_receive(socket, &q, sizeof q, &scrap) == sizeof q) {
        q.guest[sizeof q.guest - 1] = q.since[sizeof q.since - 1] = '\0';
        if (scrap >= 0 || !spool_name_is_guest(q.guest) ||
            answer(o, &q, socket) != 0)
            return;
    }
}
