/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a rule of Landlock opens, however its path is spelled. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/sandbox.h"

#define ALL                                                                    \
    (SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE | SANDBOX_LIST |            \
     SANDBOX_DEVICE)
#define TO_WRITE (O_WRONLY | O_CREAT | O_TRUNC)
#define TO_LIST  (O_RDONLY | O_DIRECTORY)

static char folder[] = "/tmp/tprof-folder-XXXXXX";

static void remove_folder(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        perror(folder);
}

static void put(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    CHECK(fd >= 0);
    close(fd);
}

/* Work in a folder with two in it, of which the first has links, too. */
static void enter_folder(void)
{
    if (sandbox_landlock() < 1)
        SKIP("the kernel has no Landlock");
    CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    CHECK_EQ(chdir(folder), 0);
    CHECK_EQ(mkdir("in", 0700), 0);
    CHECK_EQ(mkdir("out", 0700), 0);
    put("in/file");
    put("out/file");
    put("file");
    CHECK_EQ(symlink("in", "to_in"), 0);
    CHECK_EQ(symlink("../in", "out/to_in"), 0);
    CHECK_EQ(symlink("../out/file", "in/to_out"), 0);
    CHECK_EQ(symlink("..", "in/to_parent"), 0);
}

/* In a child that may do all with (path): does (try) find what it should? The
 * helper's calls let Landlock alone decide. */
static bool allowed(const char *path, bool (*try)(void))
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        struct sandbox s;
        struct err e;

        sandbox_init(&s);
        sandbox_allow(&s, path, ALL);
        if (sandbox_enter(&s, SANDBOX_OPENER, &e) != 0) {
            (void)fprintf(stderr, "%s\n", e.text);
            _exit(2);
        }
        _exit(try() ? 0 : 1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status == 0;
}

static bool opens(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC, 0600) >= 0;
}

static bool refuses(const char *path, int flags)
{
    return !opens(path, flags) && errno == EACCES;
}

static bool in_alone(void)
{
    return opens("in/file", O_RDWR) && opens("in", TO_LIST) &&
           opens("in/new", TO_WRITE) && unlink("in/new") == 0 &&
           refuses("out/file", O_RDONLY) && refuses("out/file", O_WRONLY) &&
           refuses("out/new", TO_WRITE) && refuses("out", TO_LIST) &&
           refuses("file", O_RDONLY) && refuses("new", TO_WRITE) &&
           refuses(".", TO_LIST) && refuses(folder, TO_LIST) &&
           refuses("in/..", TO_LIST) && refuses("in/../file", O_RDONLY) &&
           refuses("in/to_out", O_RDONLY) &&
           refuses("in/to_parent/file", O_RDONLY) &&
           refuses("/etc/passwd", O_RDONLY) && unlink("file") != 0 &&
           unlink("out/file") != 0;
}

/* Catches: a spool whose neighbours, all of a home, are open with it */
TEST(folder_is_allowed_without_its_parent)
{
    static const char *const spellings[] = {
        "in",         "in/",       "./in/",     "in//",      "in/.",
        "to_in",      "to_in/",    "to_in/.",   "in/../in/", "out/../in",
        "out/../in/", "out/to_in", "out/to_in/"};
    char whole[64];

    enter_folder();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (!allowed(spellings[i], in_alone))
            check_failed(__FILE__, __LINE__, "by the name \"%s\"",
                         spellings[i]);
    (void)snprintf(whole, sizeof whole, "%s/in/", folder);
    CHECK(allowed(whole, in_alone));
}

static bool pipe_alone(void)
{
    return opens("pipe", O_RDWR | O_NONBLOCK) && refuses("file", O_RDONLY) &&
           refuses("new", TO_WRITE) && unlink("file") != 0;
}

static bool null_alone(void)
{
    return opens("/dev/null", O_RDWR) && refuses("/dev/zero", O_RDONLY);
}

/* Catches: -o /dev/null that lets root's disks be read and written */
TEST(device_is_allowed_without_its_folder)
{
    enter_folder();
    CHECK_EQ(mkfifo("pipe", 0600), 0);
    CHECK(allowed("pipe", pipe_alone));
    CHECK(allowed("/dev/null", null_alone));
}

/* Catches: a rule that allows nothing, which is taken for a lack of Landlock */
TEST(rule_that_allows_nothing_is_none)
{
    struct sandbox s;

    enter_folder();
    sandbox_init(&s);
    sandbox_allow(&s, "/dev/null", SANDBOX_REMOVE);
    CHECK_EQ(s.error, 0);
    sandbox_fini(&s);
}
