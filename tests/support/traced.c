/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "command.h"

#define SYSCALL_SIZE 2 /* of the instruction */

static void get_stop(const struct traced *t, struct user_regs_struct *stop)
{
    CHECK(ptrace(PTRACE_GETREGS, t->pid, NULL, stop) == 0);
}

static int step(struct traced *t, enum __ptrace_request request, int signal)
{
    int status;

    CHECK(ptrace(request, t->pid, NULL, (void *)(intptr_t)signal) == 0);
    CHECK_EQ(waitpid(t->pid, &status, 0), t->pid);
    return status;
}

/* To the next entry of a call, or exit from one. */
static void to_call(struct traced *t)
{
    int status = step(t, PTRACE_SYSCALL, 0);

    while (WIFSTOPPED(status) && WSTOPSIG(status) != (SIGTRAP | 0x80))
        status = step(t, PTRACE_SYSCALL,
                      WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
    if (!WIFSTOPPED(status))
        check_failed(__FILE__, __LINE__,
                     "ended with wait status %x before its filter was loaded",
                     (unsigned)status);
}

static bool loads_filter(const struct traced_call *call)
{
    return (call->number == SYS_seccomp &&
            call->args[0] == SECCOMP_SET_MODE_FILTER && call->args[2] != 0) ||
           (call->number == SYS_prctl && call->args[0] == PR_SET_SECCOMP);
}

void traced_start(struct traced *t, const char *line,
                  void (*see)(const struct traced *t,
                              const struct traced_call *call))
{
    traced_start_at(t, line, -1, see);
}

void traced_start_at(struct traced *t, const char *line, int terminal,
                     void (*see)(const struct traced *t,
                                 const struct traced_call *call))
{
    struct traced_call call;
    int status;

    t->pid = start_stopped_collector(line, terminal);
    CHECK_EQ(waitpid(t->pid, &status, 0), t->pid);
    CHECK(WIFSTOPPED(status));
    CHECK(ptrace(PTRACE_SETOPTIONS, t->pid, NULL,
                 (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) == 0);
    do {
        to_call(t);
        get_stop(t, &t->stop);
        call = (struct traced_call){(long)t->stop.orig_rax,
                                    {t->stop.rdi, t->stop.rsi, t->stop.rdx,
                                     t->stop.r10, t->stop.r8, t->stop.r9}};
        if (see != NULL)
            see(t, &call);
        to_call(t);
        get_stop(t, &t->stop);
    } while (!loads_filter(&call) || t->stop.rax != 0);
}

long traced_call(struct traced *t, const struct traced_call *call)
{
    struct user_regs_struct r = t->stop;
    int status;

    r.rip -= SYSCALL_SIZE;
    r.rax = (unsigned long long)call->number;
    r.orig_rax = (unsigned long long)-1; /* no call that could be restarted */
    r.rdi = call->args[0];
    r.rsi = call->args[1];
    r.rdx = call->args[2];
    r.r10 = call->args[3];
    r.r8 = call->args[4];
    r.r9 = call->args[5];
    CHECK(ptrace(PTRACE_SETREGS, t->pid, NULL, &r) == 0);
    do { /* the first step may only leave the last call */
        status = step(t, PTRACE_SINGLESTEP, 0);
        if (!WIFSTOPPED(status))
            return TRACED_DIED;
        get_stop(t, &r);
    } while (WSTOPSIG(status) == SIGTRAP && r.rip != t->stop.rip);
    CHECK(ptrace(PTRACE_SETREGS, t->pid, NULL, &t->stop) == 0);
    return WSTOPSIG(status) == SIGSYS ? TRACED_TRAPPED : (long)r.rax;
}

void traced_release(struct traced *t)
{
    to_call(t); /* over what is left of the last step */
    CHECK(ptrace(PTRACE_DETACH, t->pid, NULL, NULL) == 0);
}
