/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What somebody can do who has taken over a command that is confined: a hundred
 * system calls are put into each command, one after the other, by ptrace.
 * Those that are let through have arguments that no call can work with.
 */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "traced.h"

#define NONE UINT64_MAX /* -1: no file, no process */
#define BAD  1          /* no address */

/* Which command makes the call for its own work: there it is let through. */
enum {
    NOBODY = 0,
    READER = 1u << 0, /* all but the bridge */
    BRIDGE = 1u << 1,
    TOP = 1u << 2, /* beside what a READER calls */
    ALL = READER | BRIDGE,
};

struct probe {
    const char *name;
    long call;
    unsigned allowed;
    uint64_t args[6];
};

#define PROBE(name, allowed, ...)                                              \
    {                                                                          \
#name, SYS_##name, allowed,                                            \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
#define PROBE_AS(what, name, allowed, ...)                                     \
    {                                                                          \
        what, SYS_##name, allowed,                                             \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

static const struct probe probes[] = {
    /* programs and processes */
    PROBE(execve, NOBODY, BAD, BAD, BAD),
    PROBE(execveat, NOBODY, NONE, BAD, BAD, BAD, 0),
    PROBE(fork, NOBODY, 0),
    PROBE(vfork, NOBODY, 0),
    PROBE(clone, NOBODY, SIGCHLD),
    PROBE_AS("clone a thread", clone, NOBODY, 0x10f00),
    PROBE(clone3, NOBODY, BAD, 0),
    PROBE(ptrace, NOBODY, 16, NONE),
    PROBE(process_vm_readv, NOBODY, 1, BAD, 1, BAD, 1, 0),
    PROBE(process_vm_writev, NOBODY, 1, BAD, 1, BAD, 1, 0),
    PROBE(pidfd_open, NOBODY, 1, 0),
    PROBE(pidfd_getfd, NOBODY, NONE, 0, 0),
    PROBE(pidfd_send_signal, NOBODY, NONE, 0, 0, 0),
    PROBE(kill, NOBODY, 1, 0),
    PROBE(tkill, NOBODY, 1, 0),
    PROBE(tgkill, NOBODY, 1, 1, 0),
    PROBE(rt_sigqueueinfo, NOBODY, 1, 0, BAD),
    PROBE(setpriority, NOBODY, 0, 1, 0),
    PROBE_AS("prlimit64 of others", prlimit64, NOBODY, 1, 7, BAD, 0),
    PROBE(wait4, NOBODY, NONE, 0, 1, 0),
    /* the kernel's wide surfaces */
    PROBE(io_uring_setup, NOBODY, 0, BAD),
    PROBE(io_uring_enter, NOBODY, NONE, 0, 0, 0, 0, 0),
    PROBE(io_setup, NOBODY, 0, BAD),
    PROBE(bpf, NOBODY, NONE, BAD, 0),
    PROBE(perf_event_open, NOBODY, BAD, 0, 0, NONE, 0),
    PROBE(userfaultfd, NOBODY, NONE),
    PROBE(keyctl, NOBODY, NONE),
    PROBE(add_key, NOBODY, BAD, BAD, BAD, 0, 0),
    PROBE(request_key, NOBODY, BAD, BAD, BAD, 0),
    PROBE(fanotify_init, NOBODY, NONE, 0),
    PROBE(inotify_init1, NOBODY, NONE),
    PROBE(kexec_load, NOBODY, 0, NONE, BAD, 0),
    PROBE(init_module, NOBODY, BAD, 0, BAD),
    PROBE(finit_module, NOBODY, NONE, BAD, 0),
    PROBE(reboot, NOBODY, 0, 0, 0, 0),
    PROBE(syslog, NOBODY, 3, BAD, 0),
    PROBE(quotactl, NOBODY, 0, BAD, 0, BAD),
    PROBE(acct, NOBODY, BAD),
    PROBE(swapon, NOBODY, BAD, 0),
    PROBE(settimeofday, NOBODY, BAD, BAD),
    PROBE(clock_settime, NOBODY, 0, BAD),
    PROBE(iopl, NOBODY, 0),
    PROBE(ioperm, NOBODY, 0, 0, 0),
    PROBE(modify_ldt, NOBODY, NONE, BAD, 0),
    PROBE(lookup_dcookie, NOBODY, 0, BAD, 0),
    /* what a process may do, and where it is */
    PROBE(mount, NOBODY, BAD, BAD, BAD, 0, BAD),
    PROBE(umount2, NOBODY, BAD, 0),
    PROBE(open_tree, NOBODY, NONE, BAD, 0),
    PROBE(move_mount, NOBODY, NONE, BAD, NONE, BAD, 0),
    PROBE(fsopen, NOBODY, BAD, 0),
    PROBE(unshare, NOBODY, 0),
    PROBE(setns, NOBODY, NONE, 0),
    PROBE(chroot, NOBODY, BAD),
    PROBE(pivot_root, NOBODY, BAD, BAD),
    PROBE(chdir, NOBODY, BAD),
    PROBE(fchdir, NOBODY, NONE),
    PROBE(setuid, NOBODY, NONE),
    PROBE(setgid, NOBODY, NONE),
    PROBE(setresuid, NOBODY, NONE, NONE, NONE),
    PROBE(setgroups, NOBODY, 0, BAD),
    PROBE(setsid, NOBODY, 0),
    PROBE(capset, NOBODY, BAD, BAD),
    PROBE(personality, NOBODY, NONE),
    PROBE(seccomp, NOBODY, NONE, 0, BAD),
    PROBE_AS("prctl dumpable", prctl, NOBODY, PR_SET_DUMPABLE, 9),
    PROBE_AS("prctl mm", prctl, NOBODY, PR_SET_MM, 0, 0),
    PROBE_AS("arch_prctl", arch_prctl, NOBODY, NONE, BAD),
    /* sockets */
    PROBE_AS("socket inet", socket, NOBODY, AF_INET, NONE, 0),
    PROBE_AS("socket inet6", socket, NOBODY, AF_INET6, NONE, 0),
    PROBE_AS("socket netlink", socket, NOBODY, AF_NETLINK, NONE, 0),
    PROBE_AS("socket packet", socket, NOBODY, AF_PACKET, NONE, 0),
    PROBE_AS("socket alg", socket, NOBODY, AF_ALG, NONE, 0),
    PROBE_AS("socket vsock", socket, NOBODY, AF_VSOCK, 0x10, 0),
    PROBE_AS("socket unix", socket, NOBODY, AF_UNIX, 0x10, 0),
    PROBE(socketpair, NOBODY, AF_UNIX, 0x10, 0, BAD),
    PROBE(bind, NOBODY, NONE, BAD, 0),
    PROBE(listen, NOBODY, NONE, 0),
    PROBE(connect, NOBODY, NONE, BAD, 0),
    PROBE(accept4, BRIDGE, NONE, 0, 0, 0),
    PROBE(sendmsg, BRIDGE, NONE, BAD, 0),
    PROBE(recvmsg, ALL, NONE, BAD, 0),
    PROBE(sendmmsg, NOBODY, NONE, BAD, 0, 0),
    /* memory */
    PROBE_AS("mmap code", mmap, NOBODY, 0, 0, PROT_EXEC, MAP_PRIVATE, NONE, 0),
    PROBE_AS("mmap data", mmap, ALL, 0, 0, PROT_READ, MAP_PRIVATE, NONE, 0),
    PROBE_AS("mprotect code", mprotect, NOBODY, 0, 0, PROT_READ | PROT_EXEC),
    PROBE(pkey_mprotect, NOBODY, 0, 0, PROT_EXEC, 0),
    PROBE(shmat, NOBODY, NONE, 0, 0),
    PROBE(memfd_create, NOBODY, BAD, 0),
    PROBE(memfd_secret, NOBODY, NONE),
    PROBE(remap_file_pages, NOBODY, 0, 0, 0, 0, 0),
    /* files */
    PROBE(open, NOBODY, BAD, O_RDONLY),
    PROBE(openat, NOBODY, NONE, BAD, O_RDONLY),
    PROBE(openat2, NOBODY, NONE, BAD, BAD, 0),
    PROBE(open_by_handle_at, NOBODY, NONE, BAD, 0),
    PROBE(name_to_handle_at, NOBODY, NONE, BAD, BAD, BAD, 0),
    PROBE(creat, NOBODY, BAD, 0),
    PROBE(unlink, NOBODY, BAD),
    PROBE(unlinkat, NOBODY, NONE, BAD, 0),
    PROBE(rmdir, NOBODY, BAD),
    PROBE(mkdir, NOBODY, BAD, 0),
    PROBE(mknod, NOBODY, BAD, 0, 0),
    PROBE(link, NOBODY, BAD, BAD),
    PROBE(symlink, NOBODY, BAD, BAD),
    PROBE(rename, NOBODY, BAD, BAD),
    PROBE(renameat2, NOBODY, NONE, BAD, NONE, BAD, 0),
    PROBE(chmod, NOBODY, BAD, 0),
    PROBE(fchmod, NOBODY, NONE, 0),
    PROBE(chown, NOBODY, BAD, 0, 0),
    PROBE(truncate, NOBODY, BAD, 0),
    PROBE(utimensat, NOBODY, NONE, BAD, BAD, 0),
    PROBE(setxattr, NOBODY, BAD, BAD, BAD, 0, 0),
    PROBE(getdents64, NOBODY, NONE, BAD, 0),
    PROBE(dup2, NOBODY, NONE, NONE),
    PROBE(dup3, TOP, NONE, 0, 0),
    PROBE(getpgrp, TOP, 0),
    PROBE_AS("ioctl TCSETSW", ioctl, TOP, NONE, 0x5403, BAD),
    PROBE_AS("ioctl TIOCGPGRP", ioctl, TOP, NONE, 0x540f, BAD),
    PROBE(splice, NOBODY, NONE, 0, NONE, 0, 0, 0),
    PROBE(sendfile, NOBODY, NONE, NONE, 0, 0),
    PROBE_AS("fcntl F_SETOWN", fcntl, NOBODY, NONE, F_SETOWN, 1),
    PROBE_AS("fcntl F_DUPFD", fcntl, NOBODY, NONE, F_DUPFD, 0),
    PROBE_AS("ioctl TIOCSTI", ioctl, NOBODY, NONE, 0x5412, BAD),
    PROBE_AS("ioctl TIOCLINUX", ioctl, NOBODY, NONE, 0x541c, BAD),
    PROBE_AS("ioctl FS_IOC_SETFLAGS", ioctl, NOBODY, NONE, 0x40086602, BAD),
};

static void probe_all(struct traced *t, unsigned command)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        const struct probe *p = &probes[i];
        struct traced_call call = {.number = p->call};

        memcpy(call.args, p->args, sizeof call.args);
        long got = traced_call(t, &call);
        bool allowed = (p->allowed & command) != 0;

        CHECK(got != TRACED_DIED);
        /* opening fails, and does not end the process: no address is EFAULT */
        if (allowed == (got != TRACED_TRAPPED && got != -EACCES))
            continue;
        printf("%s: %ld, but it should be %s\n", p->name, got,
               allowed ? "let through" : "refused");
        wrong++;
    }
    CHECK_EQ(wrong, 0);
}

/* Sanitized builds enter the sandbox if it is required. */
static void prepare(void)
{
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
        SKIP("the kernel has no seccomp");
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    /* that looks for leaks by a thread and ptrace */
    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
}

/* (line) is confined as (command) must be, and does its work after that. */
static void probe(const char *line, unsigned command)
{
    struct traced t;

    prepare();
    traced_start(&t, line, NULL);
    probe_all(&t, command);
    traced_release(&t);
    if (command == BRIDGE) {
        for (int i = 0; i < 1000 && !contains("err", "ready"); i++)
            usleep(10000);
        CHECK_EQ(kill(t.pid, SIGINT), 0);
    }
    CHECK_EQ(join_collector(t.pid), 0);
}

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

TEST(
    check_makes_no_call_but_its_own) /* catches: an ELF file that starts a shell
                                      */
{
    enter_dir();
    probe("check --sandbox=required --elf " APP, READER);
    CHECK_CONTAINS("out", "app.elf");
}

/* Catches: a recording that does so */
TEST(report_makes_no_call_but_its_own)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    probe("report --sandbox=required tprof.tprof -o a.txt", READER);
    CHECK_CONTAINS("a.txt", "50 samples");
}

/* The guest runs KERNEL. */
static void play_kernel(int listener)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x200000,
                                                 .build_id = KERNEL_ID});
    say(fd);
    CHECK(hear(fd));
    say_samples(fd, 50, 0);
    end_session(fd, 50);
}

static void write_kernel_c(void)
{
    FILE *f = fopen("kernel.c", "w");

    CHECK(f != NULL);
    for (int i = 1; i <= 150; i++)
        (void)fprintf(f, "this is line %d of kernel.c\n", i);
    CHECK_EQ(fclose(f), 0);
}

/* Catches: an image or a source file that does so */
TEST(annotate_makes_no_call_but_its_own)
{
    enter_dir();
    write_kernel_c();
    pid_t guest = start_guest("port", play_kernel);

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    probe("annotate --sandbox=required tprof.tprof --source . --elf " KERNEL,
          READER);
    CHECK_CONTAINS("out", "call    0x2000bf");
    CHECK_CONTAINS("out", "this is line 88 of kernel.c");
    CHECK_EQ(collector("report tprof.tprof --elf " KERNEL " --function threa"),
             0);
    CHECK_CONTAINS("out", "collector annotate thread tprof.tprof --elf ");

    /* names are no code */
    CHECK_EQ(collector("report tprof.tprof --elf " KERNEL " -o named.tprof"),
             0);
    CHECK_EQ(collector("report named.tprof --function threa"), 0);
    CHECK(strstr(text_of("out"), "collector annotate") == NULL);
}

/* Catches: half a file, or an empty one; a status that a script takes for a
 * failure */
TEST(annotate_leaves_a_file_alone_for_a_function_that_is_not_there)
{
    enter_dir();
    pid_t guest = start_guest("port", play_kernel);
    char before[256];

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    CHECK_EQ(collector("annotate tprof.tprof -o x.json --elf " KERNEL), 0);
    CHECK_STR(text_of("out"), "");
    (void)snprintf(before, sizeof before, "%s", text_of("x.json"));
    CHECK(strstr(before, "\"format\":\"tprof-annotation\"") != NULL);
    CHECK_EQ(collector("annotate threed tprof.tprof -o x.json --elf " KERNEL),
             3);
    CHECK_STR(text_of("err"), "collector annotate: no function here has "
                              "'threed' in its name; near: thread\n");
    CHECK(strncmp(text_of("x.json"), before, strlen(before)) == 0);
    CHECK_EQ(collector("annotate tprof.tprof -o x.csv --elf " KERNEL), 2);
    CHECK_STR(text_of("err"), "collector annotate: -o x.csv: annotate writes "
                              ".txt, .json and .html\n");
}

/* The guest runs SAMPLED, and does so long enough. */
static void play_sampled(int listener)
{
    int fd = meet(listener);

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x200000,
                                                 .build_id = SAMPLED_ID});
    say(fd);
    CHECK(hear(fd));
    for (uint64_t i = 0; i < 1100; i += 50)
        say_samples(fd, 50, i);
    end_session(fd, 1100);
}

TEST(pgo_makes_no_call_but_its_own) /* catches: an image that does so */
{
    enter_dir();
    pid_t guest = start_guest("port", play_sampled);

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    probe("pgo --sandbox=required tprof.tprof -o a.prof --elf " SAMPLED,
          READER);
    CHECK_CONTAINS("a.prof", "receive:1100:1100\n 3: 1100\n");
    CHECK_EQ(collector("pgo tprof.tprof -o a.prof --elf " SAMPLED
                       " --time 0..0.001"),
             1);
    CHECK_CONTAINS("err", "too few");
    CHECK_CONTAINS("a.prof", "receive:1100:1100");
}

TEST(diff_makes_no_call_but_its_own) /* catches: likewise */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    probe("diff --sandbox=required tprof.tprof tprof.tprof -o a.txt", READER);
    CHECK_CONTAINS("a.txt", "50 samples");
}

TEST(record_makes_no_call_but_its_own) /* catches: a guest that does so */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    probe("record --sandbox=required --serial port -d 0.1", READER);
    join_guest(guest);
    CHECK_CONTAINS("err", "tprof.tprof holds 50 samples");
}

TEST(
    live_run_makes_no_call_but_its_own) /* catches: the same while it reports */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    probe("--sandbox=required --serial port -d 0.1", READER);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

/* Catches: a recording that types into the terminal, or starts a shell there */
TEST(top_makes_no_call_but_its_own)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    int master, terminal;
    struct traced t;

    enter_dir();
    prepare();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.1"), 0);
    join_guest(guest);
    CHECK_EQ(openpty(&master, &terminal, NULL, NULL, &size), 0);
    CHECK_EQ(setenv("TERM", "xterm", 1), 0);
    traced_start_at(&t, "top --sandbox=required tprof.tprof", terminal, NULL);
    probe_all(&t, READER | TOP);
    traced_release(&t);
    CHECK_EQ(write(master, "q", 1), 1);
    CHECK_EQ(join_collector(t.pid), 0);
}

TEST(bridge_makes_no_call_but_its_own) /* catches: a guest that reads files */
{
    enter_dir();
    probe("bridge --sandbox=required --vhost-user vhost --uds uds", BRIDGE);
}

/* Catches: numbers that mean another call than the one that is judged */
TEST(calls_of_other_kinds_end_the_process)
{
    const struct traced_call x32 = {0x40000000 | SYS_getpid, {0}};
    struct traced t;

    enter_dir();
    prepare();
    traced_start(&t, "check --sandbox=required --elf " APP, NULL);
    CHECK_EQ(traced_call(&t, &x32), TRACED_DIED);
}
