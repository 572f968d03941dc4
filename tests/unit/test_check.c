/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks themselves: each must let the good pass and catch the bad. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Exit status of (run) in a process of its own, its output thrown away. */
static int status_of(void (*run)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(99);
        run();
        _exit(0);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void bad_cond(void)
{
    CHECK(1 == 2);
}

static void bad_eq(void)
{
    CHECK_EQ(UINT64_MAX, 1);
}

static void bad_str(void)
{
    CHECK_STR("a", NULL);
}

static void bad_mem(void)
{
    CHECK_MEM("abc", "abd", 3);
}

static void skips(void)
{
    SKIP("because %d", 1);
}

TEST(check_catches_what_is_wrong) /* catches: a check that never fails */
{
    CHECK_EQ(status_of(bad_cond), 1);
    CHECK_EQ(status_of(bad_eq), 1);
    CHECK_EQ(status_of(bad_str), 1);
    CHECK_EQ(status_of(bad_mem), 1);
    CHECK_EQ(status_of(skips), 77);
}

TEST(check_lets_what_is_right_pass) /* catches: a check that always fails */
{
    CHECK(1);
    CHECK_EQ((uint8_t)255, 255);
    CHECK_STR(NULL, NULL);
    CHECK_STR("a", "a");
    CHECK_MEM("abc", "abd", 2);
}
