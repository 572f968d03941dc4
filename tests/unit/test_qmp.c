/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU that is played by child processes: for each order to its monitor what
 * that answers, and a stub. What a real one does is tests/system/outside; here
 * is what one would do only when somebody else is at it, or what none does.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "outside/outside_guest.h"

#define GREETING          "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
#define YES(id)           "{\"return\": {}, \"id\": " #id "}\r\n"
#define EVENT(what)       "{\"event\": \"" what "\"}\r\n"
#define TARGET(arch)      "{\"return\": {\"arch\": \"" arch "\"}, \"id\": 3}\r\n"
#define DEVICES(list, id) "{\"return\": [" list "], \"id\": " #id "}\r\n"
#define DEVICE(label, kind)                                                    \
    "{\"frontend-open\": true, \"label\": \"" label                            \
    "\", \"filename\": \"" kind "\"}"
#define STATUS(runs, status, id)                                               \
    "{\"return\": {\"running\": " runs ", \"status\": \"" status               \
    "\"}, \"id\": " #id "}\r\n"
#define STARTED(id)                                                            \
    "{\"return\": \"Waiting for gdb connection\", \"id\": " #id "}\r\n"
#define BEGIN GREETING, YES(1), YES(2), TARGET("x86_64"), DEVICES("", 4)
#define RUNS  BEGIN, STATUS("true", "running", 5), YES(6)
#define OFF   YES(0), YES(0), YES(0), YES(0) /* and "cont" */

static struct err e;

/* What the case's process does not see come: it stands still meanwhile. */
#define UNSEEN "!"

/* Is the case's process asleep? It waits for an answer then. */
static bool parent_sleeps(void)
{
    char path[32], text[64] = "";
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    f = fopen(path, "r");
    if (f == NULL)
        _exit(1);
    if (fgets(text, sizeof text, f) == NULL)
        _exit(1);
    fclose(f);
    return strstr(text, ") S ") != NULL;
}

/* Stop it for longer than an answer may take. */
static void stop_parent(void)
{
    while (!parent_sleeps())
        continue;
    kill(getppid(), SIGSTOP);
    nanosleep(&(struct timespec){OUTSIDE_WAIT_MS / 1000, 200000000}, NULL);
}

/* What the stub says to a question, and QEMU's monitor at that. */
struct stub {
    const char *at_g, *at_run; /* NULL: the guest runs, and that is all */
    char *heard;               /* orders, a space behind each */
};

static struct stub stub;

#define HEARD_MAX 1024u

static void say_packet(int fd, const char *body)
{
    char text[512];
    int n = snprintf(text, sizeof text, "+$%s#00", body);

    if (write(fd, text, (size_t)n) != n)
        _exit(1);
}

static void tell(int monitor, const char *event)
{
    if (event != NULL && write(monitor, event, strlen(event)) < 0)
        _exit(1);
}

static void answer(int fd, int monitor, const char *body)
{
    char registers[2 * 164 + 1];

    if (strcmp(body, "qfThreadInfo") == 0) {
        say_packet(fd, "m1");
    } else if (strcmp(body, "qsThreadInfo") == 0) {
        say_packet(fd, "l");
    } else if (strcmp(body, "g") == 0) {
        tell(monitor, stub.at_g);
        memset(registers, '0', sizeof registers - 1);
        registers[sizeof registers - 1] = '\0';
        registers[2 * 16 * 8 + 1] = '9'; /* RIP */
        say_packet(fd, registers);
    } else if (strncmp(body, "Hg", 2) == 0) {
        say_packet(fd, "OK");
    } else if (strncmp(body, "vCont", 5) == 0) {
        tell(monitor, stub.at_run != NULL ? stub.at_run : EVENT("RESUME"));
    } else {
        say_packet(fd, body[0] == 'm' ? "E14" : "");
    }
}

/* Note (order) for the case. */
static void hear(const char *order)
{
    size_t size = strlen(stub.heard);

    (void)snprintf(stub.heard + size, HEARD_MAX - size, "%s ", order);
}

/* Play the stub, until nobody speaks any more. */
static _Noreturn void play_stub(int fd, int monitor)
{
    FILE *in = fdopen(fd, "r");
    char body[256];
    int c;

    while ((c = getc(in)) != EOF) {
        size_t size = 0;

        if (c == 3) {
            hear("^C");
            tell(monitor, EVENT("STOP"));
            say_packet(fd, "T02thread:01;");
        }
        if (c != '$')
            continue;
        while ((c = getc(in)) != '#' && size + 1 < sizeof body)
            body[size++] = (char)c;
        body[size] = '\0';
        (void)getc(in); /* the checksum */
        (void)getc(in);
        if (body[0] == 'v' || body[0] == 'D')
            hear(body);
        answer(fd, monitor, body);
    }
    _exit(0);
}

/* Answer each order by the next of (says), of which the first is a greeting,
 * and note the last orders; then QEMU ends. */
static _Noreturn void play_monitor(int fd, const char *const *says)
{
    FILE *orders = fdopen(fd, "r");
    char line[512];

    do {
        bool unseen = strncmp(*says, UNSEEN, 1) == 0;

        if (unseen)
            stop_parent();
        if (write(fd, *says + unseen, strlen(*says + unseen)) < 0)
            break;
        if (unseen)
            kill(getppid(), SIGCONT);
        if (says[1] == NULL || fgets(line, sizeof line, orders) == NULL)
            break;
        if (strstr(line, "\"cont\"") != NULL)
            hear("cont");
        if (strstr(line, "gdbserver none") != NULL)
            hear("none");
    } while (*++says != NULL);
    shutdown(fd, SHUT_RDWR); /* the other process has it, too */
    _exit(0);
}

/* Play a QEMU by two processes. Returns what outside_qmp() does. */
static struct outside_guest *play(const char *const *says)
{
    int monitor[2], ends[2];

    stub.heard = mmap(NULL, HEARD_MAX, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(stub.heard != MAP_FAILED);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, monitor), 0);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (int i = 0; i < 2; i++) {
        if (fork() != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(monitor[0]);
        close(ends[0]);
        if (i == 0)
            play_stub(ends[1], monitor[1]);
        close(ends[1]);
        play_monitor(monitor[1], says);
    }
    close(monitor[1]);
    close(ends[1]);
    close(outside_qmp_pass(monitor[0], &e)); /* (ends) are there already */
    return outside_qmp(monitor[0], ends[0], &e);
}

static struct outside_guest *open_guest(const char *const *says)
{
    struct outside_guest *g = play(says);

    if (g == NULL)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return g;
}

static void check_refused(const char *const *says, const char *why)
{
    CHECK(play(says) == NULL);
    CHECK_STR(e.text, why);
}

TEST(what_is_no_such_monitor_is_told)
{
    check_refused(
        (const char *const[]){"QEMU 7.2.22 monitor - type 'help' for "
                              "more information\r\n(qemu) ",
                              NULL},
        "qmp: this is QEMU's human monitor (-monitor): use the socket of -qmp");
    check_refused((const char *const[]){"$T02thread:01;#04", NULL},
                  "qmp: a debugger's stub answers there: use --gdb");
    check_refused((const char *const[]){"{\"event\": \"x\"}\n[1]\n", NULL},
                  "qmp: a line that is no JSON object: it is something else");
    check_refused((const char *const[]){"{\"hello\": 1}\n", NULL},
                  "qmp: this is not a monitor of QEMU");
}

/* Catches: a guest that stands still, since somebody took the socket of its
 * debugger's stub for that of its monitor */
TEST(a_stub_lets_its_guest_go)
{
    char heard[8] = "";
    int ends[2], told[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_EQ(pipe(told), 0);
    if (fork() == 0) { /* it says nothing before it is spoken to */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (read(ends[1], heard, 6) != 6 || write(told[1], heard, 6) != 6 ||
            write(ends[1], "+$OK#9a", 7) != 7)
            _exit(1);
        pause();
    }
    close(ends[1]);
    CHECK(outside_qmp(ends[0], dup(0), &e) == NULL);
    CHECK_STR(e.text, "qmp: a debugger's stub answers there: use --gdb");
    CHECK_EQ(read(told[0], heard, 6), 6);
    CHECK_STR(heard, "+$D#44");
}

TEST(cores_of_another_kind_are_told)
{
    check_refused((const char *const[]){GREETING, YES(1), YES(2),
                                        TARGET("riscv64"), NULL},
                  "qmp: a guest with cores of type riscv64, not "
                  "x86-64 and aarch64");
}

TEST(answers_are_matched_with_orders)
{
    check_refused((const char *const[]){GREETING, YES(2), NULL},
                  "qmp: an answer to command 2, not 1");
    check_refused(
        (const char *const[]){
            GREETING,
            "{\"id\": 1, \"error\": {\"desc\": \"No\\u001b[31m way\"}}\n",
            NULL},
        "qmp: QEMU says: No?[31m way");
}

/* Catches: a monitor that another program passes on, without descriptors */
TEST(a_descriptor_that_does_not_come_is_told)
{
    check_refused(
        (const char *const[]){
            GREETING, YES(1),
            "{\"id\": 2, \"error\": {\"desc\": \"No file descriptor\"}}\n",
            NULL},
        "qmp: no descriptor can be passed through this socket, because another "
        "program forwards it: use QEMU's own socket, or its stub with --gdb "
        "(qmp: QEMU "
        "says: No file descriptor)");
}

static void check_devices(const char *devices, const char *why)
{
    const char *const says[] = {GREETING,         YES(1),  YES(2),
                                TARGET("x86_64"), devices, NULL};

    check_refused(says, why);
}

TEST(a_stub_that_somebody_else_has_is_told)
{
    check_devices(
        DEVICES(DEVICE("gdb", "disconnected:unix:/tmp/x,server=on"), 4),
        "qmp: QEMU has a debugger's stub already, at "
        "disconnected:unix:/tmp/x,server=on: use --gdb, or "
        "'gdbserver none' in the monitor");
    check_devices(DEVICES(DEVICE("#chr1", "gdb") "," DEVICE("s", "unix:x"), 4),
                  "qmp: QEMU has a debugger's stub already, or had one: use "
                  "--gdb with its socket. 'gdbserver "
                  "unix:/tmp/gdb,server=on,wait=off' in the monitor starts "
                  "one");
    check_devices(
        DEVICES(DEVICE("#chr1", "gdb") "," DEVICE("tprof-00000001", "unix:"),
                4),
        "qmp: another collector samples the guest: wait until it "
        "ends");
}

TEST(a_stub_of_a_collector_that_has_gone_is_none)
{
    static const char *const devices[] = {
        DEVICES(DEVICE("#chr1", "gdb") "," DEVICE("tprof-off", "null"), 4),
        DEVICES(DEVICE("#chr1", "gdb") "," DEVICE("tprof-00000001",
                                                  "disconnected:fd:tprof"),
                4)};

    for (int i = 0; i < 2; i++) {
        const char *const says[] = {GREETING,   YES(1),
                                    YES(2),     TARGET("x86_64"),
                                    devices[i], STATUS("true", "running", 5),
                                    NULL};
        struct outside_guest *g = open_guest(says);

        g->ops->close(g);
        CHECK_STR(stub.heard, ""); /* it was not started */
    }
}

TEST(a_guest_that_runs_is_stopped_and_let_run)
{
    struct cpu_registers r;
    struct outside_guest *g = open_guest(
        (const char *const[]){RUNS, EVENT("STOP") STARTED(7), OFF, NULL});

    CHECK(g->stands == NULL);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK(g->stands == NULL);
    CHECK_EQ(g->core_count, 1);
    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(r.pc, 9);
    CHECK_EQ(g->ops->registers(g, 1, &r, &e), -1);
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    g->ops->close(g); /* by the monitor, and after the stub is off */
    CHECK_STR(stub.heard, "vCont;c ^C none cont ");
}

TEST(a_guest_that_runs_is_not_let_run_at_the_end)
{
    struct outside_watched watched = {.held = false};
    struct outside_guest *g = open_guest(
        (const char *const[]){RUNS, EVENT("STOP") STARTED(7), OFF, NULL});

    g->watched = &watched;
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK(watched.held && watched.started);
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK(!watched.held && watched.started);
    g->ops->close(g);
    CHECK(!watched.held && !watched.started);
    CHECK_STR(stub.heard, "vCont;c none ");
}

TEST(a_stop_without_an_event_was_somebody_elses)
{
    struct outside_guest *g = open_guest((const char *const[]){
        RUNS, STARTED(7), STATUS("false", "guest-panicked", 8), OFF, NULL});

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_STR(g->stands, "its kernel has panicked");
    CHECK_EQ(g->ops->run(g, &e), 0); /* without a word */
    g->ops->close(g);
    CHECK_STR(stub.heard, "none ");
}

/* Catches: a guest that somebody stopped between two samples, and that runs */
TEST(a_stop_between_two_looks_was_somebody_elses)
{
    struct cpu_registers r;
    struct outside_guest *g;

    stub.at_run = EVENT("RESUME") EVENT("STOP");
    g = open_guest((const char *const[]){RUNS, EVENT("STOP") STARTED(7),
                                         STATUS("false", "paused", 8), OFF,
                                         NULL});
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_STR(g->stands, "another monitor or a debugger has stopped it");
    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(r.pc, 9);
    CHECK_EQ(g->ops->run(g, &e), 0);
    g->ops->close(g);
    CHECK_STR(stub.heard, "vCont;c none ");
}

TEST(a_guest_that_ran_while_it_was_looked_at_is_told)
{
    struct cpu_registers r;
    struct outside_guest *g;

    stub.at_g = EVENT("RESUME");
    g = open_guest(
        (const char *const[]){RUNS, EVENT("STOP") STARTED(7), OFF, NULL});
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), -1);
    CHECK_STR(
        e.text,
        "qmp: another client resumed the guest while the guest was sampled");
    g->ops->close(g);
}

TEST(a_guest_that_does_not_run_again_is_told)
{
    struct outside_guest *g;

    stub.at_run = EVENT("NIC_RX_FILTER_CHANGED");
    g = open_guest(
        (const char *const[]){RUNS, EVENT("STOP") STARTED(7), OFF, NULL});
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), 0);
    CHECK_EQ(g->ops->stop(g, &e), -1);
    CHECK_STR(e.text, "qmp: QEMU does not resume the guest: type 'cont' in its "
                      "monitor if the guest is stopped");
    g->ops->close(g);
    CHECK_STR(stub.heard, "vCont;c none cont "); /* it is told once more */
}

TEST(a_state_that_nobody_knows_is_no_text_for_the_user)
{
    struct outside_guest *g = open_guest(
        (const char *const[]){BEGIN, STATUS("false", "\\u001b[31m", 5), NULL});

    CHECK_STR(g->stands, "it does not run");
    g->ops->close(g);
}

TEST(an_answer_that_came_while_nobody_looked_counts) /* on a loaded host */
{
    struct outside_guest *g = open_guest((const char *const[]){
        RUNS, UNSEEN EVENT("STOP") STARTED(7), OFF, NULL});

    if (g->ops->stop(g, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    g->ops->close(g);
}

TEST(a_stub_that_does_not_start_is_told)
{
    struct outside_guest *g = open_guest((const char *const[]){
        RUNS, "{\"return\": \"Could not open gdbserver\\r\\n\", \"id\": 7}\r\n",
        OFF, NULL});

    CHECK_EQ(g->ops->stop(g, &e), -1);
    CHECK(strstr(e.text, "qmp: QEMU starts no debugger's stub") == e.text);
    CHECK(strstr(e.text, ": Could not open gdbserver") != NULL);
    g->ops->close(g);
}

TEST(the_end_of_qemu_is_told)
{
    struct outside_guest *g =
        open_guest((const char *const[]){RUNS, EVENT("STOP") STARTED(7), NULL});

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), -1);
    CHECK(strstr(e.text, "qmp: ") == e.text);
    g->ops->close(g);
}
