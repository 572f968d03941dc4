/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each allocation between two guests and their reports fails once: the program
 * ends in order, with a line or with a report, and never in a signal. Each try
 * is a process of its own, since a session gives up its rights for good.
 */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "cmd/cmd.h"
#include "cmd/session.h"
#include "wiregen.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_do_leak_check() (void)0
#endif

#define NOT_REACHED                                                            \
    100 /* plus the exit code: no allocation was left to fail                  \
         */

static char dir[] = "/tmp/test_session_memory.XXXXXX";

static void remove_dir(void)
{
    if (chdir(dir) == 0 && system("rm -f ./*") == 0)
        rmdir(dir);
}

static void write_guest(const char *name, uint64_t samples)
{
    struct wiregen w = {0};
    uint64_t frames[] = {0x100, 0x200};

    wiregen_hello(
        &w, &(struct wiregen_hello){.boot = 1, .cores = 2, .tsc_hz = 1000000});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 2});
    for (uint64_t i = 0; i < samples; i++)
        wiregen_short(&w, 1, 8000, (uint32_t)i, 0);
    wiregen_samples_end(&w, (uint64_t[4]){samples, 0, 0, 0});
    FILE *f = fopen(name, "w");

    CHECK(f != NULL && fwrite(w.bytes, 1, w.size, f) == w.size);
    CHECK_EQ(fclose(f), 0);
    wiregen_fini(&w);
}

/* The program on both guests, with allocation (n) failing. */
static int run(unsigned n)
{
    char *argv[] = {(char[]){"--serial"}, (char[]){"one"},
                    (char[]){"--serial"}, (char[]){"two"},
                    (char[]){"-o"},       (char[]){"a.folded"},
                    (char[]){"-o"},       (char[]){"a.txt"}};
    int null = open("/dev/null", O_WRONLY);

    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
    alloc_fail_at(n);
    int code = cmd_live.run(sizeof argv / sizeof argv[0], argv);

    return alloc_failed() ? code : NOT_REACHED + code;
}

TEST(every_allocation_of_a_session_may_fail)
{
    unsigned n = 1, failures = 0;
    int status;

    CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
    CHECK_EQ(atexit(remove_dir), 0);
    write_guest("one", 10);
    write_guest("two", 30);
    CHECK_EQ(setenv("TPROF_SANDBOX", "off", 1), 0);
    for (;; n++) {
        fflush(stdout);
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0) {
            int code = run(n);

            __lsan_do_leak_check(); /* ends it with 23 if there is one */
            _exit(code);            /* leaves the directory to its owner */
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status));
        if (WEXITSTATUS(status) >= NOT_REACHED)
            break;
        CHECK(WEXITSTATUS(status) <= EXIT_USAGE);
        failures += WEXITSTATUS(status) != EXIT_DONE;
    }
    CHECK_EQ(WEXITSTATUS(status), NOT_REACHED + EXIT_DONE);
    CHECK(failures > 40); /* most are needed, and there are some */
}
