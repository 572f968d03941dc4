/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of allowed system calls. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>
#include <seccomp.h>

#include "guard/sandbox.h"

#define READER SANDBOX_READER
#define VSOCK  SANDBOX_VSOCK
#define SERVE  SANDBOX_SERVE
#define BIND   SANDBOX_LOW_PORT
#define OPENER SANDBOX_OPENER
#define SCREEN SANDBOX_SCREEN
#define SPOOL  SANDBOX_SPOOL
#define NET    SANDBOX_NETWORK
#define CACHE  SANDBOX_CACHE
#define ALL    (READER | SERVE | OPENER | NET)

#define NAME_A_MAPPING 0x53564d41u /* PR_SET_VMA, which some malloc() use */
/* TCGETS2 and TCSETS2, which later C libraries use */
#define TERMINAL_GET2  0x802c542au
#define TERMINAL_SET2  0x402c542bu
#define VALUES         5

/* libseccomp turns the table of rules into the kernel's filter. A call that is
 * not in the table ends the process. */
struct rule {
    int call;       /* number in libseccomp, even if this machine has none */
    uint16_t needs; /* allowed for any of these tasks */
    uint32_t action;
    bool judged; /* allowed only if (argument) & (mask) is in (values) */
    uint8_t argument;
    uint8_t count;
    /* lower half: all checked arguments are ints, or flags that fit */
    uint32_t mask;
    uint32_t values[VALUES];
};

/* clang-format off */
#define ALLOW(needs, name) {SCMP_SYS(name), needs, SCMP_ACT_ALLOW, false, 0, 0, 0, {0}}
#define REFUSE(needs, name)                                                    \
    {SCMP_SYS(name), needs, SCMP_ACT_ERRNO(EACCES), false, 0, 0, 0, {0}}
#define ALLOW_IF(needs, name, argument, mask, ...)                             \
    {SCMP_SYS(name), needs, SCMP_ACT_ALLOW, true, argument,                                    \
     sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), mask, {__VA_ARGS__}}
#define REFUSE_IF(needs, name, argument, mask, value)                                                    \
    {SCMP_SYS(name), needs, SCMP_ACT_ERRNO(EACCES), true, argument, 1, mask, {value}}
/* clang-format on */

/* C libraries differ in the calls that they use, and machines in those that
 * they have. */
static const struct rule rules[] = {
    /* guests and open files */
    ALLOW(ALL, read),
    ALLOW(ALL, recvfrom),
    ALLOW(ALL, recvmsg),
    ALLOW(ALL, write),
    ALLOW(ALL, sendto),
    ALLOW(SERVE | OPENER | NET, sendmsg),
    ALLOW(NET, sendmmsg),
    ALLOW(ALL, readv),
    ALLOW(ALL, writev),
    ALLOW(ALL, epoll_pwait),
    ALLOW(ALL, epoll_ctl),
    ALLOW(ALL, ppoll),
    ALLOW(ALL, epoll_wait),
    ALLOW(ALL, poll),
    ALLOW(ALL, time),
    ALLOW(OPENER | SPOOL | NET, open),
    REFUSE(READER | SERVE, open),
    ALLOW(ALL, stat),
    ALLOW(ALL, lstat),
    ALLOW(ALL, access),
    ALLOW(ALL, readlink),
    ALLOW(OPENER | CACHE, unlink),
    ALLOW(ALL, clock_gettime),
    ALLOW(ALL, close),
    ALLOW(ALL, fstat),
    ALLOW(ALL, lseek),
    ALLOW(READER | OPENER | NET, pread64),
    ALLOW(READER | CACHE, pwrite64),
    ALLOW(READER | CACHE, ftruncate),
    ALLOW(READER, fsync),
    ALLOW(READER, fdatasync),
    ALLOW(OPENER | SPOOL, flock),
    ALLOW(OPENER | CACHE, fchmod),
    ALLOW(OPENER | CACHE, rename),
    ALLOW(OPENER | CACHE, renameat),
    ALLOW(OPENER | CACHE, renameat2),
    ALLOW_IF(ALL, fcntl, 1, UINT32_MAX, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
             F_GET_SEALS),
    ALLOW_IF(ALL, ioctl, 1, UINT32_MAX, TCGETS, TCSETS, TIOCGWINSZ,
             TERMINAL_GET2, TERMINAL_SET2),
    ALLOW_IF(SCREEN, ioctl, 1, UINT32_MAX, TCSETSW, TCSETSF, TCFLSH, TIOCGPGRP),
    ALLOW(SANDBOX_FOLDER | SPOOL | CACHE, getdents64),
    ALLOW(SCREEN, getpgrp),
    ALLOW(SCREEN, getpgid),
    ALLOW(SCREEN, dup3),

    /* new files and connections, which the helper opens; C libraries also try
     * files that they can do without */
    ALLOW(OPENER | SPOOL | NET, openat),
    REFUSE(READER | SERVE, openat),
    ALLOW(ALL, newfstatat),
    ALLOW(ALL, statx),
    ALLOW(ALL, faccessat),
    ALLOW(ALL, faccessat2), /* realpath() of a path with ".." */
    ALLOW(ALL, readlinkat),
    ALLOW(ALL, getcwd),
    ALLOW(OPENER | SPOOL | CACHE, unlinkat),
    ALLOW(SPOOL, linkat),
    ALLOW(SPOOL | CACHE, utimensat),
    ALLOW(CACHE, utime),
    ALLOW(CACHE, futimesat),
    ALLOW(CACHE, mkdir),
    ALLOW(CACHE, mkdirat),
    ALLOW(CACHE, rmdir),
    ALLOW(CACHE, fstatfs),
    ALLOW(CACHE, dup),
    ALLOW(SPOOL, syncfs),
    ALLOW_IF(OPENER, socket, 0, UINT32_MAX, AF_UNIX),
    ALLOW_IF(VSOCK, socket, 0, UINT32_MAX, AF_VSOCK),
    ALLOW_IF(NET, socket, 0, UINT32_MAX, AF_INET, AF_INET6, AF_NETLINK),
    REFUSE_IF(NET, socket, 0, UINT32_MAX, AF_UNIX), /* services of the host */
    ALLOW(BIND | NET, bind), /* netlink sockets, for our own addresses */
    ALLOW(VSOCK | OPENER | NET, connect),
    ALLOW(SERVE, accept),
    ALLOW(SERVE, accept4),
    ALLOW(READER | SERVE | NET, getsockopt),
    ALLOW_IF(VSOCK, ioctl, 1, UINT32_MAX, IOCTL_VM_SOCKETS_GET_LOCAL_CID),
    ALLOW(SERVE | NET, setsockopt),
    ALLOW(SERVE | NET, shutdown),
    ALLOW(SERVE | NET, eventfd2),
    ALLOW(NET, getsockname),
    ALLOW(NET, getpeername),
    ALLOW(NET, socketpair),
    ALLOW(NET, pipe2),
    ALLOW_IF(NET, ioctl, 1, UINT32_MAX, FIONBIO, FIONREAD),
    ALLOW_IF(NET, fcntl, 1, UINT32_MAX, F_DUPFD_CLOEXEC),
    ALLOW(SERVE, timerfd_settime),

    /* memory, but none that can be executed */
    ALLOW(ALL, brk),
    ALLOW_IF(ALL, mmap, 2, PROT_EXEC, 0),
    ALLOW_IF(ALL, mprotect, 2, PROT_EXEC, 0),
    ALLOW(ALL, munmap),
    ALLOW(ALL, mremap),
    ALLOW(ALL, madvise),
    ALLOW_IF(ALL, prctl, 0, UINT32_MAX, NAME_A_MAPPING),

    /* threads, for looking up host names: C libraries use clone() where
     * clone3() is missing, whose arguments cannot be checked */
    ALLOW_IF(NET, clone, 0, CLONE_THREAD, CLONE_THREAD),
    {SCMP_SYS(clone3), NET, SCMP_ACT_ERRNO(ENOSYS), false, 0, 0, 0, {0}},
    ALLOW(NET, set_robust_list),
    ALLOW(NET, rseq),
    ALLOW(NET, sched_getaffinity),
    ALLOW_IF(NET, prctl, 0, UINT32_MAX, PR_SET_NAME),

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
    ALLOW(NET, getuid),
    ALLOW(NET, geteuid),
    ALLOW(NET, getgid),
    ALLOW(NET, getegid),
    ALLOW_IF(ALL, prlimit64, 0, UINT32_MAX, 0), /* its own limits only */
    ALLOW(ALL, exit),
    ALLOW(ALL, exit_group),
};

static int add_rule(scmp_filter_ctx filter, const struct rule *r)
{
    int result = 0;

    if (!r->judged)
        return seccomp_rule_add(filter, r->action, r->call, 0);
    for (unsigned i = 0; i < r->count && result == 0; i++)
        result = seccomp_rule_add(
            filter, r->action, r->call, 1,
            SCMP_CMP(r->argument, SCMP_CMP_MASKED_EQ, r->mask, r->values[i]));
    return result;
}

/* 0, or a negative errno. */
static int add_rules(scmp_filter_ctx filter, unsigned needs)
{
    const struct rule abort_itself =
        ALLOW_IF(ALL, tgkill, 0, UINT32_MAX, (uint32_t)getpid());
    const struct rule suspend_itself =
        ALLOW_IF(SCREEN, kill, 0, UINT32_MAX, (uint32_t)getpid());
    int result = add_rule(filter, &abort_itself);

    if ((needs & SCREEN) != 0 && result == 0)
        result = add_rule(filter, &suspend_itself);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if ((rules[i].needs & needs) != 0 && result == 0 &&
            !(rules[i].action != SCMP_ACT_ALLOW && (needs & SPOOL) != 0))
            result = add_rule(filter, &rules[i]);
    return result;
}

/* Kill a process that makes calls of another architecture, without SIGSYS:
 * their numbers differ. The filter is a tree, since there are many calls. */
static int set_attributes(scmp_filter_ctx filter)
{
    int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                  SCMP_ACT_KILL_PROCESS);

    if (result == 0)
        result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (result == 0) /* pass the errors of the kernel on */
        result = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
    return result;
}

static void (*before_end)(void);

void sandbox_before_end(void (*call)(void))
{
    before_end = call;
}

/* Handle SIGSYS: the filter refused a call, and nothing of the call was done.
 */
static void on_forbidden_call(int signal, siginfo_t *info, void *context)
{
    static const char before[] = "\ncollector: the sandbox ended this process: "
                                 "system call ";
    static const char after[] =
        " is not allowed ('ausyscall NUMBER' prints its name). Please report "
        "it; --sandbox=off switches the sandbox off\n";
    char number[12];
    size_t at = sizeof number;
    unsigned call = (unsigned)info->si_syscall;

    (void)signal;
    (void)context;
    if (before_end != NULL)
        before_end();
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
    struct sigaction action = {.sa_sigaction = on_forbidden_call,
                               .sa_flags = SA_SIGINFO};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
    int result = filter == NULL ? -ENOMEM : set_attributes(filter);

    if (result == 0)
        result = add_rules(filter, needs);
    if (result == 0 && sigaction(SIGSYS, &action, NULL) != 0)
        result = -errno;
    if (result == 0)
        result = seccomp_load(filter);
    seccomp_release(filter);
    errno = -result;
    return result == 0 ? 0 : -1;
}
