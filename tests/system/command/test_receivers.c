/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push and receivers that mean no good. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "receiving.h"

/* What the kernel takes of an answer before anybody reads it, and more. */
#define SENT_MAX 16000000

#define LINE                                                                   \
    "X-Many: "                                                                 \
    "0123456789012345678901234567890123456789012345678901234567890\r\n"

/* The child of (push) that has a connection; 0: none has. */
static pid_t sender_of(pid_t push)
{
    char path[64], command[128], line[512];
    pid_t sender = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)push,
                   (int)push);
    FILE *children = fopen(path, "re");
    int child;

    CHECK(children != NULL);
    while (fscanf(children, "%d", &child) == 1) {
        (void)snprintf(command, sizeof command,
                       "readlink /proc/%d/fd/* | grep -c socket:", child);
        FILE *count = popen(command, "re");

        CHECK(count != NULL && fgets(line, sizeof line, count) != NULL);
        pclose(count);
        if (atoi(line) >= 2) /* to push, and to the receiver */
            sender = child;
    }
    (void)fclose(children);
    return sender;
}

/* Catches: a hole in libcurl that has all the rights of the user */
TEST(process_that_sends_is_confined_when_it_is_answered)
{
    int listener;

    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    pid_t push = receiving_start(&listener);
    int fd = receiving_meet(listener);
    pid_t sender = sender_of(push);
    unsigned long long capabilities = ~0ull;

    CHECK(sender != 0);
    const char *status = status_of(sender);

    CHECK(strstr(status, "NoNewPrivs:\t1\n") != NULL);
    CHECK(strstr(status, "Seccomp:\t2\n") != NULL);
    CHECK(sscanf(strstr(status, "CapEff:"), "CapEff: %llx", &capabilities) ==
          1);
    CHECK((capabilities & ~4ull) == 0); /* CAP_DAC_READ_SEARCH */
    close(listener);
    close(fd);
    CHECK_EQ(join_collector(push), 1);
}

/* Has push ended for an answer without end, of which it took little? */
static void takes_no_end(const char *first, const char *again)
{
    int listener;

    pid_t push = receiving_start(&listener);
    time_t began = time(NULL);
    long sent = receiving_pour(receiving_meet(listener), first, again, 0);

    CHECK(time(NULL) - began < 10);
    CHECK(sent < SENT_MAX);
    close(listener);
    CHECK_EQ(join_collector(push), 1);
    CHECK_CONTAINS("err", "too long; recordings wait");
}

TEST(headers_without_end_are_not_heard) /* catches: push held for ever */
{
    takes_no_end("HTTP/1.1 200 OK\r\n", LINE);
}

TEST(answer_without_end_is_not_heard) /* catches: the same by its body */
{
    takes_no_end("HTTP/1.1 200 OK\r\n\r\n", LINE);
}

/* Catches: the same by what comes before the answer */
TEST(continue_without_end_is_not_heard)
{
    takes_no_end("HTTP/1.1 100 Continue\r\n\r\n",
                 "HTTP/1.1 100 Continue\r\n\r\n");
}

/* Catches: a push that hangs with the process that sends, or gives up */
TEST(process_that_sends_may_be_killed)
{
    int listener;

    pid_t push = receiving_start(&listener);
    int fd = receiving_meet(listener);

    CHECK_EQ(kill(sender_of(push), SIGKILL), 0);
    close(listener);
    close(fd);
    CHECK_EQ(join_collector(push), 1);
    CHECK_CONTAINS("err", "the process that sends has ended");
    CHECK_CONTAINS("err", "recordings wait");
}
