/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A monitor of QEMU's that looks at who speaks to it, and one that lies, to
 * `collector --qmp`. The stub that it starts is an honest one (played_stub.h).
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "played_stub.h"

#define GREETING_MS 300 /* until the collector has nothing more to say */
#define PATIENCE_S  15
#define LINE        1024u
#define DAC_SEARCH  (1u << 2) /* the capability that root keeps */

/* What this process learns of the collector that a child hears. */
static struct seen {
    unsigned orders;   /* and questions to the stub, after the greeting */
    unsigned confined; /* so many of them came from a confined process */
    char open[LINE];   /* one that did not */
    bool off, runs;    /* how the guest was left */
} * seen;

/* The value of (name) in what /proc says of the process behind (fd). */
static unsigned long long peer_has(int fd, const char *name, int base)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    CHECK_EQ(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);

    const char *at = strstr(status_of(peer.pid), name);

    CHECK(at != NULL);
    return strtoull(at + strlen(name), NULL, base);
}

/* Note whether who says (what) to the monitor (fd) is confined. */
static void look_at_peer(int fd, const char *what)
{
    bool is_confined = peer_has(fd, "\nNoNewPrivs:", 10) == 1 &&
                       peer_has(fd, "\nSeccomp:", 10) == 2 &&
                       (peer_has(fd, "\nCapEff:", 16) & ~DAC_SEARCH) == 0;

    seen->orders++;
    seen->confined += is_confined;
    if (!is_confined)
        (void)snprintf(seen->open, sizeof seen->open, "%s", what);
}

/* The monitor */

static int passed = -1; /* a descriptor that came with an order */

/* Hear a line, and the descriptor that comes with it. Returns whether one came
 * within (ms); -1: for ever. */
static bool hear_line(int fd, char line[LINE], int ms)
{
    size_t size = 0;
    char c;

    while (size + 1 < LINE) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        struct iovec byte = {&c, 1};
        union {
            struct cmsghdr head;
            char room[CMSG_SPACE(sizeof(int))];
        } control;
        struct msghdr m = {.msg_iov = &byte,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};

        if (poll(&p, 1, ms) <= 0 || recvmsg(fd, &m, 0) != 1)
            return false;
        if (m.msg_controllen >= sizeof control.head)
            memcpy(&passed, CMSG_DATA(&control.head), sizeof passed);
        if (c == '\n')
            break;
        line[size++] = c;
    }
    line[size] = '\0';
    return true;
}

static void tell(int fd, const char *text)
{
    stub_send(fd, text, strlen(text));
}

/* An order's number is behind all of its arguments. */
static unsigned long id_of(const char *line)
{
    unsigned long id = 0;

    while ((line = strstr(line, "\"id\":")) != NULL)
        id = strtoul(line += 5, NULL, 10);
    return id;
}

static void bring(int fd, const char *line, const char *what)
{
    char text[LINE];

    (void)snprintf(text, sizeof text, "{\"return\": %s, \"id\": %lu}\r\n", what,
                   id_of(line));
    tell(fd, text);
}

/* The stub, until its socket or the collector is gone. (monitor) tells of what
 * the guest does. */
static _Noreturn void play_stub(int fd, int monitor, bool looks)
{
    char body[256];

    while (stub_hear(fd, body, sizeof body)) {
        if (looks)
            look_at_peer(monitor, body);
        if (strncmp(body, "vCont;c", 7) == 0) {
            seen->runs = true;
            tell(monitor, "{\"event\": \"RESUME\"}\r\n");
            continue;
        }
        if (body[0] == STUB_INTERRUPT) {
            seen->runs = false;
            tell(monitor, "{\"event\": \"STOP\"}\r\n");
        }
        stub_say(fd, stub_truth(body));
    }
    _exit(0);
}

/* Begin the stub at the descriptor that came. */
static void start_stub(int fd, bool looks)
{
    if (passed < 0)
        return;
    seen->runs = false;
    tell(fd, "{\"event\": \"STOP\"}\r\n");
    if (fork() == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        play_stub(passed, fd, looks);
    }
    (void)close(passed);
    passed = -1;
}

/* Obey (line) as QEMU does. */
static void obey(int fd, const char *line, bool looks)
{
    if (strstr(line, "query-target") != NULL) {
        bring(fd, line, "{\"arch\": \"x86_64\"}");
    } else if (strstr(line, "query-status") != NULL) {
        bring(fd, line, "{\"running\": true, \"status\": \"running\"}");
    } else if (strstr(line, "query-chardev") != NULL) {
        bring(fd, line, "[]");
    } else if (strstr(line, "gdbserver none") != NULL) {
        seen->off = true;
        bring(fd, line, "\"Disabled gdbserver\\r\\n\"");
    } else if (strstr(line, "gdbserver") != NULL) {
        start_stub(fd, looks);
        bring(fd, line, "\"Waiting for gdb connection\\r\\n\"");
    } else {
        if (strstr(line, "\"cont\"") != NULL)
            seen->runs = true;
        bring(fd, line, "{}");
    }
}

/* Greet, after the collector has said what it says before that: (line) holds
 * these orders, up to two. */
static unsigned greet(int fd, char line[2][LINE])
{
    unsigned early = 0;

    while (early < 2 && hear_line(fd, line[early], GREETING_MS))
        early++;
    tell(fd, "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n");
    return early;
}

static void play_who_looks(int listener)
{
    char early[2][LINE], line[LINE];
    int fd = meet(listener);
    unsigned count = greet(fd, early);

    for (unsigned i = 0; i < count; i++)
        obey(fd, early[i], true);
    while (hear_line(fd, line, -1)) {
        look_at_peer(fd, line);
        obey(fd, line, true);
    }
}

/* In a folder of its own. */
static void begin(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED);
}

/* Catches: answers that are parsed with all privileges */
TEST(a_monitor_is_heard_by_a_confined_process)
{
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    enter_dir();
    begin();
    /* that looks for leaks by a thread and ptrace */
    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
    pid_t guest = start_guest("port", play_who_looks);

    int status = collector("--qmp port --elf " KERNEL
                           " -d 1 --wait 5 --sandbox=required");

    join_guest(guest);
    printf("%u orders and questions\n", seen->orders);
    CHECK_STR(seen->open, "");
    CHECK_EQ(status, 0);
    CHECK_CONTAINS("out", " samples of 2 cores");
    CHECK_EQ(seen->confined, seen->orders);
    CHECK(seen->orders > 20); /* the stub's are among them */
    CHECK(seen->off && seen->runs);
}

/* Lies */

static void flood(int fd, const char *text)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};

        if (poll(&p, 1, -1) <= 0 || (p.revents & (POLLHUP | POLLERR)) != 0)
            return;
        tell(fd, text);
    }
}

static void events_without_end(int fd, const char *line)
{
    (void)line;
    flood(fd, "{\"event\": \"RTC_CHANGE\"}\r\n{\"event\": \"STOP\"}\r\n");
}

static void a_line_without_end(int fd, const char *line)
{
    (void)line;
    flood(fd, "{\"return\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
}

static void byte_by_byte(int fd, const char *line)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    struct pollfd p = {.fd = fd, .events = POLLIN};

    (void)line;
    while (poll(&p, 1, 0) == 0) {
        tell(fd, " ");
        (void)nanosleep(&pause, NULL);
    }
}

static void nothing(int fd, const char *line)
{
    (void)fd;
    (void)line;
}

static void another_number(int fd, const char *line)
{
    (void)line;
    tell(fd, "{\"return\": {}, \"id\": 4294967297}\r\n");
}

static void twice(int fd, const char *line)
{
    obey(fd, line, false);
    obey(fd, line, false);
}

static void deep(int fd, const char *line)
{
    static char text[1 << 18];

    (void)line;
    memset(text, '[', sizeof text - 3);
    memcpy(text + sizeof text - 3, "\r\n", 3);
    tell(fd, text);
}

static void of_other_kinds(int fd, const char *line)
{
    bring(fd, line, "[{\"running\": [], \"arch\": {}}, null, 1e308]");
}

static void the_end(int fd, const char *line)
{
    (void)line;
    tell(fd, "{\"ret");
    _exit(0);
}

static void no_stub(int fd, const char *line)
{
    bring(fd, line, "\"Waiting for gdb connection\"");
}

/* The monitor lies at orders with (at) in them: the collector ends with
 * (status) and (words). */
static const struct lie {
    const char *name, *at;
    void (*lie)(int fd, const char *line);
    int status;
    const char *words;
} lies[] = {
    {"it does not lie", "?", nothing, 0, " samples of 2 cores"},
    {"events without end", "query-target", events_without_end, 1,
     "does not answer"},
    {"a line without end", "query-chardev", a_line_without_end, 1,
     "a line of more than"},
    {"an answer byte by byte", "query-status", byte_by_byte, 1,
     "does not answer"},
    {"no answer", "chardev-add", nothing, 1, "does not answer"},
    {"an answer to another order", "query-target", another_number, 1,
     "an answer to command"},
    {"each answer twice", "query-target", twice, 1, "an answer to command"},
    {"a deep line", "query-chardev", deep, 1, "no JSON object"},
    {"a target of another kind", "query-target", of_other_kinds, 1,
     "type unknown"},
    {"a status of another kind", "query-status", of_other_kinds, 1,
     "it does not run"},
    {"devices of another kind", "query-chardev", of_other_kinds, 0,
     " samples of 2 cores"},
    {"the end in the middle", "gdbserver", the_end, 1, "QEMU has ended"},
    {"a stub that is none", "gdbserver chardev", no_stub, 1, "does not answer"},
};

static const struct lie *told;

static void play_liar(int listener)
{
    char early[2][LINE], line[LINE];
    int fd = meet(listener);
    unsigned count = greet(fd, early);

    for (unsigned i = 0; i < count; i++)
        obey(fd, early[i], false);
    while (hear_line(fd, line, -1)) {
        if (strstr(line, told->at) != NULL)
            told->lie(fd, line);
        else
            obey(fd, line, false);
    }
}

/* Have the collector meet (l) in a folder of its own. Returns whether all was
 * as it should be. */
static bool meet_lie(const struct lie *l)
{
    time_t from = time(NULL);
    char name[32];

    (void)snprintf(name, sizeof name, "%td", l - lies);
    CHECK(mkdir(name, 0700) == 0 && chdir(name) == 0);
    begin();
    told = l;
    pid_t guest = start_guest("port", play_liar);
    int status =
        collector("--qmp port --elf " KERNEL " -d 2 --rate 20 --wait 5");
    long took = (long)(time(NULL) - from);
    bool good = status == l->status &&
                (contains("out", l->words) || contains("err", l->words)) &&
                took <= PATIENCE_S;

    join_guest(guest);
    printf("%-28s %2ld s, status %d%s\n%s", l->name, took, status,
           good ? "" : " <-", good ? "" : text_of("err"));
    return good;
}

TEST(a_monitor_that_lies_is_told_or_borne)
{
    unsigned bad = 0, count = sizeof lies / sizeof lies[0];
    int status;

    enter_dir();
    (void)fflush(stdout);
    for (unsigned i = 0; i < count; i++) {
        if (fork() == 0) {
            bool good = meet_lie(&lies[i]);

            (void)fflush(stdout);
            _exit(!good);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        CHECK(wait(&status) > 0);
        bad += status != 0;
    }
    CHECK_EQ(bad, 0);
}
