/* SPDX-License-Identifier: BSD-2-Clause */
/* The files and sockets that the sandbox leaves to a session, by its options;
 * and that the collector is in its sandbox before a guest speaks. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/confine.h"
#include "command.h"

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
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1)
        SKIP("the kernel has no Landlock");
}

static bool opens(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC | O_NOCTTY, 0600) >= 0;
}

/* Run (try) in a child that has entered the sandbox. Returns whether it came to
 * an end there, and found all as it should be. */
static bool confined(const struct options *o, const struct outputs *out,
                     bool (*try)(void))
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        struct err e;

        (void)setenv("TPROF_SANDBOX", "on", 1); /* sanitized builds, too */
        _exit(confine_sampling(o, out, &e) == 0 && try() ? 0 : 1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status == 0;
}

static bool as_a_session(void)
{
    return opens("elf/file", O_RDONLY) && !opens("elf/file", TO_WRITE) &&
           opens("app/file", O_RDONLY) && !opens("app/file", TO_WRITE) &&
           opens("rec/file.2", TO_WRITE) && !opens("rec/file", O_RDONLY) &&
           opens("out/file", TO_WRITE) && !opens("out/file", O_RDONLY) &&
           !opens("else/file", O_RDONLY) && !opens("else/new", TO_WRITE) &&
           !opens("/dev/ptmx", O_RDWR);
}

/* Catches: a report that cannot be written after an hour of samples */
TEST(sandbox_leaves_a_session_its_images_and_outputs)
{
    struct elf_path app = {"app/file", NULL}, kernel = {"elf/file", &app};
    struct guest_spec guest = {.kind = "vsock", .where = "3", .elfs = &kernel};
    struct options o = {.guests = {.list = &guest, .count = 1}};
    struct outputs out = {.recording = "rec/file",
                          .list = {{.path = "-"}, {.path = "out/file"}},
                          .count = 2};

    enter_dir_with_files();
    CHECK(confined(&o, &out, as_a_session));
}

static char pty[64];

static bool as_a_terminal(void)
{
    struct termios t;
    int fd = open(pty, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0 || tcgetattr(fd, &t) != 0)
        return false;
    cfmakeraw(&t);
    return tcsetattr(fd, TCSANOW, &t) == 0 && opens("port/file", O_RDWR) &&
           !opens("else/file", O_RDONLY);
}

/* Catches: a pty that cannot be opened when its guest comes */
TEST(sandbox_leaves_a_serial_guest_its_terminal)
{
    struct guest_spec guest = {.kind = "serial", .where = "port/link"};
    struct options o = {.guests = {.list = &guest, .count = 1}};
    struct outputs out = {0};
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    CHECK(ptsname_r(master, pty, sizeof pty) == 0);
    enter_dir_with_files();
    CHECK(confined(&o, &out, as_a_terminal));
}

static bool as_a_report(void)
{
    return opens("else/file", O_RDONLY) && !opens("else/file", TO_WRITE) &&
           opens("out/new", TO_WRITE);
}

/* Catches: names lost, or files written that nobody named */
TEST(sandbox_lets_a_report_read_what_the_recording_names)
{
    struct options o = {.input = "rec/file"};
    struct outputs out = {.list = {{.path = "out/file"}}, .count = 1};

    enter_dir_with_files();
    CHECK(confined(&o, &out, as_a_report));
}

static bool by_unix(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
}

static bool by_vsock(void)
{
    return socket(AF_VSOCK, 0x10, 0) < 0; /* no such type, so none is made */
}

/* Catches: sockets of the host's services within reach */
TEST(sandbox_allows_sockets_of_the_guests_kinds_only)
{
    struct guest_spec guests[] = {{.kind = "vsock", .where = "3"},
                                  {.kind = "vsock-uds", .where = "vm.sock"},
                                  {.kind = "serial", .where = "port"}};
    struct options o = {.guests = {.list = guests, .count = 1}};
    struct outputs out = {0};

    CHECK(confined(&o, &out, by_vsock) && !confined(&o, &out, by_unix));
    o.guests.list = guests + 1;
    CHECK(confined(&o, &out, by_unix) && !confined(&o, &out, by_vsock));
    o.guests.list = guests + 2;
    CHECK(confined(&o, &out, by_unix) && !confined(&o, &out, by_vsock));
    o.guests = (struct guests){.list = guests, .count = 3};
    CHECK(confined(&o, &out, by_unix) && confined(&o, &out, by_vsock));
    o.guests.count = 0; /* a report connects to nobody */
    CHECK(!confined(&o, &out, by_unix) && !confined(&o, &out, by_vsock));
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

    CHECK_EQ(pipe(pipes), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        (void)execl(COLLECTOR, "collector", "record", "--vsock-uds",
                    "/nowhere/vm.sock", "-o", "/dev/null", "--format", "tprof",
                    (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    hear_text(pipes[0], said, sizeof said, "there is no /nowhere/vm.sock yet");
    const char *status = status_of(child);
    CHECK(strstr(status, "NoNewPrivs:\t1\n") != NULL);
    if (!SANITIZED) /* there it stays out of it: sandbox.h */
        CHECK(strstr(status, "Seccomp:\t2\n") != NULL);
    CHECK(strstr(status, "CapBnd:\t0000000000000000\n") != NULL ||
          getuid() != 0);
    CHECK_EQ(kill(child, SIGINT), 0);
    CHECK_EQ(join_collector(child), 1); /* no guest came */
}
