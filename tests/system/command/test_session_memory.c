/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each allocation between two guests and their reports fails once: the program
 * ends in order, with a line or with a report, and never in a signal. Each try
 * is a process of its own, since a session gives up its rights for good.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "cli/command.h"
#include "command.h"
#include "session/sampling.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_do_leak_check() (void)0
#endif

/* Added to the exit code: no allocation was left to fail. */
#define NOT_REACHED 100

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
    write_file(name, w.bytes, w.size);
    wiregen_fini(&w);
}

/* One that runs the kernel of tests/golden, and what that has loaded there: one
 * image that has a file, and one that has none. */
static void write_loaded(const char *name)
{
    struct wiregen w = {0};
    uint64_t frames[] = {0x40000000 + 0x25c - 0x200000, 0x103};

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1,
                                              .cores = 1,
                                              .tsc_hz = 1000000,
                                              .text_start = 0x200000,
                                              .text_size = 0x127,
                                              .build_id = KERNEL_ID});
    wiregen_map(&w, &(struct wiregen_map){.start = 0x400001f1,
                                          .size = 0x76,
                                          .link_start = 0x1f1,
                                          .name = "app",
                                          .build_id = APP_ID});
    wiregen_map(&w, &(struct wiregen_map){
                        .start = 0x50000000, .size = 0x1000, .name = "lib"});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 2});
    for (uint32_t i = 0; i < 10; i++)
        wiregen_short(&w, 1, 8000, i * 16, 0);
    for (uint64_t i = 0; i < 10; i++)
        wiregen_long_sample(
            &w, &(struct wiregen_long){
                    .dt = 8000,
                    .id = 1,
                    .weight = 1,
                    .leaf = (int64_t)(i < 5 ? 0x40000237 : 0x50000100) -
                            0x200000 + (int64_t)i});
    wiregen_samples_end(&w, (uint64_t[4]){20, 0, 0, 0});
    write_file(name, w.bytes, w.size);
    wiregen_fini(&w);
}

/* The program with (line)'s words, and with allocation (n) failing. */
static int run(const char *line, unsigned n)
{
    char copy[512];
    char *argv[32];
    int null = open("/dev/null", O_WRONLY);

    (void)snprintf(copy, sizeof copy, "%s --sandbox=off", line);
    int argc = split_words(copy, argv, 32);

    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
    alloc_fail_at(n);
    int code = cmd_live.run(argc, argv);

    return alloc_failed() ? code : NOT_REACHED + code;
}

/* Returns how many of the runs with (line)'s words had no good end. After a run
 * that wrote a.txt (look) looks at it, unless that is NULL. */
static unsigned fail_each_with(const char *line, void (*look)(void))
{
    unsigned failures = 0;
    int status;

    for (unsigned n = 1;; n++) {
        fflush(stdout);
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0) {
            int code = run(line, n);

            __lsan_do_leak_check(); /* ends it with 23 if there is one */
            _exit(code);            /* leaves the directory to its owner */
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status));
        if (WEXITSTATUS(status) >= NOT_REACHED)
            break;
        CHECK(WEXITSTATUS(status) <= EXIT_USAGE);
        if (look != NULL && access("a.txt", F_OK) == 0)
            look();
        (void)unlink("a.txt");
        failures += WEXITSTATUS(status) != EXIT_DONE;
    }
    CHECK_EQ(WEXITSTATUS(status), NOT_REACHED + EXIT_DONE);
    return failures;
}

static unsigned fail_each(const char *line)
{
    return fail_each_with(line, NULL);
}

TEST(every_allocation_of_a_session_may_fail)
{
    enter_dir();
    write_guest("one", 10);
    write_guest("two", 30);
    /* most are needed, and there are some */
    CHECK(fail_each("--serial one --serial two -o a.folded -o a.txt") > 40);
}

/* Where reports were begun, at most one of three guests has none. */
static void reports_stay(void)
{
    CHECK(contains("a.txt", "one ====\n") + contains("a.txt", "two ====\n") +
              contains("a.txt", "three ====\n") >=
          2);
}

TEST(memory_of_one_guest_costs_no_other_a_report) /* catches: the first ends all
                                                   */
{
    enter_dir();
    write_guest("one", 10);
    write_guest("two", 30);
    write_guest("three", 20);
    fail_each_with("--serial one --serial two --serial three -o a.txt",
                   reports_stay);
}

TEST(every_allocation_for_several_images_may_fail)
{
    enter_dir();
    write_loaded("one");
    write_loaded("two");
    CHECK(fail_each("--serial one --serial two --elf " KERNEL " --elf " APP
                    " -o a.tprof -o a.txt") > 60);
}
