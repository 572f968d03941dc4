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

#define GUESTS (1u << SANDBOX_GUESTS)
#define BRIDGE (1u << SANDBOX_BRIDGE)
#define BOTH   (GUESTS | BRIDGE)

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
    uint8_t modes;
    bool judged; /* by (argument): allowed if that & (mask) is in (values) */
    uint8_t argument;
    uint8_t count;
    uint32_t mask;
    uint32_t values[VALUES];
};

/* clang-format off */
#define ALLOW(modes, name) {SYS_##name, modes, false, 0, 0, 0, {0}}
#define ALLOW_IF(modes, name, argument, mask, ...)                             \
    {SYS_##name, modes, true, argument,                                        \
     sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), mask, {__VA_ARGS__}}
/* clang-format on */

/* The usual ones first. C libraries differ in which of several they take. */
static const struct rule rules[] = {
    /* guests and files that are open */
    ALLOW(BOTH, read),
    ALLOW(BOTH, recvfrom),
    ALLOW(BRIDGE, recvmsg),
    ALLOW(BOTH, write),
    ALLOW(BOTH, sendto),
    ALLOW(BRIDGE, sendmsg),
    ALLOW(BOTH, readv),
    ALLOW(BOTH, writev),
    ALLOW(BOTH, epoll_pwait),
    ALLOW(BOTH, epoll_ctl),
    ALLOW(BOTH, ppoll),
#ifdef SYS_epoll_wait /* those that later machines never had */
    ALLOW(BOTH, epoll_wait),
    ALLOW(BOTH, poll),
    ALLOW(BOTH, time),
    ALLOW(GUESTS, open),
    ALLOW(BOTH, stat),
    ALLOW(BOTH, lstat),
    ALLOW(BOTH, access),
    ALLOW(BOTH, readlink),
    ALLOW(BRIDGE, unlink),
#endif
    ALLOW(BOTH, clock_gettime),
    ALLOW(BOTH, close),
    ALLOW(BOTH, fstat),
    ALLOW(BOTH, lseek),
    ALLOW(GUESTS, pread64),
    ALLOW(GUESTS, pwrite64),
    ALLOW(GUESTS, ftruncate),
    ALLOW(GUESTS, fsync),
    ALLOW(GUESTS, fdatasync),
    ALLOW_IF(BOTH, fcntl, 1, UINT32_MAX, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
             F_GET_SEALS),
    ALLOW_IF(BOTH, ioctl, 1, UINT32_MAX, TCGETS, TCSETS, TIOCGWINSZ,
             TERMINAL_GET2, TERMINAL_SET2),

    /* files and connections to come; Landlock says which files */
    ALLOW(GUESTS, openat),
    ALLOW(BOTH, newfstatat),
    ALLOW(BOTH, statx),
    ALLOW(BOTH, faccessat),
    ALLOW(BOTH, readlinkat),
    ALLOW(BOTH, getcwd),
    ALLOW(BRIDGE, unlinkat),
    ALLOW_IF(GUESTS, socket, 0, UINT32_MAX, AF_UNIX, AF_VSOCK),
    ALLOW_IF(BRIDGE, socket, 0, UINT32_MAX, AF_UNIX),
    ALLOW(BOTH, connect),
    ALLOW(BRIDGE, accept),
    ALLOW(BRIDGE, accept4),
    ALLOW(BOTH, getsockopt),
    ALLOW(BRIDGE, setsockopt),
    ALLOW(BRIDGE, shutdown),
    ALLOW(BRIDGE, eventfd2),
    ALLOW(BRIDGE, timerfd_settime),

    /* memory, but none that could be executed */
    ALLOW(BOTH, brk),
    ALLOW_IF(BOTH, mmap, 2, PROT_EXEC, 0),
    ALLOW_IF(BOTH, mprotect, 2, PROT_EXEC, 0),
    ALLOW(BOTH, munmap),
    ALLOW(BOTH, mremap),
    ALLOW(BOTH, madvise),
    ALLOW_IF(BOTH, prctl, 0, UINT32_MAX, NAME_A_MAPPING),

    /* the process itself */
    ALLOW(BOTH, rt_sigprocmask),
    ALLOW(BOTH, rt_sigaction),
    ALLOW(BOTH, rt_sigreturn),
    ALLOW(BOTH, sigaltstack),
    ALLOW(BOTH, restart_syscall),
    ALLOW(BOTH, futex),
    ALLOW(BOTH, gettimeofday),
    ALLOW(BOTH, nanosleep),
    ALLOW(BOTH, clock_nanosleep),
    ALLOW(BOTH, sched_yield),
    ALLOW(BOTH, getrandom),
    ALLOW(BOTH, sysinfo),
    ALLOW(BOTH, uname),
    ALLOW(BOTH, getpid),
    ALLOW(BOTH, gettid),
    ALLOW_IF(BOTH, prlimit64, 0, UINT32_MAX, 0), /* its own */
    ALLOW(BOTH, exit),
    ALLOW(BOTH, exit_group),
};

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short size;
};

static void emit(struct program *p, struct sock_filter instruction)
{
    if (p->size < PROGRAM_MAX)
        p->code[p->size++] = instruction;
}

static void load(struct program *p, size_t offset)
{
    emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                         (uint32_t)offset));
}

/* Answer (action) if the loaded word is (value). */
static void answer_if(struct program *p, uint32_t value, uint32_t action)
{
    emit(p,
         (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void emit_rule(struct program *p, const struct rule *r)
{
    if (!r->judged) {
        answer_if(p, r->call, SECCOMP_RET_ALLOW);
        return;
    }
    /* another call: over the load, the mask, the values, and the refusal */
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->call, 0,
                                         (uint8_t)(3 + 2 * r->count)));
    /* the lower half: these are all ints, or flags that fit */
    load(p, offsetof(struct seccomp_data, args) + 8u * r->argument);
    emit(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask));
    for (unsigned i = 0; i < r->count; i++)
        answer_if(p, r->values[i], SECCOMP_RET_ALLOW);
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}

#ifdef THIS_ARCH
static void make_program(struct program *p, enum sandbox_mode mode)
{
    const struct rule abort_itself =
        ALLOW_IF(BOTH, tgkill, 0, UINT32_MAX, (uint32_t)getpid());

    load(p, offsetof(struct seccomp_data, arch));
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH,
                                         1, 0));
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                         SECCOMP_RET_KILL_PROCESS));
    load(p, offsetof(struct seccomp_data, nr));
    emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0,
                                         1));
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                         SECCOMP_RET_KILL_PROCESS));
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if ((rules[i].modes & 1u << mode) != 0)
            emit_rule(p, &rules[i]);
    }
    emit_rule(p, &abort_itself);
    emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
}
#endif

/* SIGSYS: the filter refused a call. Nothing of it was done. */
static void refuse(int signal, siginfo_t *info, void *context)
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

int sandbox_confine_calls(enum sandbox_mode mode)
{
#ifdef THIS_ARCH
    static struct program p;
    struct sigaction action = {.sa_sigaction = refuse, .sa_flags = SA_SIGINFO};

    p.size = 0;
    make_program(&p, mode);
    if (sigaction(SIGSYS, &action, NULL) != 0)
        return -1;
    struct sock_fprog filter = {.len = p.size, .filter = p.code};

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#else
    (void)mode;
    errno = ENOSYS;
    return -1;
#endif
}
