/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which system calls are allowed, as a table, from which a program for the
 * kernel's packet filter is made: first the number is compared, then for some
 * calls one argument. What is not in the table ends the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "cmd/sandbox.h"

#define FILES   SANDBOX_FILES
#define UNIX    SANDBOX_UNIX
#define VSOCK   SANDBOX_VSOCK
#define SERVE   SANDBOX_SERVE
#define BIND    SANDBOX_LOW_PORT
#define CONNECT (UNIX | VSOCK)
#define ALL     (FILES | CONNECT | SERVE)

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#define X32_BIT        0x40000000u /* numbers of another kind of process */
#define NAME_A_MAPPING 0x53564d41u /* PR_SET_VMA: some malloc do */
#define TERMINAL_GET2  0x802c542au /* TCGETS2 and TCSETS2: later C libraries */
#define TERMINAL_SET2  0x402c542bu
#define VALUES         5
#define PROGRAM_MAX    512

struct rule {
    uint16_t call;
    uint8_t needs; /* it is allowed for any of these */
    bool judged;   /* by (argument): allowed if that & (mask) is in (values) */
    uint8_t argument;
    uint8_t count;
    uint32_t mask;
    uint32_t values[VALUES];
};

/* clang-format off */
#define ALLOW(needs, name) {SYS_##name, needs, false, 0, 0, 0, {0}}
#define ALLOW_IF(needs, name, argument, mask, ...)                             \
    {SYS_##name, needs, true, argument,                                        \
     sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), mask, {__VA_ARGS__}}
/* clang-format on */

/* The usual ones first. C libraries differ in which of several they take. */
static const struct rule rules[] = {
    /* guests and files that are open */
    ALLOW(ALL, read),
    ALLOW(ALL, recvfrom),
    ALLOW(SERVE, recvmsg),
    ALLOW(ALL, write),
    ALLOW(ALL, sendto),
    ALLOW(SERVE, sendmsg),
    ALLOW(ALL, readv),
    ALLOW(ALL, writev),
    ALLOW(ALL, epoll_pwait),
    ALLOW(ALL, epoll_ctl),
    ALLOW(ALL, ppoll),
#ifdef SYS_epoll_wait /* those that later machines never had */
    ALLOW(ALL, epoll_wait),
    ALLOW(ALL, poll),
    ALLOW(ALL, time),
    ALLOW(FILES, open),
    ALLOW(ALL, stat),
    ALLOW(ALL, lstat),
    ALLOW(ALL, access),
    ALLOW(ALL, readlink),
    ALLOW(SERVE, unlink),
#endif
    ALLOW(ALL, clock_gettime),
    ALLOW(ALL, close),
    ALLOW(ALL, fstat),
    ALLOW(ALL, lseek),
    ALLOW(FILES, pread64),
    ALLOW(FILES, pwrite64),
    ALLOW(FILES, ftruncate),
    ALLOW(FILES, fsync),
    ALLOW(FILES, fdatasync),
    ALLOW_IF(ALL, fcntl, 1, UINT32_MAX, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
             F_GET_SEALS),
    ALLOW_IF(ALL, ioctl, 1, UINT32_MAX, TCGETS, TCSETS, TIOCGWINSZ,
             TERMINAL_GET2, TERMINAL_SET2),

    /* files and connections to come; Landlock says which files */
    ALLOW(FILES, openat),
    ALLOW(ALL, newfstatat),
    ALLOW(ALL, statx),
    ALLOW(ALL, faccessat),
    ALLOW(ALL, readlinkat),
    ALLOW(ALL, getcwd),
    ALLOW(SERVE, unlinkat),
    ALLOW_IF(UNIX, socket, 0, UINT32_MAX, AF_UNIX),
    ALLOW_IF(VSOCK, socket, 0, UINT32_MAX, AF_VSOCK),
    ALLOW(BIND, bind),
    ALLOW(CONNECT, connect),
    ALLOW(SERVE, accept),
    ALLOW(SERVE, accept4),
    ALLOW(CONNECT, getsockopt),
    ALLOW(SERVE, setsockopt),
    ALLOW(SERVE, shutdown),
    ALLOW(SERVE, eventfd2),
    ALLOW(SERVE, timerfd_settime),

    /* memory, but none that could be executed */
    ALLOW(ALL, brk),
    ALLOW_IF(ALL, mmap, 2, PROT_EXEC, 0),
    ALLOW_IF(ALL, mprotect, 2, PROT_EXEC, 0),
    ALLOW(ALL, munmap),
    ALLOW(ALL, mremap),
    ALLOW(ALL, madvise),
    ALLOW_IF(ALL, prctl, 0, UINT32_MAX, NAME_A_MAPPING),

    /* the process itself */
    ALLOW(ALL, rt_sigprocmask),
    ALLOW(ALL, rt_sigaction),
    ALLOW(ALL, rt_sigreturn),
    ALLOW(ALL, sigaltstack),
    ALLOW(ALL, restart_syscall),
    ALLOW(ALL, futex),
    ALLOW(ALL, gettimeofday),
    ALLOW(ALL, nanosleep),
    ALLOW(ALL, clock_nanosleep),
    ALLOW(ALL, sched_yield),
    ALLOW(ALL, getrandom),
    ALLOW(ALL, sysinfo),
    ALLOW(ALL, uname),
    ALLOW(ALL, getpid),
    ALLOW(ALL, gettid),
    ALLOW_IF(ALL, prlimit64, 0, UINT32_MAX, 0), /* its own */
    ALLOW(ALL, exit),
    ALLOW(ALL, exit_group),
};

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short size;
};

static void emit_filter(struct program *p, struct sock_filter instruction)
{
    if (p->size < PROGRAM_MAX)
        p->code[p->size++] = instruction;
}

static void load(struct program *p, size_t offset)
{
    emit_filter(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                (uint32_t)offset));
}

/* Answer (action) if the loaded word is (value). */
static void answer_if(struct program *p, uint32_t value, uint32_t action)
{
    emit_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                value, 0, 1));
    emit_filter(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void emit_rule(struct program *p, const struct rule *r)
{
    if (!r->judged) {
        answer_if(p, r->call, SECCOMP_RET_ALLOW);
        return;
    }
    /* another call: over all that follows */
    emit_filter(p,
                (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->call,
                                             0, (uint8_t)(3 + 2 * r->count)));
    /* the lower half: these are all ints, or flags that fit */
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)r->argument);
    emit_filter(
        p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask));
    for (unsigned i = 0; i < r->count; i++)
        answer_if(p, r->values[i], SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr)); /* another rule may judge */
}

#ifdef THIS_ARCH
static void make_program(struct program *p, unsigned needs)
{
    const struct rule abort_itself =
        ALLOW_IF(ALL, tgkill, 0, UINT32_MAX, (uint32_t)getpid());

    load(p, offsetof(struct seccomp_data, arch));
    emit_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                THIS_ARCH, 1, 0));
    emit_filter(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                                SECCOMP_RET_KILL_PROCESS));
    load(p, offsetof(struct seccomp_data, nr));
    emit_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
                                                X32_BIT, 0, 1));
    emit_filter(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                                SECCOMP_RET_KILL_PROCESS));
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if ((rules[i].needs & needs) != 0)
            emit_rule(p, &rules[i]);
    }
    emit_rule(p, &abort_itself);
    emit_filter(
        p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}
#endif

/* SIGSYS: the filter refused a call. Nothing of it was done. */
static void on_forbidden_call(int signal, siginfo_t *info, void *context)
{
    static const char before[] = "\ncollector: the sandbox ended this process: "
                                 "system call ";
    static const char after[] =
        " is not allowed (the command 'ausyscall' knows its name). Please "
        "report it; TPROF_SANDBOX=off goes without the sandbox\n";
    char number[12];
    size_t at = sizeof number;
    unsigned call = (unsigned)info->si_syscall;

    (void)signal;
    (void)context;
    do {
        number[--at] = (char)('0' + call % 10);
        call /= 10;
    } while (call != 0);
    if (write(STDERR_FILENO, before, sizeof before - 1) < 0 ||
        write(STDERR_FILENO, number + at, sizeof number - at) < 0 ||
        write(STDERR_FILENO, after, sizeof after - 1) < 0)
        _exit(1);
    _exit(1);
}

int sandbox_confine_calls(unsigned needs)
{
#ifdef THIS_ARCH
    static struct program p;
    struct sigaction action = {.sa_sigaction = on_forbidden_call,
                               .sa_flags = SA_SIGINFO};

    p.size = 0;
    make_program(&p, needs);
    if (sigaction(SIGSYS, &action, NULL) != 0)
        return -1;
    struct sock_fprog filter = {.len = p.size, .filter = p.code};

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#else
    (void)needs;
    errno = ENOSYS;
    return -1;
#endif
}
