/* SPDX-License-Identifier: BSD-2-Clause */
/* The files and sockets that the sandbox leaves to a session, by its options;
 * and that the collector is in its sandbox before a guest speaks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "cli/confine/confine.h"
#include "command.h"
#include "guard/opener.h"
#include "traced.h"

#define TO_WRITE (O_WRONLY | O_CREAT | O_TRUNC)

/* Work in a folder with some more in it, a file "file" in each. */
static void enter_dir_with_files(void)
{
    static const char *const names[] = {"elf", "app",  "rec",
                                        "out", "port", "else"};
    char path[32];

    enter_dir();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK_EQ(mkdir(names[i], 0700), 0);
        (void)snprintf(path, sizeof path, "%s/file", names[i]);
        int fd = open(path, TO_WRITE | O_CLOEXEC, 0600);

        CHECK(fd >= 0);
        close(fd);
    }
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
}

/* By the process itself, which never may, and by its helper. */
static bool opens(enum opener_how how, const char *path)
{
    struct err e = {""};

    return open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES &&
           opener_claim(how, path, &e) >= 0;
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

/* Run (try) in a child that is confined. Returns whether it came to an end
 * there, and found all as it should be. */
static bool confined(const struct guest_config *o, const struct outputs *out,
                     bool (*try)(void))
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        struct guest_config required = *o;
        struct err e;

        required.sandbox = SANDBOX_REQUIRED; /* sanitized builds, too */
        _exit(confine_prepare_sampling(&required, out, &e) == 0 &&
                      confine_sampling(&required, &e) == 0 && try()
                  ? 0
                  : 1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status == 0;
}

static bool as_a_session(void)
{
    return opens(OPENER_READ, "elf/file") && opens(OPENER_READ, "app/file") &&
           !opens(OPENER_WRITE, "elf/file") &&
           !opens(OPENER_READ, "elf/other") &&
           opens(OPENER_RECORDING, "rec/file") &&
           opens(OPENER_RECORDING, "rec/file.web") &&
           opens(OPENER_RECORDING, "rec/file.web.2") &&
           !opens(OPENER_RECORDING, "rec/file.web.x") &&
           !opens(OPENER_READ, "rec/file") &&
           opens(OPENER_REPORT, "out/file") &&
           !opens(OPENER_READ, "out/file") && !opens(OPENER_REPORT, "out/x") &&
           !opens(OPENER_READ, "else/file") &&
           !opens(OPENER_CONNECT, "else/file") &&
           !opens(OPENER_TERMINAL, "/dev/ptmx");
}

/* Catches: a report that cannot be written after an hour of samples; a folder
 * that is open as a whole */
TEST(sandbox_leaves_a_session_its_images_and_outputs)
{
    struct elf_path app = {"app/file", NULL}, kernel = {"elf/file", &app};
    struct guest_spec guest = {
        .kind = "vsock", .where = "3", .elfs = &kernel, .name = "web"};
    struct guest_config o = {.guests = {.list = &guest, .count = 1}};
    struct outputs out = {.recording = "rec/file",
                          .list = {{.path = "-"}, {.path = "out/file"}},
                          .count = 2};

    enter_dir_with_files();
    write_text("elf/other", "");
    CHECK(confined(&o, &out, as_a_session));
}

static char pty[64];

static bool as_a_terminal(void)
{
    struct termios t;
    int fd = opener_open(OPENER_TERMINAL, "port/link");

    if (fd < 0 || tcgetattr(fd, &t) != 0)
        return false;
    cfmakeraw(&t);
    return tcsetattr(fd, TCSANOW, &t) == 0 &&
           !opens(OPENER_TERMINAL, "port/file") && !opens(OPENER_TERMINAL, pty);
}

/* Catches: a pty that cannot be opened when its guest comes */
TEST(sandbox_leaves_a_serial_guest_its_terminal)
{
    struct guest_spec guest = {.kind = "serial", .where = "port/link"};
    struct guest_config o = {.guests = {.list = &guest, .count = 1}};
    struct outputs out = {0};
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    CHECK(ptsname_r(master, pty, sizeof pty) == 0);
    enter_dir_with_files();
    CHECK_EQ(symlink(pty, "port/link"), 0);
    CHECK(confined(&o, &out, as_a_terminal));
}

static bool as_a_report(void)
{
    return opens(OPENER_READ, "rec/file") && opens(OPENER_READ, KERNEL) &&
           !opens(OPENER_READ, "else/file") &&
           !opens(OPENER_WRITE, "else/file") &&
           opens(OPENER_REPORT, "out/file") && !opens(OPENER_REPORT, "out/new");
}

/* Catches: names lost, or files read that are no images */
TEST(sandbox_lets_a_report_read_images_that_the_recording_names)
{
    struct guest_config o = {.input = "rec/file"};
    struct outputs out = {.list = {{.path = "out/file"}}, .count = 1};

    enter_dir_with_files();
    CHECK(confined(&o, &out, as_a_report));
}

/* Catches: a ruleset that the helper has closed before it is in force */
TEST(helper_of_push_is_confined)
{
    struct guest_config o = {.sandbox = SANDBOX_REQUIRED};
    struct err e = {""};

    prepare();
    CHECK_EQ(confine_prepare_push(&o, &e), 0);
    CHECK_STR(e.text, "");
    CHECK(opener_is_shared());
}

static bool by_unix(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
}

static bool by_vsock(void)
{
    return socket(AF_VSOCK, 0x10, 0) < 0; /* no such type, so none is made */
}

/* The helper tries: nobody listens. */
static bool by_helper(void)
{
    return opener_open(OPENER_CONNECT, "vm.sock") < 0 && errno == ENOENT;
}

/* Catches: sockets of the host's services within reach */
TEST(sandbox_allows_sockets_of_the_guests_kinds_only)
{
    struct guest_spec guests[] = {{.kind = "vsock", .where = "3"},
                                  {.kind = "vsock-uds", .where = "vm.sock:5"},
                                  {.kind = "serial", .where = "vm.sock"}};
    struct guest_config o = {.guests = {.list = guests, .count = 1}};
    struct outputs out = {0};

    prepare();
    CHECK(confined(&o, &out, by_vsock) && !confined(&o, &out, by_helper));
    o.guests.list = guests + 1;
    CHECK(confined(&o, &out, by_helper) && !confined(&o, &out, by_vsock));
    o.guests.list = guests + 2;
    CHECK(confined(&o, &out, by_helper) && !confined(&o, &out, by_vsock));
    CHECK(!confined(&o, &out, by_unix));
    o.guests = (struct guests){.list = guests, .count = 3};
    CHECK(confined(&o, &out, by_helper) && confined(&o, &out, by_vsock));
    o.guests.count = 0; /* a report connects to nobody */
    o.input = "file";
    CHECK(!confined(&o, &out, by_helper) && !confined(&o, &out, by_vsock));
}

/* When bytes that may be a stranger's are read */

static const char *untrusted[2];
static bool no_core;

/* Before the filter: nothing may be read from a socket, or from a file whose
 * path ends like one of (untrusted). */
static void look_at_call(const struct traced *t, const struct traced_call *c)
{
    char link[64], path[512] = "";
    long fd = c->number == SYS_mmap ? (long)(int)c->args[4] : (long)c->args[0];

    no_core |= c->number == SYS_prctl && c->args[0] == PR_SET_DUMPABLE &&
               c->args[1] == 0;
    if (c->number != SYS_read && c->number != SYS_pread64 &&
        c->number != SYS_readv && c->number != SYS_recvfrom &&
        c->number != SYS_recvmsg && c->number != SYS_mmap)
        return;
    (void)snprintf(link, sizeof link, "/proc/%d/fd/%ld", (int)t->pid, fd);
    if (readlink(link, path, sizeof path - 1) < 0)
        return;
    for (size_t i = 0; i < 2; i++)
        if (untrusted[i] != NULL && strstr(path, untrusted[i]) != NULL)
            check_failed(__FILE__, __LINE__, "call %ld reads %s, unconfined",
                         c->number, path);
}

/* The command of (line) reads nothing before it is confined, and then does its
 * work. */
static void reads_nothing_unconfined(const char *line)
{
    struct traced t;
    char required[256];

    prepare();
    no_core = false;
    (void)snprintf(required, sizeof required, "%s --sandbox=required", line);
    traced_start(&t, required, look_at_call);
    CHECK(no_core);
    traced_release(&t);
    /* check finds no bounds of the text in that kernel */
    CHECK_EQ(join_collector(t.pid), strncmp(line, "check ", 6) == 0);
}

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* Catches: an image that is parsed with all the rights of the user */
TEST(images_and_recordings_are_read_in_the_sandbox)
{
    enter_dir();
    copy_image("kernel.elf", KERNEL, KERNEL_ID, NULL);
    pid_t guest = start_guest("port", play_50);

    untrusted[0] = "/kernel.elf";
    untrusted[1] = "socket:";
    reads_nothing_unconfined("record --serial port --elf kernel.elf -d 0.1");
    join_guest(guest);
    CHECK_EQ(unlink("port"), 0);
    guest = start_guest("port", play_50);
    reads_nothing_unconfined("--serial port --elf kernel.elf -d 0.1");
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples");
    reads_nothing_unconfined("check --elf kernel.elf");
    CHECK_CONTAINS("out", "kernel.elf");
    untrusted[1] = "/tprof.tprof";
    reads_nothing_unconfined("report tprof.tprof --elf kernel.elf");
    reads_nothing_unconfined("report tprof.tprof -o a.txt");
    CHECK_CONTAINS("a.txt", "50 samples");
    CHECK(!contains("a.txt", "have no names")); /* the image was found */
}

/* Catches: the same by the process that stays and meets all guests */
TEST(serve_reads_its_images_in_the_sandbox)
{
    struct traced t;

    prepare();
    enter_dir();
    CHECK_EQ(mkdir("guests", 0700), 0);
    copy_image("kernel.elf", KERNEL, KERNEL_ID, NULL);
    untrusted[0] = "/kernel.elf";
    untrusted[1] = NULL; /* the helper may speak before */
    traced_start(&t, "serve --sandbox=required --watch guests --elf kernel.elf",
                 look_at_call);
    traced_release(&t);
    CHECK_EQ(kill(t.pid, SIGTERM), 0);
    CHECK_EQ(join_collector(t.pid), 0);
}

static int early = -1; /* a client that came as soon as the bridge listened */

static void look_at_bridge(const struct traced *t, const struct traced_call *c)
{
    const struct sockaddr_un uds = {AF_UNIX, "uds"};

    look_at_call(t, c);
    CHECK(c->number != SYS_accept4 && c->number != SYS_accept);
    if (early >= 0)
        return;
    early = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(early >= 0);
    if (connect(early, (const struct sockaddr *)&uds, sizeof uds) == 0) {
        CHECK_EQ(send(early, "CONNECT 7\n", 10, MSG_NOSIGNAL), 10);
        return;
    }
    close(early);
    early = -1;
}

/* Catches: clients and QEMU that are heard with all the rights of the user */
TEST(bridge_hears_nobody_before_its_sandbox)
{
    struct traced t;
    char byte;

    prepare();
    enter_dir();
    untrusted[0] = "socket:";
    no_core = false;
    traced_start(&t, "bridge --sandbox=required --vhost-user vhost --uds uds",
                 look_at_bridge);
    CHECK(no_core && early >= 0);
    traced_release(&t);
    CHECK_EQ(recv(early, &byte, 1, 0), 0); /* heard: there is no guest */
    CHECK_EQ(kill(t.pid, SIGTERM), 0);
    CHECK_EQ(join_collector(t.pid), 0);
}

/* Text that the child says until it holds (end), or 10 s are over. */
static void hear_text(int fd, char *text, size_t size, const char *end)
{
    size_t at = 0;

    while (strstr(text, end) == NULL) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        CHECK_EQ(poll(&p, 1, 10000), 1);
        ssize_t n = read(fd, text + at, size - 1 - at);

        CHECK(n > 0);
        at += (size_t)n;
        text[at] = '\0';
    }
}

/* Catches: a call that was left out */
TEST(collector_waits_for_a_guest_in_its_sandbox)
{
    char said[1024] = "";
    int pipes[2];

    prepare();
    CHECK_EQ(pipe(pipes), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        (void)execl(COLLECTOR, "collector", "record", "--vsock-uds",
                    "/nowhere/vm.sock", "--sandbox=required", "-o", "/dev/null",
                    "--format", "tprof", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    hear_text(pipes[0], said, sizeof said, "there is no /nowhere/vm.sock yet");
    const char *status = status_of(child);
    CHECK(strstr(status, "NoNewPrivs:\t1\n") != NULL);
    CHECK(strstr(status, "Seccomp:\t2\n") != NULL);
    CHECK(strstr(status, "CapBnd:\t0000000000000000\n") != NULL ||
          getuid() != 0);
    CHECK_EQ(kill(child, SIGINT), 0);
    CHECK_EQ(join_collector(child), 1); /* no guest came */
}

/* From here on this process and its children have no Landlock. */
static void take_landlock_away(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = code};

    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

/* Catches: a sandbox that is not there, and nobody hears of it */
TEST(what_the_kernel_lacks_is_told_or_ends_it)
{
    static const char lack[] = "no Landlock (Function not implemented)";

    prepare();
    enter_dir();
    CHECK_EQ(collector("check --sandbox=required --elf " APP), 0);
    CHECK_STR(text_of("err"), "");
    CHECK_EQ(collector("--sandbox-report"), 0);
    CHECK_CONTAINS("out", "Seccomp:\t2\n");
    CHECK_CONTAINS("out", "Every part of the sandbox is active.");
    take_landlock_away();
    CHECK_EQ(collector("check --sandbox=required --elf " APP), 1);
    CHECK_CONTAINS("err", lack);
    CHECK_STR(text_of("out"), "");
    CHECK_EQ(collector("report --sandbox=required nowhere"), 1);
    CHECK_CONTAINS("err", lack);
    CHECK_EQ(collector("bridge --sandbox=required --vhost-user a --uds b"), 1);
    CHECK_CONTAINS("err", lack);
    if (HAS_PUSH) { /* and the recording is not what is at fault */
        write_text("a.tprof", "");
        CHECK_EQ(collector("push --sandbox=required --to b a.tprof"), 1);
        CHECK_CONTAINS("err", lack);
        CHECK_CONTAINS("err", "--sandbox=required ends here");
        CHECK(!contains("err", "set aside"));
    }
    if (!SANITIZED) {
        CHECK_EQ(collector("check --sandbox=auto --elf " APP), 0);
        CHECK_CONTAINS("err", lack);
        CHECK_CONTAINS("out", "app.elf");
    }
    CHECK_EQ(collector("check --sandbox=off --elf " APP), 0);
    CHECK_STR(text_of("err"), "");
    CHECK_EQ(collector("check --sandbox=maybe --elf " APP), 2);
    CHECK_CONTAINS("err", "none of auto, required, off");
    CHECK_EQ(collector("--sandbox-report"), 1);
    CHECK_CONTAINS("out", lack);
}
