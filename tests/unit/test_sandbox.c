/* SPDX-License-Identifier: BSD-2-Clause */
/* What is given up is gone, and what is needed is not: each call is tried in a
 * child of its own. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "guard/sandbox.h"

#define GUESTS (SANDBOX_READER | SANDBOX_VSOCK)

static char said[512]; /* by the last child, on stderr */
static char folder[] = "/tmp/tprof-sandbox-XXXXXX";
static char inside[64], outside[64]; /* files in two folders of it */

/* Run (try) in a child after (confine). Returns its wait status. */
static int run(void (*confine)(void), void (*try)(void))
{
    int pipes[2], status;
    size_t size = 0;
    ssize_t n;

    CHECK(pipe(pipes) == 0);
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        confine();
        try();
        _exit(0);
    }
    close(pipes[1]);
    while ((n = read(pipes[0], said + size, sizeof said - 1 - size)) > 0)
        size += (size_t)n;
    said[size] = '\0';
    close(pipes[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status;
}

static void as_guests(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (sandbox_confine_calls(GUESTS) != 0)
        _exit(77);
}

static void as_bridge(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (sandbox_confine_calls(SANDBOX_SERVE) != 0)
        _exit(77);
}

static void as_helper(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (sandbox_confine_calls(SANDBOX_OPENER) != 0)
        _exit(77);
}

struct attempt {
    const char *name;
    long call; /* that is refused */
    void (*try)(void);
};

static void permits(void (*confine)(void), const struct attempt *list,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int status = run(confine, list[i].try);

        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            SKIP("the kernel has no seccomp");
        if (status != 0)
            check_failed(__FILE__, __LINE__, "%s: wait status %x: %s",
                         list[i].name, (unsigned)status, said);
    }
}

static void refuses(void (*confine)(void), const struct attempt *list,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char number[32];
        int status = run(confine, list[i].try);

        (void)snprintf(number, sizeof number, "system call %ld is not",
                       list[i].call);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            SKIP("the kernel has no seccomp");
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 ||
            strstr(said, number) == NULL)
            check_failed(__FILE__, __LINE__, "%s: wait status %x: %s",
                         list[i].name, (unsigned)status, said);
    }
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* The attempts. A child that finds a call broken ends with 2. */
static void need(bool good)
{
    if (!good)
        _exit(2);
}

static void try_memory(void)
{
    char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    need(p != MAP_FAILED);
    p = mremap(p, 1 << 20, 2 << 20, MREMAP_MAYMOVE);
    need(p != MAP_FAILED && mprotect(p, 4096, PROT_READ) == 0);
    need(munmap(p, 2 << 20) == 0);
    void *volatile q = malloc(50 << 20);

    need(q != NULL);
    free(q);
}

static void try_waiting(void)
{
    struct pollfd fd = {.fd = STDIN_FILENO};
    struct timespec t;

    need(poll(&fd, 0, 0) == 0);
    need(clock_gettime(CLOCK_REALTIME, &t) == 0);
    need(epoll_wait(-1, &(struct epoll_event){0}, 1, 0) < 0 && errno == EBADF);
}

static void try_unix(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/nowhere"};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    need(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) < 0);
    need(errno == ENOENT);
    need(send(fd, "", 1, MSG_NOSIGNAL) < 0 && errno == ENOTCONN);
}

/* 0x10 is no type of socket in any family: none comes into being. */
static void try_vsock(void)
{
    need(socket(AF_VSOCK, 0x10, 0) < 0 && errno == EINVAL);
}

static void try_stat(void)
{
    struct stat st;

    need(stat("/dev/null", &st) == 0 && fstat(STDERR_FILENO, &st) == 0);
    need(access("/dev/null", F_OK) == 0);
}

static void try_file(void)
{
    char name[64];
    FILE *f;

    (void)snprintf(name, sizeof name, "/tmp/tprof-sandbox-%d", (int)getpid());
    f = fopen(name, "w");
    need(f != NULL && fputs("x", f) >= 0 && fclose(f) == 0);
    need(open(name, O_RDONLY | O_CLOEXEC) >= 0);
}

static void try_terminal(void)
{
    need(isatty(STDERR_FILENO) == 0);
}

/* A C library looks for files at times, and does without. */
static void try_open(void)
{
    need(open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES);
}

static void try_accept(void)
{
    need(accept4(-1, NULL, NULL, SOCK_CLOEXEC) < 0 && errno == EBADF);
}

static void try_recvmsg(void)
{
    need(recvmsg(-1, &(struct msghdr){0}, 0) < 0 && errno == EBADF);
}

static void try_sendmsg(void)
{
    need(sendmsg(-1, &(struct msghdr){0}, 0) < 0 && errno == EBADF);
}

static void try_unlink(void)
{
    need(unlink("/nowhere/x") < 0 && errno == ENOENT);
}

static void try_map_shared(void)
{
    need(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, -1, 0) ==
             MAP_FAILED &&
         errno == EBADF);
}

static void try_exec(void)
{
    (void)execl("/bin/true", "true", (char *)NULL);
}

static void try_fork(void)
{
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
        _exit(0);
}

static void try_clone3(void)
{
    (void)syscall(SYS_clone3, NULL, 0);
}

static void try_ptrace(void)
{
    (void)syscall(SYS_ptrace, 16, getpid(), 0, 0);
}

static void try_mount(void)
{
    (void)syscall(SYS_mount, "x", "/nowhere", "tmpfs", 0, NULL);
}

static void try_kill(void)
{
    (void)kill(getpid(), 0);
}

static void try_tgkill(void)
{
    (void)syscall(SYS_tgkill, 1, 1, 0);
}

static void try_inet(void)
{
    (void)socket(AF_INET, SOCK_STREAM, 0);
}

static void try_netlink(void)
{
    (void)socket(AF_NETLINK, SOCK_RAW, 0);
}

static void try_bind(void)
{
    (void)bind(-1, NULL, 0);
}

static void try_map_code(void)
{
    (void)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
               -1, 0);
}

static void try_make_code(void)
{
    (void)mprotect(&said, 1, PROT_READ | PROT_EXEC);
}

static void try_prctl(void)
{
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void try_setuid(void)
{
    (void)syscall(SYS_setuid, 0);
}

static void try_chmod(void)
{
    (void)chmod("/nowhere/x", 0777);
}

static void try_rename(void)
{
    (void)rename("/nowhere/x", "/nowhere/y");
}

static void try_other_limits(void)
{
    (void)syscall(SYS_prlimit64, 1, 7, NULL, NULL);
}

static void try_io_uring(void)
{
    (void)syscall(SYS_io_uring_setup, 0, NULL);
}

static void try_ioctl(void)
{
    (void)syscall(SYS_ioctl, STDERR_FILENO, 0x5412, ""); /* TIOCSTI: types */
}

static void try_x32(void)
{
    (void)syscall(0x40000000 | SYS_getpid);
}

static void try_abort(void)
{
    abort();
}

/* Catches: a collector that its own sandbox ends */
TEST(guests_mode_permits_its_work)
{
    static const struct attempt list[] = {
        {"memory", 0, try_memory},  {"waiting", 0, try_waiting},
        {"vsock", 0, try_vsock},    {"stat", 0, try_stat},
        {"open", 0, try_open},      {"tty", 0, try_terminal},
        {"message", 0, try_recvmsg}};

    permits(as_guests, list, COUNT(list));
}

/* Catches: a bridge that dies with the guest at its first packet */
TEST(bridge_mode_permits_its_work)
{
    static const struct attempt list[] = {
        {"memory", 0, try_memory},    {"waiting", 0, try_waiting},
        {"accept", 0, try_accept},    {"message", 0, try_recvmsg},
        {"send", 0, try_sendmsg},     {"open", 0, try_open},
        {"shared", 0, try_map_shared}};

    permits(as_bridge, list, COUNT(list));
}

/* Catches: a file that is missing because its opener has died */
TEST(helper_mode_permits_its_work)
{
    static const struct attempt list[] = {
        {"memory", 0, try_memory}, {"unix", 0, try_unix},
        {"stat", 0, try_stat},     {"file", 0, try_file},
        {"send", 0, try_sendmsg},  {"unlink", 0, try_unlink},
        {"rename", 0, try_rename}};

    permits(as_helper, list, COUNT(list));
}

static const struct attempt forbidden[] = {
    {"execve", SYS_execve, try_exec},
    {"fork", SYS_clone, try_fork},
    {"clone3", SYS_clone3, try_clone3},
    {"ptrace", SYS_ptrace, try_ptrace},
    {"mount", SYS_mount, try_mount},
    {"kill", SYS_kill, try_kill},
    {"tgkill", SYS_tgkill, try_tgkill},
    {"inet", SYS_socket, try_inet},
    {"netlink", SYS_socket, try_netlink},
    {"bind", SYS_bind, try_bind},
    {"map code", SYS_mmap, try_map_code},
    {"make code", SYS_mprotect, try_make_code},
    {"prctl", SYS_prctl, try_prctl},
    {"setuid", SYS_setuid, try_setuid},
    {"chmod", SYS_chmod, try_chmod},
    {"limits", SYS_prlimit64, try_other_limits},
    {"io_uring", SYS_io_uring_setup, try_io_uring},
    {"ioctl", SYS_ioctl, try_ioctl}};

/* Catches: a parser's hole that becomes a shell */
TEST(guests_mode_refuses_the_rest)
{
    static const struct attempt list[] = {{"accept", SYS_accept4, try_accept},
                                          {"send", SYS_sendmsg, try_sendmsg},
                                          {"unix", SYS_socket, try_unix},
                                          {"rename", SYS_rename, try_rename},
                                          {"unlink", SYS_unlink, try_unlink}};

    refuses(as_guests, forbidden, COUNT(forbidden));
    refuses(as_guests, list, COUNT(list));
}

TEST(bridge_mode_refuses_the_rest) /* catches: a guest that reads files */
{
    static const struct attempt list[] = {{"vsock", SYS_socket, try_vsock},
                                          {"unix", SYS_socket, try_unix},
                                          {"rename", SYS_rename, try_rename},
                                          {"unlink", SYS_unlink, try_unlink}};

    refuses(as_bridge, forbidden, COUNT(forbidden));
    refuses(as_bridge, list, COUNT(list));
}

TEST(helper_mode_refuses_the_rest) /* catches: a helper that is a way out */
{
    static const struct attempt list[] = {{"vsock", SYS_socket, try_vsock},
                                          {"accept", SYS_accept4, try_accept}};

    refuses(as_helper, forbidden, COUNT(forbidden));
    refuses(as_helper, list, COUNT(list));
}

static void without_vsock(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (sandbox_confine_calls(SANDBOX_READER) != 0)
        _exit(77);
}

TEST(vsock_is_for_who_needs_it) /* catches: a recording that reaches guests */
{
    static const struct attempt vsock = {"vsock", SYS_socket, try_vsock};

    permits(as_guests, &vsock, 1);
    refuses(without_vsock, &vsock, 1);
}

TEST(refusal_names_the_call) /* catches: a death without a word */
{
    char number[32];
    int status = run(as_guests, try_exec);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("the kernel has no seccomp");
    (void)snprintf(number, sizeof number, "system call %d is not", SYS_execve);
    CHECK(strstr(said, number) != NULL);
    CHECK(strstr(said, "--sandbox=off") != NULL);
}

TEST(other_kinds_of_calls_kill) /* catches: numbers that mean something else */
{
#ifdef __x86_64__
    int status = run(as_guests, try_x32);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("the kernel has no seccomp");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
#endif
}

/* Catches: a failed assertion that looks like a break out */
TEST(abort_is_an_abort)
{
    int status = run(as_guests, try_abort);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("the kernel has no seccomp");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Files and privileges */

static void remove_folder(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        perror(folder);
}

static void put(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    CHECK(fd >= 0);
    close(fd);
}

static void make_folder(void)
{
    char path[64];

    CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    (void)snprintf(path, sizeof path, "%s/in", folder);
    CHECK(mkdir(path, 0700) == 0);
    (void)snprintf(path, sizeof path, "%s/out", folder);
    CHECK(mkdir(path, 0700) == 0);
    (void)snprintf(inside, sizeof inside, "%s/in/file", folder);
    (void)snprintf(outside, sizeof outside, "%s/out/file", folder);
    put(inside);
    put(outside);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1)
        SKIP("the kernel has no Landlock");
}

static void enter(const char *path, unsigned uses)
{
    struct sandbox s;
    struct err e;

    sandbox_init(&s);
    if (path != NULL)
        sandbox_allow(&s, path, uses);
    need(sandbox_enter(&s, SANDBOX_OPENER, &e) == 0);
}

static void to_read(void)
{
    enter(inside, SANDBOX_READ);
}

static void to_write(void)
{
    enter(inside, SANDBOX_WRITE);
}

static void to_add(void)
{
    struct sandbox s;
    struct err e;

    sandbox_init(&s);
    sandbox_allow(&s, inside, SANDBOX_ADD);
    need(sandbox_enter(&s, SANDBOX_OPENER | SANDBOX_READER, &e) == 0);
}

static void nothing(void)
{
    enter(NULL, 0);
}

static bool opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    need(fd >= 0 || errno == EACCES);
    return fd >= 0;
}

#define TO_WRITE (O_WRONLY | O_CREAT | O_TRUNC)

static void may_read(void)
{
    need(opens(inside, O_RDONLY) && !opens(inside, TO_WRITE));
    need(!opens(outside, O_RDONLY) && !opens("/etc/passwd", O_RDONLY));
    need(!opens(inside, O_RDONLY | O_TRUNC));
}

static void may_write(void)
{
    char fresh[96];

    need(opens(inside, TO_WRITE) && !opens(inside, O_RDONLY));
    (void)snprintf(fresh, sizeof fresh, "%s.new", inside);
    need(opens(fresh, TO_WRITE) && !opens(outside, TO_WRITE));
    (void)snprintf(fresh, sizeof fresh, "%s.new", outside);
    need(!opens(fresh, TO_WRITE));
}

/* A file that another process has mapped must not become shorter. */
static void may_add(void)
{
    char fresh[96];
    int fd = open(inside, O_WRONLY | O_CLOEXEC);

    (void)snprintf(fresh, sizeof fresh, "%s.more", inside);
    need(opens(fresh, O_WRONLY | O_CREAT | O_EXCL));
    need(fd >= 0 && write(fd, "x", 1) == 1);
    need(!opens(inside, O_WRONLY | O_TRUNC) && !opens(inside, TO_WRITE));
    need(ftruncate(fd, 0) != 0 && errno == EACCES);
}

static void may_nothing(void)
{
    need(!opens(inside, O_RDONLY) && !opens(inside, TO_WRITE));
}

/* Catches: a guest that has the collector read what is secret */
TEST(files_are_those_allowed)
{
    make_folder();
    CHECK_EQ(run(to_read, may_read), 0);
    CHECK_EQ(run(to_write, may_write), 0);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 3)
        CHECK_EQ(run(to_add, may_add), 0);
    CHECK_EQ(run(nothing, may_nothing), 0);
}

static char link_to[80];

static void by_link(void)
{
    enter(link_to, SANDBOX_READ);
}

static void may_read_both(void)
{
    need(opens(link_to, O_RDONLY) && opens(inside, O_RDONLY));
    need(!opens(outside, O_RDONLY));
}

TEST(link_is_allowed_with_its_target) /* catches: --elf latest.elf refused */
{
    make_folder();
    (void)snprintf(link_to, sizeof link_to, "%s/links", folder);
    CHECK(mkdir(link_to, 0700) == 0);
    (void)snprintf(link_to, sizeof link_to, "%s/links/link", folder);
    CHECK(symlink("../in/file", link_to) == 0);
    CHECK_EQ(run(by_link, may_read_both), 0);
}

static struct sockaddr_un abstract = {.sun_family = AF_UNIX};

static void as_opener_alone(void)
{
    enter(NULL, 0);
}

static void try_abstract(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    need(connect(fd, (struct sockaddr *)&abstract, sizeof abstract) < 0);
    need(errno == EPERM);
}

/* Catches: the user's services, whose abstract sockets anybody may reach */
TEST(abstract_sockets_of_others_are_out_of_reach)
{
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 6)
        SKIP("the kernel has no Landlock of version 6");
    (void)snprintf(abstract.sun_path + 1, 64, "tprof-%d", (int)getpid());
    CHECK_EQ(bind(listener, (struct sockaddr *)&abstract, sizeof abstract), 0);
    CHECK_EQ(listen(listener, 1), 0);
    CHECK_EQ(run(as_opener_alone, try_abstract), 0);
}

static int status_fd;
static bool root;

static void look_at_status(void)
{
    char text[4096] = "";
    struct rlimit core;
    unsigned long long effective = 1, bounding = 1;

    need(read(status_fd, text, sizeof text - 1) > 0);
    need(strstr(text, "NoNewPrivs:\t1\n") != NULL);
    need(strstr(text, "Seccomp:\t2\n") != NULL);
    need(sscanf(strstr(text, "CapEff:"), "CapEff: %llx", &effective) == 1);
    need(sscanf(strstr(text, "CapBnd:"), "CapBnd: %llx", &bounding) == 1);
    need((effective & ~4ull) == 0); /* CAP_DAC_READ_SEARCH is bit 2 */
    need(!root || bounding == 0);
    need(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0);
}

static void with_status(void)
{
    struct sandbox s;
    struct err e;

    root = getuid() == 0;
    status_fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    sandbox_init(&s);
    (void)sandbox_enter(&s, GUESTS, &e); /* there may be no Landlock */
}

TEST(privileges_are_gone) /* catches: root that stays as mighty as it was */
{
    CHECK_EQ(run(with_status, look_at_status), 0);
}

/* An older kernel is played: (call), if (option) is its first argument or -1,
 * fails with (error). */
static void without(unsigned call, int option, unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)option, 0,
                 option != -1 ? 1 : 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = COUNT(code), .filter = code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        _exit(77);
}

static void try_without_seccomp(void)
{
    struct sandbox s;
    struct err e = {""};

    without(SYS_seccomp, -1, ENOSYS);
    without(SYS_prctl, PR_SET_SECCOMP, EINVAL);
    sandbox_init(&s);
    need(sandbox_enter(&s, GUESTS, &e) == -1);
    need(strstr(e.text, "no seccomp (") != NULL);
    need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    need(!opens("/dev/null", O_RDONLY));
}

static void try_without_landlock(void)
{
    struct sandbox s;
    struct err e;

    without(SYS_landlock_create_ruleset, -1, ENOSYS);
    sandbox_init(&s);
    need(s.rules == -1);
    sandbox_allow(&s, "/nowhere/file", SANDBOX_READ);
    need(sandbox_enter(&s, SANDBOX_OPENER, &e) == -1);
    need(strstr(e.text, "no Landlock (Function not implemented)") != NULL);
    need(opens("/dev/null", O_RDONLY));
}

static void free_of_all(void)
{
}

/* Catches: no samples, for lack of a sandbox */
TEST(older_kernels_do_with_less)
{
    make_folder();
    int status = run(free_of_all, try_without_seccomp);

    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("the kernel has no seccomp");
    CHECK_EQ(status, 0);
    CHECK_EQ(run(free_of_all, try_without_landlock), 0);
}
