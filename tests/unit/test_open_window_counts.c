/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of open windows, by core: what a process that is killed took. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet/windows/open_window_counts.h"

static struct err error;

static void enter_dir(void)
{
    static char path[] = "/tmp/test_open_window_counts.XXXXXX";

    CHECK(mkdtemp(path) != NULL && chdir(path) == 0);
}

static void leave_dir(struct open_window_counts *u)
{
    char path[64];

    open_window_counts_close(u);
    CHECK(unlink(".uncut") == 0);
    CHECK(getcwd(path, sizeof path) != NULL && rmdir(path) == 0);
}

static struct open_window_counts *open_here(size_t places)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct open_window_counts *u = open_window_counts_open(fd, places, &error);

    (void)close(fd);
    return u;
}

static struct open_window_counts *begin_here(size_t places)
{
    struct open_window_counts *u = open_here(places);

    CHECK(u != NULL);
    CHECK_EQ(open_window_counts_begin(u, &error), 0);
    return u;
}

/* What (work) does with a file of (places), until it is killed. */
static void work_and_die(size_t places,
                         void (*work)(struct open_window_counts *))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        work(begin_here(places));
        (void)raise(SIGKILL);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void check_core(const struct open_window_core *c, const char *guest,
                       uint32_t core, uint64_t samples)
{
    CHECK_STR(c->guest, guest);
    CHECK_EQ(c->core, core);
    CHECK_EQ(c->samples, samples);
}

static void three_cores(struct open_window_counts *u)
{
    uint32_t b1 = open_window_counts_reserve(u, "b", 1),
             b0 = open_window_counts_reserve(u, "b", 0);
    uint32_t a7 = open_window_counts_reserve(u, "a", 7),
             idle = open_window_counts_reserve(u, "c", 0);

    open_window_counts_add(u, b1, 10);
    open_window_counts_add(u, a7, 5);
    open_window_counts_add(u, b0, 100);
    open_window_counts_add(u, b1, 1);
    open_window_counts_add(u, idle, 0);
}

TEST(cores_of_a_killed_process_are_told)
{
    enter_dir();
    work_and_die(4, three_cores);
    struct open_window_counts *u =
        begin_here(2); /* it has fewer places than that one had */
    struct open_window_losses lost = open_window_counts_lost(u);

    CHECK_EQ(lost.count, 3);
    CHECK_EQ(lost.samples, 116);
    CHECK_EQ(lost.guests, 2);
    check_core(&lost.cores[0], "a", 7, 5);
    check_core(&lost.cores[1], "b", 0, 100);
    check_core(&lost.cores[2], "b", 1, 11);
    CHECK_EQ(open_window_counts_lost_of(u, "a"), 5);
    CHECK_EQ(open_window_counts_lost_of(u, "b"), 111);
    CHECK_EQ(open_window_counts_lost_of(u, "c"), 0);
    CHECK_EQ(open_window_counts_lost_of(u, ""), 0);
    open_window_counts_close(u);
    u = open_here(4); /* told once */
    CHECK_EQ(open_window_counts_lost(u).count, 0);
    leave_dir(u);
}

/* Catches: an account that goes with a process which never served */
TEST(a_start_that_fails_changes_nothing)
{
    enter_dir();
    work_and_die(4, three_cores);
    open_window_counts_close(open_here(2));
    struct open_window_counts *u = open_here(2);

    CHECK_EQ(open_window_counts_lost(u).samples, 116);
    leave_dir(u);
}

static void one_name_twice(struct open_window_counts *u)
{
    for (uint32_t i = 0; i < 3; i++) {
        open_window_counts_add(u, open_window_counts_reserve(u, "a", 1), 1);
        open_window_counts_add(u, open_window_counts_reserve(u, "a", i), 10);
    }
}

/* A guest comes while another one of its name leaves. */
TEST(a_core_is_told_once)
{
    enter_dir();
    work_and_die(6, one_name_twice);
    struct open_window_counts *u = open_here(1);

    CHECK_EQ(open_window_counts_lost(u).count, 3);
    check_core(&open_window_counts_lost(u).cores[0], "a", 0, 10);
    check_core(&open_window_counts_lost(u).cores[1], "a", 1, 13);
    check_core(&open_window_counts_lost(u).cores[2], "a", 2, 10);
    leave_dir(u);
}

/* Does this process have a file (name) open, or mapped? */
static bool has_open(const char *name)
{
    char link[64], path[512];
    FILE *maps = fopen("/proc/self/maps", "re");

    while (maps != NULL && fgets(path, sizeof path, maps) != NULL)
        if (strstr(path, name) != NULL)
            return true;
    CHECK(maps != NULL && fclose(maps) == 0);

    for (int fd = 0; fd < 64; fd++) {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, path, sizeof path - 1);

        path[n < 0 ? 0 : n] = '\0';
        if (strstr(path, name) != NULL)
            return true;
    }
    return false;
}

/* Catches: a process that answers by HTTP and can falsify the account */
TEST(children_do_not_have_the_file)
{
    int status;

    enter_dir();
    struct open_window_counts *u = begin_here(1);

    CHECK(has_open("/.uncut"));
    pid_t child = fork();

    if (child == 0) { /* what has that number in a child of its, is its own */
        int fd = open(".", O_RDONLY | O_CLOEXEC);
        pid_t other = has_open("/.uncut") ? -1 : fork();

        if (other != 0)
            _exit(other < 0 || waitpid(other, &status, 0) != other ||
                  status != 0);
        _exit(fcntl(fd, F_GETFD) < 0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    open_window_counts_add(u, open_window_counts_reserve(u, "a", 0), 1);
    CHECK_STR(error.text, "");
    leave_dir(u);
}

/* Catches: a process that ends with the disk, since a page has no block */
TEST(the_file_has_its_blocks_before_it_is_used)
{
    struct stat st;

    enter_dir();
    struct open_window_counts *u = begin_here(1000);

    CHECK_EQ(stat(".uncut", &st), 0);
    CHECK(st.st_size > 1000 * (off_t)sizeof(struct open_window_core));
    CHECK(st.st_blocks * 512 >= st.st_size);
    leave_dir(u);
}

static void limit_files(rlim_t size)
{
    struct rlimit limit;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Catches: no count of what a window had that could not be kept */
TEST(a_full_disk_is_told_and_counting_goes_on)
{
    enter_dir();
    struct open_window_counts *u = open_here(1000);
    uint32_t place = open_window_counts_reserve(u, "a", 0);

    (void)signal(SIGXFSZ, SIG_IGN);
    limit_files(100000); /* it gets as far as that */
    CHECK_EQ(open_window_counts_begin(u, &error), -1);
    CHECK_STR(error.text, ".uncut: File too large");
    open_window_counts_add(u, place, 3);
    CHECK_EQ(open_window_counts_clear(u, place), 3);
    open_window_counts_add(u, place, 3);
    open_window_counts_close(u);
    limit_files(RLIM_INFINITY);
    u = open_here(1);
    CHECK_EQ(open_window_counts_lost(u).count, 0);
    leave_dir(u);
}

static void cut_and_leave(struct open_window_counts *u)
{
    uint32_t gone = open_window_counts_reserve(u, "gone", 0),
             cut = open_window_counts_reserve(u, "cut", 0);

    open_window_counts_add(u, gone, 1);
    open_window_counts_add(u, cut, 2);
    open_window_counts_give_back(u, gone);
    CHECK_EQ(open_window_counts_clear(u, cut), 2);
    CHECK_EQ(open_window_counts_clear(u, cut), 0);
    open_window_counts_add(u, open_window_counts_reserve(u, "came", 3), 4);
}

TEST(what_is_cut_is_not_lost)
{
    enter_dir();
    work_and_die(2, cut_and_leave);
    struct open_window_counts *u = open_here(2);

    CHECK_EQ(open_window_counts_lost(u).count, 1);
    check_core(open_window_counts_lost(u).cores, "came", 3, 4);
    leave_dir(u);
}

TEST(more_cores_than_places_are_not_counted)
{
    enter_dir();
    struct open_window_counts *u = begin_here(1);
    uint32_t first = open_window_counts_reserve(u, "a", 0),
             more = open_window_counts_reserve(u, "a", 1);

    CHECK_EQ(more, OPEN_WINDOW_COUNTS_NONE);
    open_window_counts_add(u, more, 7);
    CHECK_EQ(open_window_counts_clear(u, more), 0);
    open_window_counts_give_back(u, more);
    open_window_counts_give_back(u, first);
    CHECK_EQ(open_window_counts_reserve(u, "b", 0), first);
    leave_dir(u);
}

/* As an older version has left it, or anybody. */
TEST(another_kind_of_file_says_nothing)
{
    enter_dir();
    FILE *f = fopen(".uncut", "w");

    CHECK(f != NULL);
    for (unsigned i = 0; i < 5000; i++)
        (void)fputs("abcdefgh", f);
    (void)fclose(f);
    struct open_window_counts *u = open_here(3);

    CHECK(u != NULL);
    CHECK_EQ(open_window_counts_lost(u).count, 0);
    leave_dir(u);
}

#define SECTOR 512
#define CORES  100

static void count_many(struct open_window_counts *u)
{
    char name[16];

    for (uint32_t i = 0; i < CORES; i++) {
        (void)snprintf(name, sizeof name, "guest%u", i);
        open_window_counts_add(u, open_window_counts_reserve(u, name, i), 10);
    }
}

/* Power fails: of the file there are some sectors, and the others have what was
 * there before, which is nothing here. Catches: a start that fails, names
 * without an end, and more lost than there was. */
TEST(a_file_in_parts_tells_no_more_than_there_was)
{
    static char whole[1 << 20], part[1 << 20];

    enter_dir();
    work_and_die(CORES, count_many);
    int fd = open(".uncut", O_RDWR | O_CLOEXEC);
    ssize_t size = pread(fd, whole, sizeof whole, 0);

    CHECK(size > CORES * 100 && size < (ssize_t)sizeof whole);
    srandom(1);
    for (unsigned i = 0; i < 300; i++) {
        memcpy(part, whole, sizeof part);
        for (ssize_t at = i < 150 ? SECTOR : 0; at < size; at += SECTOR)
            if ((unsigned)random() % 300 < i)
                memset(part + at, 0, SECTOR);
        CHECK_EQ(pwrite(fd, part, (size_t)size, 0), size);
        struct open_window_counts *u = open_here(CORES);

        CHECK(u != NULL);
        struct open_window_losses lost = open_window_counts_lost(u);

        CHECK(lost.samples <= CORES * 10 && lost.samples % 10 == 0);
        if (i == 0)
            CHECK_EQ(lost.samples, CORES * 10);
        open_window_counts_close(u);
    }
    (void)close(fd);
    leave_dir(NULL);
}
