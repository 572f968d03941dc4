/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper opens what it may and nothing else; truth is what stat() and the
 * bytes say. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "guard/opener.h"

static char folder[] = "/tmp/tprof-opener-XXXXXX";

static void remove_folder(void)
{
    char command[64];

    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(command) != 0)
        perror(folder);
}

static void enter_folder(void)
{
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK_EQ(atexit(remove_folder), 0);
}

static void put(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");

    CHECK(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void start_helper(void)
{
    struct err e;
    int who = opener_fork(&e);

    CHECK(who >= 0);
    if (who == 1)
        opener_serve(&(struct err){""});
}

static void refused(enum opener_how how, const char *path, int error)
{
    int fd = opener_open(how, path);

    if (fd >= 0 || errno != error)
        check_failed(__FILE__, __LINE__, "%s: %d, %s", path, fd,
                     strerror(errno));
}

/* What is read from (path) by the opener. */
static const char *text_of(const char *path)
{
    static char text[64];
    int fd = opener_open(OPENER_READ, path);

    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    CHECK(n >= 0);
    CHECK_EQ(close(fd), 0);
    text[n] = '\0';
    return text;
}

/* Catches: a whole folder behind the name of one file */
TEST(helper_opens_what_was_named_and_nothing_beside)
{
    enter_folder();
    put("kernel", "first", 5);
    put("secret", "secret", 6);
    CHECK_EQ(opener_allow(OPENER_READ, "kernel"), 0);
    CHECK_EQ(opener_allow(OPENER_WRITE, "out"), 0);
    start_helper();
    CHECK_STR(text_of("kernel"), "first");
    refused(OPENER_WRITE, "kernel", EACCES);
    refused(OPENER_READ, "secret", EACCES);
    refused(OPENER_READ, "./kernel", EACCES);
    refused(OPENER_READ, "out", EACCES);
    refused(OPENER_REMOVE, "kernel", EACCES);
    refused(OPENER_CONNECT, "kernel", EACCES);
    refused(OPENER_READ, "", ENOENT);
    refused((enum opener_how)99, "kernel", EACCES);

    int fd = opener_open(OPENER_WRITE, "out");

    CHECK(fd >= 0 && write(fd, "written", 7) == 7 && close(fd) == 0);
    struct stat st;
    CHECK(stat("out", &st) == 0 && st.st_size == 7);
}

/* Catches: a kernel that was rebuilt and cannot be opened any more */
TEST(helper_opens_the_file_that_has_the_name_now)
{
    enter_folder();
    put("kernel", "first", 5);
    CHECK_EQ(opener_allow(OPENER_READ, "kernel"), 0);
    start_helper();
    CHECK_STR(text_of("kernel"), "first");
    put("new", "second", 6);
    CHECK_EQ(rename("new", "kernel"), 0);
    CHECK_STR(text_of("kernel"), "second");
    CHECK_EQ(unlink("kernel"), 0);
    refused(OPENER_READ, "kernel", ENOENT);
}

/* Catches: an image whose line table names a private file */
TEST(helper_opens_source_files_where_that_is_allowed)
{
    enter_folder();
    put("main.c", "int x;", 6);
    put("id_rsa", "secret", 6);
    put("a.c.txt", "secret", 6);
    CHECK(mkdir("folder.c", 0700) == 0 && mkfifo("pipe.c", 0600) == 0);
    opener_allow_sources();
    start_helper();
    int fd = opener_open(OPENER_SOURCE, "main.c");

    CHECK(fd >= 0 && close(fd) == 0);
    refused(OPENER_SOURCE, "id_rsa", EACCES);
    refused(OPENER_SOURCE, "a.c.txt", EACCES);
    refused(OPENER_SOURCE, "folder.c", EACCES);
    refused(OPENER_SOURCE, "pipe.c", EACCES); /* and does not wait for it */
    refused(OPENER_SOURCE, "none.c", ENOENT);
    refused(OPENER_READ, "main.c", EACCES);
    refused(OPENER_WRITE, "main.c", EACCES);
}

TEST(helper_opens_no_source_file_unless_allowed)
{
    enter_folder();
    put("main.c", "int x;", 6);
    start_helper();
    refused(OPENER_SOURCE, "main.c", EACCES);
}

/* Catches: a second boot's recording that becomes any file */
TEST(numbers_in_names_are_numbers)
{
    enter_folder();
    CHECK_EQ(opener_allow_numbered(OPENER_WRITE, "a.web.", ".tprof"), 0);
    start_helper();
    CHECK(opener_open(OPENER_WRITE, "a.web.2.tprof") >= 0);
    CHECK(opener_open(OPENER_WRITE, "a.web.16.tprof") >= 0);
    refused(OPENER_WRITE, "a.web..tprof", EACCES);
    refused(OPENER_WRITE, "a.web.2", EACCES);
    refused(OPENER_WRITE, "a.web.2x.tprof", EACCES);
    refused(OPENER_WRITE, "a.web.2.tprof.old", EACCES);
    refused(OPENER_WRITE, "a.web./../2.tprof", EACCES);
    refused(OPENER_WRITE, "a.web.12345678901.tprof", EACCES);
}

/* Catches: a stranger's recording that names what is secret, or a device */
TEST(of_all_files_images_alone_are_read)
{
    static const char elf[64] = "\177ELF and more";
    char pe[70] = "MZ";

    enter_folder();
    put("elf", elf, sizeof elf);
    put("short", elf, 5);
    put("notes",
        "MZ is how PE files begin, and this text is long enough for a "
        "header of that kind, too",
        80);
    pe[60] = 64;
    memcpy(pe + 64, "PE\0", 4);
    put("pe", pe, sizeof pe);
    CHECK_EQ(mkfifo("fifo", 0600), 0);
    CHECK_EQ(opener_allow_images(), 0);
    start_helper();
    CHECK(opener_open(OPENER_READ, "elf") >= 0);
    CHECK(opener_open(OPENER_READ, "pe") >= 0);
    refused(OPENER_READ, "short", ENOEXEC);
    refused(OPENER_READ, "notes", ENOEXEC);
    refused(OPENER_READ, "fifo", ENOEXEC);
    refused(OPENER_READ, "/dev/null", ENOEXEC);
    refused(OPENER_READ, "/etc/passwd", ENOEXEC);
    refused(OPENER_READ, "nowhere", ENOENT);
    refused(OPENER_WRITE, "elf", EACCES);
}

/* Catches: a recording beside an image that cannot be read */
TEST(beside_an_image_other_images_are_read_and_what_was_named)
{
    static const char elf[64] = "\177ELF and more";
    char named[64], debug[64], secret[64], up[160], beside[64];

    enter_folder();
    (void)snprintf(beside, sizeof beside, "%s/", folder);
    (void)snprintf(named, sizeof named, "%s/recording", folder);
    (void)snprintf(debug, sizeof debug, "%s/kernel.debug", folder);
    (void)snprintf(secret, sizeof secret, "%s/secret", folder);
    (void)snprintf(up, sizeof up, "%s/../%s", folder, debug + 5);
    put(named, "named", 5);
    put(debug, elf, sizeof elf);
    put(secret, "secret", 6);
    CHECK_EQ(opener_allow_images_below(beside), 0);
    CHECK_EQ(opener_allow(OPENER_READ, named), 0);
    start_helper();
    CHECK_STR(text_of(named), "named");
    CHECK(opener_open(OPENER_READ, debug) >= 0);
    refused(OPENER_READ, secret, ENOEXEC);
    refused(OPENER_READ, up, EACCES);
    refused(OPENER_READ, "kernel.debug", EACCES);
    refused(OPENER_WRITE, debug, EACCES);
}

TEST(helper_connects_and_removes) /* catches: a guest that cannot come back */
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"};
    char byte = 0;

    enter_folder();
    CHECK_EQ(opener_allow(OPENER_CONNECT, "sock"), 0);
    CHECK_EQ(opener_allow(OPENER_REMOVE, "sock"), 0);
    start_helper();
    refused(OPENER_CONNECT, "sock", ENOENT);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK_EQ(bind(listener, (struct sockaddr *)&a, sizeof a), 0);
    refused(OPENER_CONNECT, "sock", ECONNREFUSED);
    CHECK_EQ(listen(listener, 1), 0);
    int fd = opener_open(OPENER_CONNECT, "sock");

    CHECK(fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    int other = accept(listener, NULL, NULL);
    CHECK(send(fd, "x", 1, 0) == 1 && recv(other, &byte, 1, 0) == 1);
    CHECK_EQ(opener_open(OPENER_REMOVE, "sock"), 0);
    refused(OPENER_CONNECT, "sock", ENOENT);
}

/* (work) is done by a process that has a helper, and that ends by (signal):
 * then the helper ends, too. */
static void both_end(void (*work)(void), int signal)
{
    char byte;
    int alive[2], status;

    CHECK_EQ(pipe(alive), 0);
    pid_t process = fork();

    CHECK(process >= 0);
    if (process == 0) {
        (void)setpgid(0, 0); /* signals are for both */
        start_helper();
        close(alive[1]); /* the helper alone keeps it */
        work();
        _exit(0);
    }
    close(alive[1]);
    alarm(10);
    CHECK_EQ(read(alive[0], &byte, 1), 0); /* the helper has ended */
    CHECK_EQ(waitpid(process, &status, 0), process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

static void outlive_the_terminal(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)kill(0, SIGINT);
    (void)kill(0, SIGTERM);
    CHECK_STR(text_of("kernel"), "first");
    (void)kill(getpid(), SIGKILL);
}

/* Catches: a helper that Ctrl-C ends, or that outlives what it serves */
TEST(helper_lives_as_long_as_the_process)
{
    enter_folder();
    put("kernel", "first", 5);
    CHECK_EQ(opener_allow(OPENER_READ, "kernel"), 0);
    both_end(outlive_the_terminal, SIGKILL);
}

static void wait_in_vain(void)
{
    (void)ualarm(100000, 0);
    (void)opener_open(OPENER_WRITE, "pipe");
}

/* Catches: a helper that stays in open() when nobody waits for it */
TEST(helper_waits_for_a_reader_as_long_as_the_process)
{
    enter_folder();
    CHECK_EQ(mkfifo("pipe", 0600), 0);
    CHECK_EQ(opener_allow(OPENER_WRITE, "pipe"), 0);
    both_end(wait_in_vain, SIGALRM);
}

/* Catches: a report that does not wait, or is cut where its reader is slow */
TEST(helper_opens_a_pipe_when_it_has_a_reader)
{
    char byte = 0;

    enter_folder();
    CHECK_EQ(mkfifo("pipe", 0600), 0);
    CHECK_EQ(opener_allow(OPENER_WRITE, "pipe"), 0);
    start_helper();
    pid_t reader = fork();

    CHECK(reader >= 0);
    if (reader == 0) {
        (void)usleep(150000);
        int end = open("pipe", O_RDONLY | O_CLOEXEC);

        _exit(read(end, &byte, 1) == 1 ? byte : 0);
    }
    int fd = opener_open(OPENER_WRITE, "pipe"), status;

    CHECK(fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
    CHECK_EQ(write(fd, "x", 1), 1);
    CHECK_EQ(waitpid(reader, &status, 0), reader);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 'x');
}

static void start_shared_helper(void)
{
    struct err e;
    int who = opener_fork_shared(&e);

    CHECK(who >= 0);
    if (who == 1)
        opener_serve(&(struct err){""});
    CHECK(!opener_started());
}

/* A process of its own joins the helper, does (work), and is killed. */
static void join_and(void (*work)(void))
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        struct err e;

        CHECK_EQ(opener_join(&e), 0);
        CHECK(opener_started() && !opener_is_shared());
        work();
        (void)raise(SIGKILL);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* From here on this process and its children have an old kernel. */
static void take_close_range_away(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = code};

    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

/* Catches: a folder that stays locked by a helper which outlives push */
TEST(shared_helper_has_nothing_open_on_any_kernel)
{
    int before[2], behind[2];
    char byte;

    CHECK_EQ(pipe2(before, O_CLOEXEC), 0);
    CHECK_EQ(pipe2(behind, O_CLOEXEC), 0);
    CHECK(fcntl(behind[1], F_DUPFD_CLOEXEC, 500) >= 0);
    take_close_range_away();
    start_shared_helper();
    (void)close(before[1]);
    (void)close(behind[1]);
    (void)close(500);
    (void)alarm(20);
    CHECK_EQ(read(before[0], &byte, 1), 0); /* nobody else has the other end */
    CHECK_EQ(read(behind[0], &byte, 1), 0);
}

/* Start one more. Returns its process. */
static pid_t start_another(void)
{
    pid_t children[2] = {0};
    char path[64];

    start_shared_helper();
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *f = fopen(path, "r");

    if (f == NULL)
        SKIP("the kernel tells no children");
    CHECK_EQ(fscanf(f, "%d %d", &children[0], &children[1]), 1); /* no more */
    (void)fclose(f);
    return children[0];
}

static void wait_until_gone(void)
{
    for (int i = 0; i < 1000 && opener_is_shared(); i++)
        (void)usleep(10000);
    CHECK(!opener_is_shared());
}

/* Catches: a zombie for each helper that was killed; a wait for ever for one
 * that is taken over, and only seems to be gone */
TEST(a_helper_that_is_gone_leaves_nothing)
{
    struct err e;

    CHECK_EQ(kill(start_another(), SIGKILL), 0);
    wait_until_gone();
    (void)alarm(20);
    CHECK_EQ(kill(start_another(), SIGKILL), 0);
    wait_until_gone();
    int who = opener_fork_shared(&e);

    if (who == 1) {
        for (int fd = 3; fd < 64; fd++)
            (void)close(fd);
        (void)pause();
    }
    CHECK_EQ(opener_confined(&e), -1);
    wait_until_gone();
    (void)start_another();
}

static void read_kernel(void)
{
    CHECK_STR(text_of("kernel"), "first");
    refused(OPENER_READ, "window", EACCES);
}

/* What it is lent, no other one gets. */
static void read_window(void)
{
    opener_preopen("window", open("window", O_RDONLY | O_CLOEXEC));
    CHECK_STR(text_of("window"), "second");
    read_kernel();
}

static const char lack[] = "no Landlock";

/* Catches: a helper that is less confined than the process, and nobody hears of
 * it; what it says of that, taken for an answer */
TEST(what_the_helper_lacks_is_told)
{
    struct err e;

    enter_folder();
    put("kernel", "first", 5);
    CHECK_EQ(opener_allow(OPENER_READ, "kernel"), 0);
    int who = opener_fork(&e);

    CHECK(who >= 0);
    if (who == 1) {
        (void)err_set(&e, lack);
        opener_serve(&e);
    }
    CHECK_STR(text_of("kernel"), "first");
    CHECK_EQ(opener_confined(&e), -1);
    CHECK_STR(e.text, lack);
}

/* Catches: a helper that ends with the first process, or has a process reach
 * what another one was lent */
TEST(shared_helper_serves_one_process_after_the_other)
{
    struct err e;

    enter_folder();
    put("kernel", "first", 5);
    put("window", "second", 6);
    CHECK_EQ(opener_allow(OPENER_READ, "kernel"), 0);
    start_shared_helper();
    CHECK_EQ(opener_confined(&e), 0);
    join_and(read_window);
    join_and(read_kernel);
    join_and(read_window);
    CHECK(!opener_started());
}

/* Catches: a failure that is taken for a missing file, or for ever waited for
 */
TEST(a_dead_helper_is_an_error)
{
    struct err e;
    int who = opener_fork(&e);

    CHECK(who >= 0);
    if (who == 1)
        _exit(0);
    CHECK_EQ(opener_confined(&e), -1);
    refused(OPENER_READ, "/dev/null", EPIPE);
    refused(OPENER_READ, "/dev/null", EPIPE);
}

TEST(without_a_helper_names_are_opened_at_once)
{
    enter_folder();
    put("kernel", "first", 5);
    CHECK(!opener_started());
    CHECK_STR(text_of("kernel"), "first");
}
