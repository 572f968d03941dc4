/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every process of every command: what /proc says of it when it is about to
 * read its first foreign byte; and what somebody can do with files who has
 * taken it over by then.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "command.h"
#include "foreign.h"
#include "spooled.h"
#include "traced_tree.h"

/* What a process is, and what it may do. */
enum {
    HEARS = 1u << 0,      /* guests, files or receivers: confined by then */
    MAY_HEAR = 1u << 1,   /* it may, or may end before */
    UNCONFINED = 1u << 2, /* it never hears any; (why) says what it does */
    OPENS = 1u << 3,      /* as root it opens what belongs to others */
    READS_ALL = 1u << 4,  /* Landlock lets it read any file: (why) */
    IN_FOLDER = 1u << 5,  /* ... do all in the working folder: (why) */
};

struct expected {
    const char *path; /* as in struct tree_process, or with a * for any number;
                         NULL: no more */
    const char *what;
    unsigned flags;
    const char *why; /* of UNCONFINED, READS_ALL and IN_FOLDER */
};

struct command_line {
    const char *name; /* of the command */
    const char *words;
    struct expected processes[12];
    void (*guest)(int listener); /* at home/ports/port; NULL: none */
    void (*begin)(void);         /* what else there is; NULL: nothing */
    bool stays;                  /* until it is told to end */
    bool terminal;
};

static const struct command_line *now;
static unsigned heard; /* a bit for each of (now->processes) */
static unsigned seen;

/* Is (path) the one that (pattern) has? A * there is a number. */
static bool fits(const char *pattern, const char *path)
{
    for (; *pattern != '\0'; pattern++) {
        size_t digits = strspn(path, "0123456789");

        if (*pattern != '*' && *pattern != *path)
            return false;
        if (*pattern == '*' && digits == 0)
            return false;
        path += *pattern == '*' ? digits : 1;
    }
    return *path == '\0';
}

static const struct expected *find(const struct tree_process *p, unsigned *bit)
{
    *bit = 1;
    for (const struct expected *e = now->processes; e->path != NULL; e++) {
        if (fits(e->path, p->path))
            return e;
        *bit <<= 1;
    }
    check_failed(__FILE__, __LINE__,
                 "%s: process %s is in no line of the table", now->words,
                 p->path);
    return NULL;
}

static void check_status(const struct tree_process *p, const struct expected *e)
{
    const unsigned long long may = (e->flags & OPENS) != 0 ? 6 : 4;
    const char *status = status_of(p->at.pid);
    const char *line = strstr(status, "CapEff:");
    unsigned long long effective = ~0ull;

    CHECK(line != NULL && sscanf(line, "CapEff: %llx", &effective) == 1);
    if (strstr(status, "NoNewPrivs:\t1\n") == NULL ||
        strstr(status, "Seccomp:\t2\n") == NULL || (effective & ~may) != 0)
        check_failed(__FILE__, __LINE__,
                     "%s: %s hears foreign bytes with CapEff %llx:\n%s",
                     now->words, e->what, effective, status);
}

static void look_at_call(struct tree_process *p, const struct traced_call *c)
{
    int fd = (int)(c->number == SYS_mmap ? c->args[4] : c->args[0]);
    unsigned bit;
    const struct expected *e = p->thread ? NULL : find(p, &bit);

    if (e == NULL)
        return;
    seen |= bit;
    if ((heard & bit) != 0 ||
        (c->number != SYS_read && c->number != SYS_pread64 &&
         c->number != SYS_readv && c->number != SYS_recvfrom &&
         c->number != SYS_recvmsg && c->number != SYS_mmap) ||
        fd < 0 || !foreign_fd(p->at.pid, fd))
        return;
    heard |= bit;
    check_status(p, e);
    if ((e->flags & (HEARS | MAY_HEAR)) == 0)
        check_failed(__FILE__, __LINE__, "%s: %s hears foreign bytes",
                     now->words, e->what);
}

/* Files */

static const struct attempt {
    const char *path;
    int flags; /* of open(); -1: it is removed */
} attempts[] = {
    {"home/secret", O_RDONLY},
    {"home/sibling/file", O_RDONLY},
    {"home/spool/../secret", O_RDONLY},
    {"home/spool/out", O_RDONLY}, /* leads to the secret */
    {"home/img/out", O_RDONLY},
    {"home/sibling/", O_RDONLY | O_DIRECTORY},
    {"home/", O_RDONLY | O_DIRECTORY},
    {"/etc/passwd", O_RDONLY},
    {"home/secret", O_WRONLY},
    {"home/new", O_WRONLY | O_CREAT},
    {"home/sibling/new", O_WRONLY | O_CREAT},
    {"home/spool/../new", O_WRONLY | O_CREAT},
    {"home/spool/out", O_WRONLY | O_TRUNC},
    {"home/img/kernel.elf", O_WRONLY},
    {"home/ports/new", O_WRONLY | O_CREAT},
    {"home/sibling/file", -1},
};
#define ATTEMPTS (sizeof attempts / sizeof attempts[0])
_Static_assert(ATTEMPTS <= TREE_TEXTS, "each has a text");

static void try_files(struct tree_process *p)
{
    unsigned bit;
    const struct expected *e = find(p, &bit);

    for (size_t i = 0; i < ATTEMPTS; i++) {
        const struct attempt *a = &attempts[i];
        const struct traced_call opens = {
            SYS_openat,
            {(uint64_t)AT_FDCWD, p->texts[i], (uint64_t)a->flags, 0600}};
        const struct traced_call removes = {
            SYS_unlinkat, {(uint64_t)AT_FDCWD, p->texts[i], 0}};
        bool reads = a->flags == O_RDONLY;

        CHECK(p->texts[i] != 0);
        if ((e->flags & IN_FOLDER) != 0 && a->path[0] != '/')
            continue;
        long result = traced_call(&p->at, a->flags == -1 ? &removes : &opens);

        if (result < 0 && result != -EACCES && result != TRACED_TRAPPED)
            check_failed(__FILE__, __LINE__, "%s: %s: %s: %s", now->words,
                         e->what, a->path, strerror((int)-result));
        if (result >= 0 && !(reads && (e->flags & READS_ALL) != 0))
            check_failed(__FILE__, __LINE__, "%s: %s can %s %s", now->words,
                         e->what,
                         a->flags == -1 ? "remove"
                         : reads        ? "read"
                                        : "open or list",
                         a->path);
    }
}

/* What there is */

static void put(const char *path)
{
    write_text(path, "x");
}

static void make_home(void)
{
    static const char *const folders[] = {
        "home",        "home/sibling", "home/spool",   "home/img",
        "home/guests", "home/ports",   "home/results", "home/rec"};
    char name[16], whole[PATH_MAX];

    spooled_begin(1, BUILD); /* enters it */
    spooled_play(4);
    if (geteuid() != 0)
        SKIP("only root sees what a confined process has open");
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
        SKIP("the kernel has no seccomp");
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        CHECK_EQ(mkdir(folders[i], 0700), 0);
    CHECK_EQ(rename("spool", "home/spool"), 0);
    put("home/secret");
    put("home/sibling/file");
    CHECK_EQ(symlink("../secret", "home/spool/out"), 0);
    CHECK_EQ(symlink("../secret", "home/img/out"), 0);
    copy_image("home/img/kernel.elf", KERNEL, KERNEL_ID, NULL);
    CHECK(realpath("home", whole) != NULL);
    CHECK_EQ(setenv("HOME", whole, 1), 0);
    CHECK_EQ(setenv("TERM", "xterm", 1), 0);
    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
    CHECK_EQ(unsetenv("DEBUGINFOD_URLS"), 0);
    for (size_t i = 0; i < ATTEMPTS; i++) {
        (void)snprintf(name, sizeof name, "TEXT_%zu", i);
        CHECK_EQ(setenv(name, attempts[i].path, 1), 0);
    }
}

static void play_50(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, KERNEL_ID, 50);
    end_session(fd, 50);
}

static void record_with(const char *elf)
{
    pid_t guest = start_guest("home/ports/port", play_50);
    char line[256];

    (void)snprintf(line, sizeof line,
                   "record --serial home/ports/port --elf %s -d 0.1 --no-names "
                   "-o home/rec/a.tprof",
                   elf);
    CHECK_EQ(collector(line), 0);
    join_guest(guest);
    CHECK_EQ(unlink("home/ports/port"), 0);
}

static void make_recording(void)
{
    record_with("home/img/kernel.elf");
}

/* Anything but what is expected: its first byte is what counts. */
static void babble(int listener)
{
    struct timeval patience = {.tv_sec = 2};
    int fd = meet(listener);
    char scrap[256];

    CHECK_EQ(
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    (void)!write(fd, "+$T05thread:01;#d7", 18);
    while (read(fd, scrap, sizeof scrap) > 0)
        continue;
}

static void make_dump(void)
{
    static const char nothing[1 << 16];

    write_file("home/rec/dump", nothing, sizeof nothing);
}

/* A child of the case, and ended with it. */
static void beside(void (*work)(void))
{
    pid_t child = fork();

    CHECK(child >= 0);
    if (child != 0)
        return;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    (void)signal(SIGPIPE, SIG_IGN);
    work();
    _exit(0);
}

static void call_bridge(void)
{
    const struct sockaddr_un at = {AF_UNIX, "home/ports/uds"};

    for (;;) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
            (void)!write(fd, "CONNECT 7\n", 10);
        (void)usleep(50000);
        close(fd);
    }
}

static void make_client(void)
{
    beside(call_bridge);
}

static int receiver = -1;
static char receiver_url[64], push_words[256];

/* All that comes is well. */
static void receive(void)
{
    char scrap[65536];

    for (;;) {
        int fd = accept(receiver, NULL, NULL);

        while (recv(fd, scrap, sizeof scrap, 0) > 0)
            (void)!send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 38,
                        0);
        close(fd);
    }
}

static void make_receiver(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;

    make_recording();
    receiver = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ(bind(receiver, (struct sockaddr *)&at, size), 0);
    CHECK_EQ(listen(receiver, 4), 0);
    CHECK_EQ(getsockname(receiver, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(receiver_url, sizeof receiver_url, "http://127.0.0.1:%u/",
                   ntohs(at.sin_port));
    (void)snprintf(push_words, sizeof push_words,
                   "push --to pyroscope+%s home/rec", receiver_url);
    beside(receive);
}

/* Standard input asks for two answers. */
static void make_question(void)
{
    make_recording();
    write_text("question",
               "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"list_recordings\"}}\n"
               "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
               "\"report\"}}\n");
    CHECK(freopen("question", "r", stdin) != NULL);
}

static void make_servers(void)
{
    make_receiver();
    CHECK_EQ(unlink("home/rec/a.tprof"), 0);
    copy_image("home/rec/gone.elf", KERNEL, KERNEL_ID, NULL);
    record_with("home/rec/gone.elf");
    CHECK_EQ(unlink("home/rec/gone.elf"), 0);
    CHECK_EQ(setenv("DEBUGINFOD_URLS", receiver_url, 1), 0);
    CHECK_EQ(unsetenv("DEBUGINFOD_CACHE_PATH"), 0);
    CHECK_EQ(unsetenv("XDG_CACHE_HOME"), 0);
}

static bool ask(const char *path)
{
    const struct sockaddr_un at = {AF_UNIX, "home/results/page"};
    char text[4096];
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int n = snprintf(text, sizeof text,
                     "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    bool answered = connect(fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
                    write(fd, text, (size_t)n) == n &&
                    read(fd, text, sizeof text) > 0;

    close(fd);
    return answered;
}

/* Each page is written by a process of its own: one is enough. */
static void ask_page(void)
{
    while (!ask("/guest/web?since=@1700000000"))
        (void)usleep(100000);
    (void)pause();
}

static void make_browser(void)
{
    beside(ask_page);
}

/* The table */

#define HELPER(path, more)                                                     \
    {                                                                          \
        path, "its helper", MAY_HEAR | OPENS, more                             \
    }
#define IMAGES_ANYWHERE                                                        \
    "a recording names its images, wherever they are; the helper opens "       \
    "regular files that begin like an image"
#define HELPER_OF_FILES(path)                                                  \
    {                                                                          \
        path, "its helper", MAY_HEAR | OPENS | READS_ALL, IMAGES_ANYWHERE      \
    }

static const struct command_line live = {
    .name = "",
    .words = "--serial home/ports/port --elf home/img/kernel.elf -d 0.1 -o "
             "home/results/a.txt",
    .processes = {{"0", "who hears the guest", HEARS, NULL},
                  HELPER("0.1", NULL)},
    .guest = play_50};

static const struct command_line record = {
    .name = "record",
    .words = "record --serial home/ports/port --elf home/img/kernel.elf -d 0.1 "
             "-o home/results/a.tprof",
    .processes = {{"0", "who hears the guest", HEARS, NULL},
                  HELPER("0.1", NULL)},
    .guest = play_50};

static const struct command_line from_outside = {
    .name = "record",
    .words = "record --gdb home/ports/port --elf home/img/kernel.elf -d 20 "
             "-o home/results/a.tprof",
    .processes = {{"0", "who reports", MAY_HEAR, NULL},
                  {"0.1", "the sampler", HEARS, NULL},
                  {"0.1.1", "who lets the guest go", MAY_HEAR, NULL},
                  HELPER("0.1.2", NULL),
                  HELPER("0.2", NULL)},
    .guest = babble,
    .stays = true};

static const struct command_line by_monitor = {
    .name = "record",
    .words = "record --qmp home/ports/port --elf home/img/kernel.elf -d 20 "
             "-o home/results/a.tprof",
    .processes = {{"0", "who reports", MAY_HEAR, NULL},
                  {"0.1", "the sampler", HEARS, NULL},
                  {"0.1.1", "who lets the guest go", MAY_HEAR, NULL},
                  HELPER("0.1.2", NULL),
                  HELPER("0.2", NULL)},
    .guest = babble,
    .stays = true};

static const struct command_line run_qemu = {
    .name = "run",
    .words = "run --sandbox=required --elf home/img/kernel.elf -o "
             "home/results/a.txt -- /bin/sleep 20",
    .processes = {{"0", "who waits for the others", UNCONFINED,
                   "it starts QEMU and waits"},
                  {"0.1", "QEMU", UNCONFINED, "it is the user's program"},
                  {"0.2", "who hears the guest", MAY_HEAR, NULL},
                  HELPER("0.2.1", NULL)},
    .stays = true};

static const struct command_line report = {
    .name = "report",
    .words = "report home/rec/a.tprof -o home/results/a.txt",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

static const struct command_line fetching = {
    .name = "report",
    .words = "report home/rec/a.tprof -o home/results/a.txt",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  {"0.1", "who asks debuginfod", HEARS, NULL},
                  HELPER_OF_FILES("0.2")},
    .begin = make_servers};

static const struct command_line annotate = {
    .name = "annotate",
    .words = "annotate home/rec/a.tprof -o home/results/a.txt",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

/* Where no program opens a browser. */
static const struct command_line view = {
    .name = "view",
    .words = "view home/rec/a.tprof -o home/results/a.html",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

static const struct command_line diff = {
    .name = "diff",
    .words = "diff home/rec/a.tprof home/rec/a.tprof -o home/results/a.txt",
    .processes = {{"0", "who reads the recordings", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

static const struct command_line pgo = {
    .name = "pgo",
    .words = "pgo home/rec/a.tprof -o home/results/a.prof",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

static const struct command_line top = {
    .name = "top",
    .words = "top --serial home/ports/port --elf home/img/kernel.elf "
             "-o home/results/a.tprof",
    .processes = {{"0", "who hears the guest", HEARS, NULL},
                  HELPER("0.1", NULL)},
    .guest = play_50,
    .stays = true,
    .terminal = true};

static const struct command_line top_in_a_folder = {
    .name = "top",
    .words = "top --serial home/ports/port --elf home/img/kernel.elf",
    .processes = {{"0", "who hears the guest", HEARS, NULL},
                  {"0.1", "its helper", MAY_HEAR | OPENS | IN_FOLDER,
                   "a key records there"}},
    .guest = play_50,
    .stays = true,
    .terminal = true};

static const struct command_line stacks = {
    .name = "stacks",
    .words = "stacks home/rec/a.tprof",
    .processes = {{"0", "who reads the recording", HEARS, NULL},
                  HELPER_OF_FILES("0.1")},
    .begin = make_recording};

static const struct command_line stacks_of_dump = {
    .name = "stacks",
    .words = "stacks --memory home/rec/dump --elf home/img/kernel.elf",
    .processes = {{"0", "who reports", MAY_HEAR, NULL},
                  {"0.1", "the sampler", HEARS, NULL},
                  HELPER("0.1.1", NULL),
                  HELPER_OF_FILES("0.2")},
    .begin = make_dump};

static const struct command_line check = {
    .name = "check",
    .words = "check --elf home/img/kernel.elf",
    .processes = {{"0", "who reads the image", HEARS, NULL},
                  HELPER("0.1", NULL)}};

static const struct command_line bridge = {
    .name = "bridge",
    .words = "bridge --vhost-user home/ports/vhost --uds home/ports/uds",
    .processes = {{"0", "who hears the guest and its clients", HEARS, NULL},
                  HELPER("0.1", NULL)},
    .begin = make_client,
    .stays = true};

static const struct command_line push = {
    .name = "push",
    .words = push_words,
    .processes = {{"0", "who starts the others", UNCONFINED,
                   "it reads names of files, its own marks, and numbers"},
                  HELPER_OF_FILES("0.1"),
                  {"0.2", "who reads the recording", HEARS, NULL},
                  {"0.3", "who sends", HEARS, NULL}},
    .begin = make_receiver};

static const struct command_line serve = {
    .name = "serve",
    .words = "serve --watch home/ports --spool home/spool --spool-age 4000d "
             "--elf home/img/kernel.elf --listen unix:home/results/page",
    .processes = {{"0", "who hears the guests", HEARS, NULL},
                  {"0.1", "the keeper of who merges", UNCONFINED,
                   "it forks and waits"},
                  {"0.1.1", "who merges windows", HEARS, NULL},
                  {"0.2", "the keeper of the page", UNCONFINED,
                   "it forks and waits"},
                  {"0.2.1", "who has reports written", UNCONFINED,
                   "it hears names of a fixed size, which it checks"},
                  {"0.2.1.*", "who writes a report", HEARS, NULL},
                  HELPER_OF_FILES("0.2.1.*.1"),
                  {"0.2.2", "who answers by HTTP", HEARS, NULL},
                  HELPER("0.3", NULL)},
    .guest = play_50,
    .begin = make_browser,
    .stays = true};

static const struct command_line compact = {
    .name = "compact",
    .words = "compact home/spool",
    .processes = {{"0", "who merges windows", HEARS, NULL}}};

static const struct command_line mcp = {
    .name = "mcp",
    .words = "mcp home/rec",
    .processes = {{"0", "who hears the user's program", UNCONFINED,
                   "it reads JSON of the user's program, and names of files"},
                  {"0.1", "who answers", HEARS, NULL},
                  HELPER_OF_FILES("0.1.1")},
    .begin = make_question};

static const struct command_line complete = {
    .name = "complete",
    .words = "complete report --sort",
    .processes = {{"0", "complete", UNCONFINED, "it reads nothing"}}};

static const struct command_line help = {
    .name = "help",
    .words = "help report",
    .processes = {{"0", "help", UNCONFINED, "it reads nothing"}}};

static const struct command_line *const lines[] = {
    &live,         &record,
    &from_outside, &by_monitor,
    &run_qemu,     &report,
    &fetching,     &annotate,
    &diff,         &pgo,
    &top,          &top_in_a_folder,
    &stacks,       &stacks_of_dump,
    &check,        &bridge,
    &push,         &serve,
    &compact,      &complete,
    &help,         &view,
    &mcp};

/* Runs */

static bool is_confined(const struct tree *t, const struct expected *e)
{
    for (int i = 0; i < t->count; i++)
        if (t->list[i].confined && !t->list[i].thread &&
            fits(e->path, t->list[i].path))
            return true;
    return false;
}

/* What is not as the table has it; NULL: all is. */
static const char *lacks(const struct tree *t, const struct expected *e,
                         unsigned bit)
{
    bool confined = is_confined(t, e);

    if ((seen & bit) == 0)
        return "there was none";
    if ((e->flags & HEARS) != 0 && (heard & bit) == 0)
        return "it heard nobody";
    if (confined == ((e->flags & UNCONFINED) != 0))
        return confined ? "it was confined" : "it was not confined";
    return NULL;
}

static bool is_over(const struct tree *t)
{
    unsigned bit = 1;

    for (const struct expected *e = now->processes; e->path != NULL; e++) {
        if (lacks(t, e, bit) != NULL)
            return false;
        bit <<= 1;
    }
    return true;
}

static int open_terminal(void)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    int master, terminal;
    char scrap[4096];

    if (!now->terminal)
        return -1;
    CHECK_EQ(openpty(&master, &terminal, NULL, NULL, &size), 0);
    if (fork() == 0) { /* or its output would be waited for */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        while (read(master, scrap, sizeof scrap) > 0)
            continue;
        _exit(0);
    }
    return terminal;
}

static void check_all_were_there(const struct tree *t)
{
    unsigned bit = 1;

    for (const struct expected *e = now->processes; e->path != NULL; e++) {
        const char *why = lacks(t, e, bit);

        if (why != NULL)
            check_failed(__FILE__, __LINE__, "%s: %s: %s", now->words, e->what,
                         why);
        CHECK((e->flags & (UNCONFINED | READS_ALL | IN_FOLDER)) == 0 ||
              e->why != NULL);
        bit <<= 1;
    }
}

static void run(const struct command_line *line)
{
    static struct tree t;
    char words[512];
    pid_t guest = 0;

    now = line;
    make_home();
    if (line->begin != NULL)
        line->begin();
    if (line->guest != NULL)
        guest = start_guest("home/ports/port", line->guest);
    t = (struct tree){.call = look_at_call,
                      .confined = try_files,
                      .over = line->stays ? is_over : NULL};
    bool reads = line->processes[0].flags != UNCONFINED || line->begin != NULL;

    (void)snprintf(words, sizeof words, "%s%s", line->words,
                   reads ? " --sandbox=required" : "");
    tree_run(&t, words, open_terminal());
    check_all_were_there(&t);
    CHECK(access("home/sibling/file", F_OK) == 0);
    CHECK(access("home/new", F_OK) != 0);
    if (guest > 0) {
        (void)kill(guest, SIGKILL);
        (void)waitpid(guest, NULL, 0);
    }
}

TEST(
    every_command_has_a_line) /* catches: a new one that nobody has looked at */
{
    const struct subcommand *command;

    for (size_t i = 0; (command = cmd_at(i)) != NULL; i++) {
        bool found = false;

        for (size_t j = 0; j < sizeof lines / sizeof lines[0]; j++)
            found |= strcmp(lines[j]->name, command->name) == 0;
        if (!found)
            check_failed(__FILE__, __LINE__, "%s is in no line of the table",
                         command->name);
    }
}

/* Each catches: a parser's hole that has the rights of the user, and a way
 * from it to the user's files. */
#define PROCESSES_OF(line)                                                     \
    TEST(processes_of_##line)                                                  \
    {                                                                          \
        run(&(line));                                                          \
    }

PROCESSES_OF(live)
PROCESSES_OF(record)
PROCESSES_OF(from_outside)
PROCESSES_OF(by_monitor)
PROCESSES_OF(run_qemu)
PROCESSES_OF(report)
#if HAS_DEBUGINFOD
PROCESSES_OF(fetching)
#endif
PROCESSES_OF(annotate)
PROCESSES_OF(diff)
PROCESSES_OF(pgo)
PROCESSES_OF(top)
PROCESSES_OF(top_in_a_folder)
PROCESSES_OF(stacks)
PROCESSES_OF(stacks_of_dump)
PROCESSES_OF(check)
PROCESSES_OF(bridge)
#if HAS_PUSH
PROCESSES_OF(push)
#endif
#if HAS_WEB
PROCESSES_OF(serve)
#endif
PROCESSES_OF(compact)
PROCESSES_OF(mcp)
PROCESSES_OF(complete)
PROCESSES_OF(help)
