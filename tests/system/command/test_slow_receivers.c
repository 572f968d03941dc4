/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push and receivers that take a minute of it, and no more. */
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "receiving.h"

#define LIMIT_S  60
#define PAUSE_US 300000

/* Has push ended by its limit for an answer that comes byte by byte? */
static void takes_a_minute(const char *first, const char *again)
{
    int listener;

    pid_t push = receiving_start(&listener);
    time_t began = time(NULL);

    (void)receiving_pour(receiving_meet(listener), first, again, PAUSE_US);
    CHECK(time(NULL) - began >= LIMIT_S - 1);
    CHECK(time(NULL) - began < LIMIT_S + 10);
    close(listener);
    CHECK_EQ(join_collector(push), 1);
    CHECK_CONTAINS("err", "recordings wait");
}

/* Catches: a receiver that holds push for ever, until windows are removed */
TEST(answer_that_drips_is_given_up)
{
    takes_a_minute("HTTP/1.1 200 OK\r\n\r\n", "x");
}

TEST(headers_that_drip_are_given_up) /* catches: the same before its body */
{
    takes_a_minute("HTTP/1.1 200 OK\r\nX: ", "x");
}
