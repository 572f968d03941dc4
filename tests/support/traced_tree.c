/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_tree.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/seccomp.h>

#include "command.h"

#define OPTIONS                                                                \
    (PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK |          \
     PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)
#define LOOK_NS 200000

static uint64_t peek(pid_t pid, uint64_t at)
{
    return (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)at, NULL);
}

/* Note (variable), "TEXT_7=value" at (at), if it is one. */
static void note_text(struct tree_process *p, uint64_t at)
{
    char name[17] = "";
    unsigned number;
    int size = 0;

    for (unsigned i = 0; i < 2; i++) {
        uint64_t word = peek(p->at.pid, at + 8 * i);

        memcpy(name + 8 * i, &word, 8);
    }
    if (sscanf(name, "TEXT_%2u=%n", &number, &size) == 1 && size != 0 &&
        number < TREE_TEXTS)
        p->texts[number] = at + (uint64_t)size;
}

/* The program begins: its stack has the count of its words, these, a NULL, and
 * its environment. */
static void find_texts(struct tree_process *p)
{
    struct user_regs_struct r;

    CHECK(ptrace(PTRACE_GETREGS, p->at.pid, NULL, &r) == 0);
    uint64_t at = r.rsp + 8 * (peek(p->at.pid, r.rsp) + 2), variable;

    memset(p->texts, 0, sizeof p->texts);
    for (; (variable = peek(p->at.pid, at)) != 0; at += 8)
        note_text(p, variable);
}

static bool is_thread(pid_t pid)
{
    char own[32];

    (void)snprintf(own, sizeof own, "Tgid:\t%d\n", (int)pid);
    return strstr(status_of(pid), own) == NULL;
}

/* (parent) has made another one. */
static void add(struct tree *t, const struct tree_process *parent)
{
    struct tree_process *p = &t->list[t->count];
    unsigned long pid;
    int before = 0;

    CHECK(t->count < TREE_PROCESSES);
    CHECK(ptrace(PTRACE_GETEVENTMSG, parent->at.pid, NULL, &pid) == 0);
    *p = *parent;
    p->at.pid = (pid_t)pid;
    p->thread = is_thread((pid_t)pid);
    for (int i = 0; i < t->count && !p->thread; i++) {
        const char *path = t->list[i].path;
        size_t length = strlen(parent->path);

        before += !t->list[i].thread &&
                  strncmp(path, parent->path, length) == 0 &&
                  path[length] == '.' && strchr(path + length + 1, '.') == NULL;
    }
    if (!p->thread)
        CHECK(snprintf(p->path, sizeof p->path, "%s.%d", parent->path,
                       before + 1) < (int)sizeof p->path);
    t->count++;
}

static bool loads_filter(const struct traced_call *call)
{
    return (call->number == SYS_seccomp &&
            call->args[0] == SECCOMP_SET_MODE_FILTER && call->args[2] != 0) ||
           (call->number == SYS_prctl && call->args[0] == PR_SET_SECCOMP);
}

/* At the entry of a call, or at the exit from one. */
static void look_at_call(struct tree *t, struct tree_process *p)
{
    struct user_regs_struct r;
    struct __ptrace_syscall_info info;

    CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, p->at.pid,
                 (void *)(uintptr_t)sizeof info, &info) > 0);
    CHECK(ptrace(PTRACE_GETREGS, p->at.pid, NULL, &r) == 0);
    const struct traced_call call = {(long)r.orig_rax,
                                     {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9}};

    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && t->call != NULL)
        t->call(p, &call);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && loads_filter(&call) &&
        r.rax == 0 && !p->confined) {
        p->at.stop = r;
        p->confined = true;
        if (t->confined != NULL)
            t->confined(p);
    }
}

/* Returns the signal that it gets. */
static int look_at_stop(struct tree *t, struct tree_process *p, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;

    if (event == PTRACE_EVENT_EXEC) {
        p->confined = false;
        find_texts(p);
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
               event == PTRACE_EVENT_CLONE) {
        add(t, p);
    } else if (signal == (SIGTRAP | 0x80)) {
        look_at_call(t, p);
    } else if (signal != SIGSTOP && signal != SIGTRAP) {
        return signal;
    }
    return 0;
}

/* Has (p) been heard of? It goes on then. */
static bool goes_on(struct tree *t, struct tree_process *p)
{
    int status;
    pid_t pid = waitpid(p->at.pid, &status, WNOHANG | __WALL);

    if (pid == 0)
        return false;
    p->ended = pid < 0 || !WIFSTOPPED(status);
    if (!p->ended) {
        int signal = look_at_stop(t, p, status);

        (void)ptrace(PTRACE_SYSCALL, p->at.pid, NULL, (void *)(intptr_t)signal);
    }
    return true;
}

static bool is_left(const struct tree *t)
{
    for (int i = 0; i < t->count; i++)
        if (!t->list[i].ended)
            return true;
    return false;
}

void tree_run(struct tree *t, const char *line, int terminal)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    struct tree_process *first = &t->list[0];
    bool told = false;
    int status;

    *first = (struct tree_process){.path = "0"};
    t->count = 1;
    first->at.pid = start_stopped_collector(line, terminal);
    CHECK_EQ(waitpid(first->at.pid, &status, 0), first->at.pid);
    CHECK(WIFSTOPPED(status));
    CHECK(ptrace(PTRACE_SETOPTIONS, first->at.pid, NULL, (void *)OPTIONS) == 0);
    find_texts(first);
    CHECK(ptrace(PTRACE_SYSCALL, first->at.pid, NULL, NULL) == 0);
    while (is_left(t)) {
        bool moved = false;

        for (int i = 0; i < t->count; i++)
            moved |= !t->list[i].ended && goes_on(t, &t->list[i]);
        if (!told && t->over != NULL && t->over(t)) {
            told = true;
            CHECK_EQ(kill(first->at.pid, SIGTERM), 0);
        }
        if (!moved)
            (void)nanosleep(&look, NULL);
    }
}
