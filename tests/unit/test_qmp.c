/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QEMU that is played by a child process: for each order, what it answers.
 * What a real one does is tests/system/outside; here is what one would do only
 * when somebody else is at it, or what none does.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "outside/guest.h"

#define GREETING    "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
#define YES(id)     "{\"return\": {}, \"id\": " #id "}\r\n"
#define EVENT(what) "{\"event\": \"" what "\"}\r\n"
#define CORES                                                                  \
    "{\"return\": [{\"cpu-index\": 0, \"target\": \"x86_64\"}], \"id\": "      \
    "2}\r\n"
#define NOTHING_SHARED "{\"return\": [], \"id\": 3}\r\n"
#define STATUS(runs, status, id)                                               \
    "{\"return\": {\"running\": " runs ", \"status\": \"" status               \
    "\"}, \"id\": " #id "}\r\n"
#define REGISTERS(id)                                                          \
    "{\"return\": \"CPU#0\\r\\nEAX=1 EBX=2 ECX=3 EDX=4 ESI=5 EDI=6 EBP=7 "     \
    "ESP=8 EIP=9 EFL=2\\r\\nCS =8\\r\\nCR0=0 CR3=0 CR4=0\", \"id\": " #id      \
    "}\r\n"
#define BEGIN GREETING, YES(1), CORES, NOTHING_SHARED

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

/* Play a QEMU that greets by the first of (says), and answers each order with
 * the next one, "" being none; then it ends. Returns its socket. */
static int play(const char *const *says)
{
    int ends[2];
    FILE *orders;
    char line[512];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    if (fork() != 0) {
        close(ends[1]);
        return ends[0];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    orders = fdopen(ends[1], "r");
    do {
        bool unseen = strncmp(*says, UNSEEN, 1) == 0;

        if (unseen)
            stop_parent();
        if (write(ends[1], *says + unseen, strlen(*says + unseen)) < 0)
            break;
        if (unseen)
            kill(getppid(), SIGCONT);
    } while (*++says != NULL && fgets(line, sizeof line, orders) != NULL);
    _exit(0);
}

static struct outside_guest *open_guest(const char *const *says)
{
    struct outside_guest *g = outside_qmp(play(says), &e);

    if (g == NULL)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return g;
}

static void check_refused(const char *const *says, const char *why)
{
    CHECK(outside_qmp(play(says), &e) == NULL);
    CHECK_STR(e.text, why);
}

TEST(what_is_no_such_monitor_is_told)
{
    check_refused((const char *const[]){"QEMU 7.2.22 monitor - type 'help' for "
                                        "more information\r\n(qemu) ",
                                        NULL},
                  "qmp: this is QEMU's monitor for people (-monitor); the "
                  "other one is wanted (-qmp)");
    check_refused((const char *const[]){"$T02thread:01;#04", NULL},
                  "qmp: a debugger's stub answers there: use --gdb");
    check_refused((const char *const[]){"{\"event\": \"x\"}\n[1]\n", NULL},
                  "qmp: a line that is no JSON object: it is something else");
    check_refused((const char *const[]){"{\"hello\": 1}\n", NULL},
                  "qmp: this is no monitor of QEMU");
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
    CHECK(outside_qmp(ends[0], &e) == NULL);
    CHECK_STR(e.text, "qmp: a debugger's stub answers there: use --gdb");
    CHECK_EQ(read(told[0], heard, 6), 6);
    CHECK_STR(heard, "+$D#44");
}

TEST(cores_of_another_kind_are_told)
{
    check_refused(
        (const char *const[]){
            GREETING, YES(1),
            "{\"return\": [{\"cpu-index\": 0, \"target\": \"aarch64\"}], "
            "\"id\": 2}\n",
            NULL},
        "qmp: a guest with cores of type aarch64, not x86_64");
}

TEST(answers_are_matched_with_orders)
{
    check_refused((const char *const[]){GREETING, YES(2), NULL},
                  "qmp: an answer to order 2, not 1");
    check_refused(
        (const char *const[]){
            GREETING,
            "{\"id\": 1, \"error\": {\"desc\": \"No\\u001b[31m way\"}}\n",
            NULL},
        "qmp: QEMU says: No?[31m way");
}

TEST(a_guest_that_runs_is_stopped_and_let_run)
{
    struct outside_registers r;
    struct outside_guest *g = open_guest((const char *const[]){
        BEGIN, STATUS("true", "running", 4), EVENT("STOP") YES(5), REGISTERS(6),
        EVENT("RESUME") YES(7), NULL});

    CHECK(g->stands == NULL);
    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK(g->stands == NULL);
    CHECK_EQ(g->ops->registers(g, 0, &r, &e), 0);
    CHECK_EQ(r.pc, 9);
    CHECK_EQ(g->ops->registers(g, 1, &r, &e), -1);
    CHECK_EQ(g->ops->run(g, &e), 0);
    g->ops->close(g);
}

TEST(a_stop_without_an_event_was_somebody_elses)
{
    struct outside_guest *g = open_guest((const char *const[]){
        BEGIN, STATUS("true", "running", 4), YES(5), REGISTERS(6),
        STATUS("false", "guest-panicked", 7), NULL});

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_STR(g->stands, "its kernel has panicked");
    CHECK_EQ(g->ops->run(g, &e), 0); /* without a word */
    g->ops->close(g);
}

TEST(a_guest_that_ran_while_it_was_looked_at_is_told)
{
    struct outside_guest *g = open_guest((const char *const[]){
        BEGIN, STATUS("true", "running", 4), EVENT("STOP") YES(5),
        EVENT("RESUME") REGISTERS(6), YES(7), NULL});

    CHECK_EQ(g->ops->stop(g, &e), 0);
    CHECK_EQ(g->ops->run(g, &e), -1);
    CHECK_STR(e.text, "qmp: somebody else let the guest run while it was "
                      "looked at");
    g->ops->close(g);
}

TEST(a_state_that_nobody_knows_is_no_text_for_the_user)
{
    struct outside_guest *g = open_guest(
        (const char *const[]){BEGIN, STATUS("false", "\\u001b[31m", 4), NULL});

    CHECK_STR(g->stands, "it does not run");
    g->ops->close(g);
}

TEST(an_answer_that_came_while_nobody_looked_counts) /* on a loaded host */
{
    struct outside_guest *g = open_guest((const char *const[]){
        BEGIN, STATUS("true", "running", 4), EVENT("STOP") YES(5), REGISTERS(6),
        UNSEEN EVENT("RESUME") YES(7), NULL});

    CHECK_EQ(g->ops->stop(g, &e), 0);
    if (g->ops->run(g, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    g->ops->close(g);
}

TEST(the_end_of_qemu_is_told)
{
    struct outside_guest *g = open_guest((const char *const[]){
        BEGIN, STATUS("true", "running", 4), EVENT("STOP") YES(5), NULL});

    CHECK_EQ(g->ops->stop(g, &e), -1);
    CHECK(strstr(e.text, "qmp: ") == e.text);
    g->ops->close(g);
}
