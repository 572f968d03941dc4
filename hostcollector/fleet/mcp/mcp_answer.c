/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/mcp/mcp_parts.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard/side_process.h"
#include "util/host_clock.h"
#include "util/io.h"
#include "util/text.h"

#define PATIENCE_S 60
#define SECOND     1000000000ull /* in nanoseconds */
#define LOOK_NS    5000000       /* time between two looks at the process */

/* Replace what is not UTF-8, for example of names in an old image. */
static void mend_characters(char *text)
{
    for (char *c = text; *c != '\0';) {
        size_t length = text_character(c);

        if (length == 0 && *c != '\n' && *c != '\t')
            *c = '?';
        c += length != 0 ? length : 1;
    }
}

void mcp_answer_take(struct mcp_answer *a, int fd)
{
    static const char left_out[] = "[The rest is left out. Ask for fewer rows, "
                                   "or for one function.]\n";
    ssize_t got = io_read_at(fd, a->text, MCP_ANSWER_MAX + 1, 0);
    size_t length = got > 0 ? (size_t)got : 0;

    a->text[length] = '\0';
    if (length > MCP_ANSWER_MAX) {
        a->text[MCP_ANSWER_MAX] = '\0';
        char *end = strrchr(a->text, '\n');

        memcpy(end != NULL ? end + 1 : a->text + MCP_ANSWER_MAX, left_out,
               sizeof left_out);
    }
    mend_characters(a->text);
}

void mcp_answer_refuse(struct mcp_answer *a, const struct err *e)
{
    a->failed = true;
    (void)snprintf(a->text, sizeof a->text, "%s", e->text);
    mend_characters(a->text);
}

/* Become the process that writes the answer to (fd). The process ends with its
 * parent, and keeps no descriptor that leads elsewhere. */
static _Noreturn void be_writer(mcp_command command, const struct mcp_ask *ask,
                                int fd, pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 ||
        freopen("/dev/null", "r", stdin) == NULL)
        _exit(1);
    side_process_keep(STDERR_FILENO);
    int result = command(ask);

    _exit(fflush(NULL) == 0 ? result : 1);
}

/* Wait for (child). Returns whether it ended by itself, with the status 0. */
static bool succeeds(pid_t child, int fd)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    uint64_t until = clock_ns() + PATIENCE_S * SECOND;
    int status = -1;
    bool killed = false; /* the end of a large process takes time */

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!killed && clock_ns() > until) {
            killed = true;
            (void)kill(child, SIGKILL);
            (void)dprintf(fd, "The answer took longer than %d s.\n",
                          PATIENCE_S);
        }
        (void)nanosleep(&look, NULL);
    }
    return status == 0;
}

void mcp_answer_run(struct mcp_answer *a, mcp_command command,
                    const struct mcp_ask *ask)
{
    int fd = memfd_create("answer", MFD_CLOEXEC);
    pid_t parent = getpid(), child;

    (void)fflush(NULL); /* otherwise both would write the buffers */
    child = fd >= 0 ? fork() : -1;
    if (child == 0)
        be_writer(command, ask, fd, parent);
    a->failed = child < 0 || !succeeds(child, fd);
    if (child < 0)
        mcp_answer_refuse(a, &(struct err){"no process for the answer"});
    else
        mcp_answer_take(a, fd);
    if (fd >= 0)
        (void)close(fd);
}
